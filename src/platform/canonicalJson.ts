/**
 * JSON Canonicalization Scheme (RFC 8785): one text for one value, so that it can be hashed and
 * signed.
 *
 * Why not a package: an audit event is 12 KB and is written a thousand times a second.
 * JSON.stringify already prints numbers and strings as RFC 8785 requires (3.2.2); only the order of
 * the keys is ours. So a value whose keys already stand in code-unit order is checked in one walk
 * and passed to it. Every other value is written with an explicit stack, which no depth can
 * overflow.
 *
 * The input is plain data: own enumerable string keys, no accessors; symbol keys are not seen.
 * Values that JSON would lose silently are refused: undefined, NaN, lone surrogates, class
 * instances, and integers past 2^53 − 1 (the text would name another integer than the one that was
 * meant).
 *
 * Oracle: `canonicalize` from npm and the vectors of the RFC, test/platform/canonicalJson.test.ts.
 */
const FAST_DEPTH_MAX = 400;
/**
 * From here on ECMAScript prints an exponent: clearly a float, not an integer that was meant
 * exactly.
 */
const EXPONENT_FROM = 1e21;
/**
 * JSON.stringify escapes lone surrogates only, so a search in its text is cheaper than a check of
 * every string. (A string that spells these letters itself takes the slow path, which is correct.)
 */
const SURROGATE_ESCAPE = '\\ud';
/** Characters that JSON.stringify would escape: a string without them is itself in quotes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is escaped
const NEEDS_ESCAPE = /["\\\u0000-\u001f\ud800-\udfff]/;

/**
 * Text that its maker wrote in canonical form, for the hot path. A maker that joins it from
 * canonical pieces is responsible for it, and a test compares it with `canonicalJson` of the parsed
 * value.
 */
export class CanonicalText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The value has no canonical text. The message says where, as an RFC 6901 pointer, not what. */
export class CanonicalJsonError extends TypeError {
  override readonly name = 'CanonicalJsonError';
}

/** True where the number survives JSON: finite, and no integer that a double cannot tell apart. */
export function isCanonicalNumber(value: number): boolean {
  if (Number.isSafeInteger(value)) return true;
  if (!Number.isFinite(value)) return false;
  return !Number.isInteger(value) || Math.abs(value) >= EXPONENT_FROM;
}

/** RFC 8785, 3.2.2.3: as ECMAScript's Number::toString, with −0 as 0. Takes any finite double. */
export function canonicalNumber(value: number): string {
  if (!Number.isFinite(value)) throw new CanonicalJsonError('number is not finite');
  return String(value === 0 ? 0 : value);
}

/** The RFC 8785 text of `value`. Throws CanonicalJsonError where there is none. */
export function canonicalJson(value: unknown): string {
  if (isInOrder(value, 0)) {
    const text = JSON.stringify(value);
    if (!text.includes(SURROGATE_ESCAPE)) return text;
  }
  return write(value);
}

/**
 * Checks what JSON.stringify would print, except for lone surrogates. False also means "not sure":
 * `write` then decides.
 */
function isInOrder(value: unknown, depth: number): boolean {
  switch (typeof value) {
    case 'string':
      return true;
    case 'number':
      return isCanonicalNumber(value);
    case 'boolean':
      return true;
    case 'object':
      if (value === null) return true;
      if (depth >= FAST_DEPTH_MAX) return false;
      return Array.isArray(value) ? areInOrder(value, depth) : areKeysInOrder(value, depth);
    default:
      return false;
  }
}

function areInOrder(values: readonly unknown[], depth: number): boolean {
  if (Object.getPrototypeOf(values) !== Array.prototype) return false;
  for (let index = 0; index < values.length; index++) {
    if (!isInOrder(values[index], depth + 1)) return false;
  }
  return true;
}

function areKeysInOrder(object: object, depth: number): boolean {
  if (!isPlain(object)) return false;
  let previous = '';
  // for-in, not Object.keys: V8 serves it from the shape's enum cache without an array per object.
  for (const key in object) {
    // An empty key is in order only as the first one, so the slow path places it.
    if (key <= previous) return false;
    previous = key;
    if (!isInOrder((object as Record<string, unknown>)[key], depth + 1)) return false;
  }
  return true;
}

function isPlain(object: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(object);
  return prototype === Object.prototype || prototype === null;
}

interface Frame {
  readonly value: object;
  /** Sorted; undefined for an array. */
  readonly keys: readonly string[] | undefined;
  readonly length: number;
  next: number;
}

/** The general way: depth first with a stack of our own. */
function write(root: unknown): string {
  const frames: Frame[] = [];
  const ancestors = new Set<object>();
  let text = '';

  const open = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) {
      text += scalarText(value, frames);
      return;
    }
    if (ancestors.has(value)) refuse('value contains itself', frames);
    const frame = frameOf(value, frames);
    ancestors.add(value);
    frames.push(frame);
    text += frame.keys ? '{' : '[';
  };

  open(root);
  for (let frame = frames.at(-1); frame; frame = frames.at(-1)) {
    if (frame.next === frame.length) {
      text += frame.keys ? '}' : ']';
      frames.pop();
      ancestors.delete(frame.value);
      continue;
    }
    const index = frame.next++;
    if (index > 0) text += ',';
    const key = frame.keys?.[index];
    if (key === undefined) {
      open((frame.value as readonly unknown[])[index]);
    } else {
      text += `${stringText(key, frames)}:`;
      open((frame.value as Record<string, unknown>)[key]);
    }
  }
  return text;
}

function frameOf(value: object, frames: readonly Frame[]): Frame {
  if (Array.isArray(value)) {
    if (Object.getPrototypeOf(value) !== Array.prototype) refuse('array of a class', frames);
    return { value, keys: undefined, length: value.length, next: 0 };
  }
  if (!isPlain(value)) refuse('object is not plain', frames);
  // RFC 8785, 3.2.3: by UTF-16 code units, which is what sort() without a comparer does.
  const keys = Object.keys(value).sort();
  return { value, keys, length: keys.length, next: 0 };
}

function scalarText(value: unknown, frames: readonly Frame[]): string {
  if (value === null) return 'null';
  switch (typeof value) {
    case 'string':
      return stringText(value, frames);
    case 'number':
      if (!isCanonicalNumber(value)) refuse('number is not finite or past 2^53 - 1', frames);
      return canonicalNumber(value);
    case 'boolean':
      return value ? 'true' : 'false';
    default:
      return refuse(`${typeof value} has no JSON`, frames);
  }
}

function stringText(value: string, frames: readonly Frame[]): string {
  if (!NEEDS_ESCAPE.test(value)) return `"${value}"`;
  if (!value.isWellFormed()) refuse('lone surrogate', frames);
  return JSON.stringify(value);
}

/** Keys may be personal, so the message gives positions only. */
function refuse(reason: string, frames: readonly Frame[]): never {
  const path = frames.slice(0, 32).map((frame) => frame.next - 1);
  throw new CanonicalJsonError(`${reason}, at position /${path.join('/')}`);
}
