/** What sax, strict, makes of a document: the oracle of our scanner. One line per event. */
import sax from 'sax';
import { readXml } from '#platform/xml/readXml';
import { chunksOf } from '../../sources/chunks.ts';

/** Throws where sax does. */
export function saxEvents(content: Uint8Array): string[] {
  const events: string[] = [];
  const parser = sax.parser(true, { xmlns: false });
  let text = '';
  parser.onerror = (error) => {
    throw error;
  };
  parser.onopentag = ({ name, attributes }) => {
    text = '';
    const all = Object.entries(attributes as Record<string, string>);
    const pairs = all.filter(([key]) => !key.startsWith('xmlns'));
    events.push(opening(name, pairs));
  };
  parser.ontext = (piece) => {
    text += piece;
  };
  parser.oncdata = (piece) => {
    text += piece;
  };
  parser.onclosetag = (name) => {
    events.push(closing(name, text.trim()));
    text = '';
  };
  const decoded = new TextDecoder('utf-8', { fatal: true }).decode(content);
  parser.write(withSpacesInTags(decoded.replace(/\r\n?/g, '\n'))).close();
  return events;
}

/** Comments and CDATA sections, which hold no tags; tags that open an element. */
const PARTS = /<!--.*?-->|<!\[CDATA\[.*?\]\]>|<[^!?/](?:"[^"]*"|'[^']*'|[^"'>])*>/gs;

/**
 * XML 1.0, 2.11 and 3.3.3, which sax leaves to its caller: a line end or tab in a value is a space.
 * Done before sax reads, since one that is written as a reference (`&#10;`) stays what it is.
 */
function withSpacesInTags(content: string): string {
  return content.replace(PARTS, (part) =>
    part.startsWith('<!') ? part : part.replace(/[\n\t]/g, ' '),
  );
}

/** Prefixes are taken off by our reader alone: compare documents without them. */
export async function ourEvents(content: Uint8Array, chunkBytes?: number): Promise<string[]> {
  const events: string[] = [];
  await readXml(chunksOf(content, chunkBytes), {
    root: () => {},
    open: (name, _depth, attributes) => {
      const pairs = attributes.names().map((key) => [key, attributes.get(key) ?? ''] as const);
      events.push(opening(name, pairs));
    },
    close: (name, text) => events.push(closing(name, text)),
  });
  return events;
}

const opening = (name: string, pairs: readonly (readonly [string, string])[]): string =>
  `<${name} ${pairs.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(' ')}`;
const closing = (name: string, text: string): string => `>${name} ${JSON.stringify(text)}`;
