/**
 * A file of FIN messages, alone, one after the other or parted by `$` (RJE), into messages and
 * their fields. Acknowledgements of the transport stand before the message that they are of.
 *
 * Blocks that do not balance refuse the file: nobody can say where the next message begins.
 * A fault inside the text of one message refuses that message alone.
 */
import { isUtf8 } from 'node:buffer';
import { DomainError } from '#core/kernel';

/** Bytes of one file. */
export const FIN_BYTES_MAX = 1024 ** 2;
/** Messages of one file. */
export const FIN_MESSAGES_MAX = 1_000;
/** Fields of one message: the standard's longest has some sixty. */
const FIELDS_MAX = 200;

/** A field of block 4: `32A`, its lines, and where it begins in the file. */
export interface FinField {
  readonly tag: string;
  readonly lines: readonly string[];
  readonly line: number;
}

/** A message, its blocks opened. */
export interface FinMessage {
  /** Line in the file, from 1. */
  readonly line: number;
  readonly basic: string;
  readonly application: string;
  /** Block 3 by tag. */
  readonly user: ReadonlyMap<string, string>;
  readonly fields: readonly FinField[];
  /** The transport refused it. */
  readonly isRefused: boolean;
  /** The text was no field where one had to begin: its line. */
  readonly strayLine?: number;
}

interface Block {
  readonly id: string;
  readonly text: string;
  readonly line: number;
}

const TAG = /^:(\d{2}[A-Z]?):/;
const SUB_BLOCK = /\{(\w{3}):([^{}]*)\}/g;

/** Throws `mt-malformed` where the blocks do not balance, or there is none. */
export function readFin(bytes: Buffer): readonly FinMessage[] {
  const text = isUtf8(bytes) ? bytes.toString('utf8') : bytes.toString('latin1');
  const messages: FinMessage[] = [];
  let open: Block[] = [];
  let isRefused = false;
  const close = () => {
    if (open.length === 0) return;
    if (isAcknowledgement(open)) isRefused = isNegative(open);
    else {
      messages.push(messageOf(open, isRefused));
      isRefused = false;
    }
    open = [];
    if (messages.length > FIN_MESSAGES_MAX) {
      throw malformed(`expected at most ${FIN_MESSAGES_MAX} messages`);
    }
  };
  for (const block of blocksOf(text)) {
    if (block.id === '1') close();
    open.push(block);
  }
  close();
  if (messages.length === 0 && !isRefused) throw malformed('expected a message, found none');
  return messages;
}

/** `F21` in block 1: a message of the transport, about the one that follows. */
const isAcknowledgement = ([basic]: readonly Block[]): boolean =>
  basic?.text.startsWith('F21') === true;
const isNegative = (blocks: readonly Block[]): boolean =>
  blocks.some(({ id, text }) => id === '4' && text.includes('{451:1}'));

function* blocksOf(text: string): Generator<Block> {
  let line = 1;
  let at = 0;
  const skipTo = (end: number) => {
    for (
      let next = text.indexOf('\n', at);
      next >= 0 && next < end;
      next = text.indexOf('\n', next + 1)
    ) {
      line++;
    }
    at = end;
  };
  for (;;) {
    const start = nextBlock(text, at, line);
    if (start < 0) return;
    skipTo(start);
    const id = /^\{([1-5S]):/.exec(text.slice(start, start + 3))?.[1];
    if (id === undefined) throw malformed(`line ${line}: expected a block 1 to 5, or S`);
    const end = endOf(text, start, id);
    if (end < 0) throw malformed(`line ${line}: expected the end of block ${id}`);
    yield { id, line, text: text.slice(start + 3, end) };
    skipTo(end + 1);
  }
}

/** Blanks, and the frames of transports. */
const BETWEEN = /[\s$}\p{Cc}\ufeff]/u;
/** A brace that opens nothing before the sign that parts two messages. */
const STRAY_BRACE = /\{\s*\$/y;

/** Between blocks only blanks, `$`, and a brace too many behind a message may stand. */
function nextBlock(text: string, from: number, line: number): number {
  for (let at = from; at < text.length; at++) {
    const sign = text[at] ?? '';
    STRAY_BRACE.lastIndex = at;
    if (sign === '{' && !STRAY_BRACE.test(text)) return at;
    if (sign === '{') continue;
    if (!BETWEEN.test(sign)) {
      throw malformed(`line ${line}: expected a block, found other text`);
    }
  }
  return -1;
}

/** The text block ends with a line `-}`, all others with their brace. */
function endOf(text: string, start: number, id: string): number {
  if (id === '4' && text[start + 3] !== '{') {
    const end = text.indexOf('\n-}', start);
    const next = text.indexOf('{1:', start + 3);
    return end < 0 || (next >= 0 && next < end) ? -1 : end + 2;
  }
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    if (text[at] === '{') depth++;
    else if (text[at] === '}' && --depth === 0) return at;
    if (depth > 3) return -1;
  }
  return -1;
}

function messageOf(blocks: readonly Block[], isRefused: boolean): FinMessage {
  const of = (id: string) => blocks.find((block) => block.id === id);
  const body = of('4');
  const user = [...(of('3')?.text ?? '').matchAll(SUB_BLOCK)];
  const { fields, strayLine } = fieldsOf(body);
  return {
    application: of('2')?.text ?? '',
    basic: of('1')?.text ?? '',
    fields,
    isRefused,
    line: blocks[0]?.line ?? 1,
    user: new Map(user.map(([, tag = '', value = '']) => [tag, value])),
    ...(strayLine !== undefined && { strayLine }),
  };
}

function fieldsOf(body: Block | undefined): Pick<FinMessage, 'fields' | 'strayLine'> {
  const fields: { tag: string; lines: string[]; line: number }[] = [];
  // The block ends with the hyphen before its brace.
  const lines = body?.text.replace(/\r?\n-$/, '').split(/\r?\n/) ?? [];
  for (const [at, text] of lines.entries()) {
    const line = (body?.line ?? 1) + at;
    const tag = TAG.exec(text);
    if (tag !== null) {
      if (fields.length === FIELDS_MAX) return { fields, strayLine: line };
      fields.push({ line, lines: [text.slice(tag[0].length)], tag: tag[1] ?? '' });
    } else if (fields.length > 0) fields.at(-1)?.lines.push(text);
    else if (text.trim() !== '') return { fields, strayLine: line };
  }
  return { fields };
}

const malformed = (detail: string): DomainError => new DomainError('mt-malformed', { detail });
