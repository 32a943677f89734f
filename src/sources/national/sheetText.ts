/**
 * What exceljs reads wrongly in a workbook's XML, written in another way that means the same: of a
 * text in runs within its cell it takes the last run, of a text with a reading beside it the
 * reading, of a date in ISO form the year, as a number of days; CDATA it leaves out, and so it does
 * every element of a sheet whose names have a prefix.
 *
 * A part that has none of this stays as it is: most have none, and some are large.
 */
import { isUtf8 } from 'node:buffer';
import { DomainError } from '#core/kernel';
import { PartFault, type PartToken, partTokens } from './partTokens.ts';
import { UNPACKED_BYTES_MAX } from './zipFile.ts';

/** Pieces of the result that are joined at a time. */
const JOINED_PIECES = 16_384;
const DECLARATION = /^(?:\ufeff|\u00ef\u00bb\u00bf)?<\?xml [^<>]*\?>/;
/** A text, alone or in runs: within a cell, or among those that sheets share. */
const TEXTS = new Set(['is', 'si']);
const UNUSUAL: readonly RegExp[] = [
  / t="d"/,
  /<[!?]/,
  // In a tag: single quotes, references, white space other than a single space.
  /<[^<>]*['&\t\r\n]/,
  /\s=|=\s/,
  // Prefixed names.
  /<[^<>\s:"]+:/,
];

/** @param name of the part, for the message of an error */
export function readablePart(part: Buffer, name: string): Buffer {
  if (!isUtf8(part)) throw damaged(name, 'it is not UTF-8');
  if (!isUnusual(part)) return part;
  try {
    return rewritten(part);
  } catch (error) {
    if (error instanceof PartFault) throw damaged(name, error.message);
    throw error;
  }
}

function isUnusual(part: Buffer): boolean {
  // All that is looked for is ASCII, and a character of one byte takes one.
  const text = part.toString('latin1');
  const begin = DECLARATION.exec(text)?.[0].length ?? 0;
  const markup = text.slice(begin);
  if (UNUSUAL.some((one) => one.test(markup))) return true;
  return /<(?:is|si)[ >]/.test(markup) && /<r(?:Ph)?[ />]/.test(markup);
}

function rewritten(part: Buffer): Buffer {
  const writer = new PartWriter();
  const blocks: Buffer[] = [];
  let pieces: string[] = [];
  let bytes = 0;
  const flush = (): void => {
    const block = Buffer.from(pieces.join(''));
    bytes += block.length;
    if (bytes > UNPACKED_BYTES_MAX) throw new PartFault(`over ${UNPACKED_BYTES_MAX} bytes`);
    blocks.push(block);
    pieces = [];
  };
  for (const token of partTokens(part.toString())) {
    const piece = writer.write(token);
    if (piece !== '') pieces.push(piece);
    if (pieces.length >= JOINED_PIECES) flush();
  }
  flush();
  return Buffer.concat(blocks);
}

class PartWriter {
  /** Prefix of the root, with its colon; all names of the workbook's own have it. */
  #prefix: string | undefined;
  /** Names of the open elements from a text's own on; empty outside of texts. */
  readonly #inText: string[] = [];
  #text = '';

  /** The text of the token; a text comes as a whole at its end. */
  write(token: PartToken): string {
    if (token.kind === 'text') return this.#writeText(token.text);
    if (token.kind === 'close') return this.#close(this.#localOf(token.name));
    const local = this.#localOf(token.name);
    if (this.#inText.length === 0 && !(TEXTS.has(local) && !token.isEmpty)) {
      return openTag(local, token);
    }
    if (!token.isEmpty) this.#inText.push(local);
    return '';
  }

  #close(name: string): string {
    if (this.#inText.length === 0) return `</${name}>`;
    this.#inText.pop();
    if (this.#inText.length > 0) return '';
    const text = this.#text;
    this.#text = '';
    return `<${name}><t xml:space="preserve">${text}</t></${name}>`;
  }

  #writeText(text: string): string {
    if (this.#inText.length === 0) return text;
    // A reading beside the text is no part of it.
    if (this.#inText.at(-1) === 't' && !this.#inText.includes('rPh')) this.#text += text;
    return '';
  }

  #localOf(name: string): string {
    this.#prefix ??= name.slice(0, name.indexOf(':') + 1);
    return name.startsWith(this.#prefix) ? name.slice(this.#prefix.length) : name;
  }
}

function openTag(name: string, token: PartToken & { kind: 'open' }): string {
  let tag = `<${name}`;
  for (const [key, value] of token.attributes) {
    tag += ` ${key}="${name === 'c' && key === 't' ? cellType(value) : value}"`;
  }
  return `${tag}${token.isEmpty ? '/' : ''}>`;
}

/** A date is its text: as one it would be read as a number. */
function cellType(written: string): string {
  if (written.includes('&')) throw new PartFault('a type of a cell that is none');
  return written.trim() === 'd' ? 'str' : written;
}

const damaged = (name: string, what: string): DomainError =>
  new DomainError('list-damaged', { detail: `spreadsheet: ${name}: ${what}` });
