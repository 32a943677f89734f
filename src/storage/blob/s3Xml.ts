/**
 * S3's answers in XML, as far as they are needed: elements of given names, with the text of their
 * direct children. Answers are flat and small. Outermost elements are not checked, since servers
 * name them differently.
 */
import sax from 'sax';

export interface XmlElement {
  readonly name: string;
  readonly text: string;
  /** Text of its children that hold no element themselves, by name; the last of a name counts. */
  readonly fields: Readonly<Record<string, string>>;
}

interface Open {
  readonly name: string;
  readonly fields: Record<string, string>;
  text: string;
  isLeaf: boolean;
}

/** In the order in which they end; undefined where the text is cut, or a proxy's page. */
export function readElements(text: string, names: readonly string[]): XmlElement[] | undefined {
  const found: XmlElement[] = [];
  const open: Open[] = [];
  const parser = sax.parser(true);
  parser.onopentag = ({ name }) => {
    const parent = open.at(-1);
    if (parent) parent.isLeaf = false;
    open.push({ fields: Object.create(null), isLeaf: true, name, text: '' });
  };
  parser.ontext = (piece) => {
    const inner = open.at(-1);
    if (inner) inner.text += piece;
  };
  parser.onclosetag = () => {
    const ended = open.pop();
    if (ended === undefined) return;
    const parent = open.at(-1);
    if (parent && ended.isLeaf) parent.fields[ended.name] = ended.text;
    if (names.includes(ended.name)) found.push(ended);
  };
  let problem: Error | undefined;
  parser.onerror = (error) => {
    problem ??= error;
  };
  try {
    parser.write(text).close();
  } catch (error) {
    // It throws what it has reported already.
    problem ??= error instanceof Error ? error : new Error('not well formed', { cause: error });
  }
  return problem === undefined ? found : undefined;
}
