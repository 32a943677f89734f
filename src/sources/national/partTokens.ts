/**
 * The markup of a workbook's part, token by token, as written: comments and instructions left out,
 * CDATA as text, so that one meaning has one spelling. Malformed tags, and tags that do not pair,
 * are a fault; the reader of the tokens checks the rest.
 */

/** Values and texts keep their references, and can be written as they are: a value in `"`. */
export type PartToken =
  | { readonly kind: 'close'; readonly name: string }
  | {
      readonly kind: 'open';
      readonly name: string;
      readonly attributes: ReadonlyMap<string, string>;
      readonly isEmpty: boolean;
    }
  | { readonly kind: 'text'; readonly text: string };

/** Characters of a tag, a text, a comment: a cell has 32,767 at most. */
const TOKEN_CHARS_MAX = 1024 * 1024;
const DEPTH_MAX = 64;
const COMMENT = { open: '<!--', close: '-->' };
const CDATA = { open: '<![CDATA[', close: ']]>' };
const INSTRUCTION = { open: '<?', close: '?>' };
const TAG_NAME = /^[^\s<>/="'&]+/;
const ATTRIBUTE = /^\s+([^\s<>/="'&]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/;
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '&quot;',
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
};

/** Thrown with the fault; the caller adds the part's name. */
export class PartFault extends Error {
  override readonly name = 'PartFault';
}

export function* partTokens(text: string): Generator<PartToken> {
  const open: string[] = [];
  let at = text.startsWith('\ufeff') ? 1 : 0;
  for (;;) {
    const tag = text.indexOf('<', at);
    const end = tag < 0 ? text.length : tag;
    if (end > at) yield textOf(text, at, end);
    if (tag < 0) break;
    const other = [COMMENT, CDATA, INSTRUCTION].find((one) => text.startsWith(one.open, tag));
    if (other) {
      const from = tag + other.open.length;
      const close = text.indexOf(other.close, from);
      if (close < 0) throw new PartFault(`no ${other.close}`);
      if (other === CDATA) yield escapedText(text, from, close);
      at = close + other.close.length;
    } else {
      at = tagEnd(text, tag);
      const token = tokenOf(text.slice(tag + 1, at - 1));
      pair(open, token);
      yield token;
    }
  }
  if (open.length > 0) throw new PartFault('an element that does not end');
}

function textOf(text: string, start: number, end: number): PartToken {
  if (end - start > TOKEN_CHARS_MAX) throw new PartFault('a text too long');
  return { kind: 'text', text: text.slice(start, end) };
}

function escapedText(text: string, start: number, end: number): PartToken {
  if (end - start > TOKEN_CHARS_MAX) throw new PartFault('a text too long');
  return { kind: 'text', text: escaped(text.slice(start, end), /[&<>]/g) };
}

const escaped = (text: string, which: RegExp): string =>
  text.replace(which, (character) => ESCAPES[character] ?? '');

/** Behind the `>`; quotes may hold others. */
function tagEnd(text: string, start: number): number {
  const max = Math.min(text.length, start + TOKEN_CHARS_MAX);
  let quote = '';
  for (let at = start + 1; at < max; at++) {
    const character = text.charAt(at);
    if (character === '<') break;
    if (quote !== '') {
      if (character === quote) quote = '';
    } else if (character === '>') return at + 1;
    else if (character === '"' || character === "'") quote = character;
  }
  throw new PartFault('a malformed tag');
}

/** The token of the text between `<` and `>`. */
function tokenOf(tag: string): PartToken {
  const isClosing = tag.startsWith('/');
  const isEmpty = tag.endsWith('/');
  let rest = tag.slice(Number(isClosing), isEmpty ? -1 : undefined);
  const name = TAG_NAME.exec(rest)?.[0];
  if (name === undefined || name.startsWith('!')) throw new PartFault('a malformed tag');
  rest = rest.slice(name.length);
  const attributes = new Map<string, string>();
  for (let one = ATTRIBUTE.exec(rest); one; one = ATTRIBUTE.exec(rest)) {
    const [all, key = '', double, single = ''] = one;
    if (attributes.has(key)) throw new PartFault('an attribute that stands twice');
    attributes.set(key, escaped((double ?? single).replace(/[\t\r\n]/g, ' '), /[">]/g));
    rest = rest.slice(all.length);
  }
  const isClean = rest.trim() === '' && !(isClosing && (isEmpty || attributes.size > 0));
  if (!isClean) throw new PartFault('a malformed tag');
  return isClosing ? { kind: 'close', name } : { attributes, isEmpty, kind: 'open', name };
}

function pair(open: string[], token: PartToken): void {
  if (token.kind === 'close') {
    if (open.pop() !== token.name) throw new PartFault('tags that do not pair');
  } else if (token.kind === 'open' && !token.isEmpty) {
    open.push(token.name);
    if (open.length > DEPTH_MAX) throw new PartFault('elements nested too deep');
  }
}
