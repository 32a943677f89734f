/**
 * A document cut into tags and text, as written: what a canonical form is made from, which
 * `readXml` cannot give, since it resolves names and trims text. Comments and instructions are left
 * out. Whether the document is well-formed is not asked here: whoever uses this reads the same
 * bytes by `readXml` too. Memory is the longest tag or text.
 */
import { NotCanonical } from './canonicalTags.ts';

/** What is called for each part, in order. */
export interface TokenSink {
  /** `<a …>`, `<a …/>` or `</a>`. */
  tag(raw: string): void;
  /** Character data with its references. */
  text(raw: string): void;
  /** Between `<![CDATA[` and `]]>`. */
  section(raw: string): void;
}

/** Longer than any that `readXml` takes, but for comments. */
const PART_CHARS_MAX = 1_048_576;
const SECTION = '<![CDATA[';
const COMMENT = '<!--';
const [QUOTE, APOSTROPHE, GREATER] = [0x22, 0x27, 0x3e];

/** Takes the text of a document in pieces that may be cut anywhere. */
export class XmlTokens {
  readonly #sink: TokenSink;
  #rest = '';

  constructor(sink: TokenSink) {
    this.#sink = sink;
  }

  write(piece: string): void {
    const text = this.#rest + piece;
    let at = 0;
    for (;;) {
      const open = text.indexOf('<', at);
      if (open < 0) break;
      const end = endOf(text, open);
      if (end < 0) break;
      if (open > at) this.#sink.text(text.slice(at, open));
      this.#give(text, open, end);
      at = end;
    }
    this.#rest = text.slice(at);
    if (this.#rest.length > PART_CHARS_MAX) throw new NotCanonical('a tag or text too long');
  }

  #give(text: string, open: number, end: number): void {
    if (text.startsWith(SECTION, open)) {
      this.#sink.section(text.slice(open + SECTION.length, end - 3));
      return;
    }
    const next = text[open + 1];
    if (next !== '!' && next !== '?') this.#sink.tag(text.slice(open, end));
  }
}

/** Where the markup that begins at `open` is over; below 0 where it is not there whole. */
function endOf(text: string, open: number): number {
  const next = text[open + 1];
  if (next === '?') return after(text, '?>', open + 2);
  if (next !== '!') return endOfTag(text, open + 1);
  // Nine characters tell a section from a comment; a piece may end before.
  if (text.length - open < SECTION.length) return -1;
  if (text.startsWith(SECTION, open)) return after(text, ']]>', open + SECTION.length);
  return text.startsWith(COMMENT, open) ? after(text, '-->', open + COMMENT.length) : -1;
}

function after(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from);
  return at < 0 ? -1 : at + mark.length;
}

/** A `>` between quotes ends no tag. */
function endOfTag(text: string, from: number): number {
  let quote = 0;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (quote !== 0) quote = code === quote ? 0 : quote;
    else if (code === GREATER) return at + 1;
    else if (code === QUOTE || code === APOSTROPHE) quote = code;
  }
  return -1;
}
