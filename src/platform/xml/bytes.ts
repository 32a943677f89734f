/**
 * What each byte of a document means to the scanner, as tables: one look-up decides, and most bytes
 * are PLAIN. The scanner puts a NUL behind the last byte that it has, and NUL is FORBIDDEN in XML:
 * every loop ends there without asking how far it may go.
 */
export const AMPERSAND = 0x26;
export const LESS = 0x3c;
export const GREATER = 0x3e;
export const SLASH = 0x2f;
export const EQUALS = 0x3d;
export const BANG = 0x21;
export const QUESTION = 0x3f;
export const DASH = 0x2d;
export const BRACKET_OPEN = 0x5b;
export const BRACKET_CLOSE = 0x5d;
export const LINE_FEED = 0x0a;
const COLON = 0x3a;

export const PLAIN = 0;
/** `<` in text; both quotes in an attribute's value. */
export const STOP = 1;
export const FORBIDDEN = 2;
/** Every kind from here on is a character that goes on, and is remembered as a flag. */
export const REFERENCE = 3;
/** A byte of a character beyond ASCII. */
export const HIGH = 4;
/** White space that is read as other white space: CR in text; CR, LF and tab in values. */
export const FOLDED = 5;
/** `>` in text, which may end `]]>`; `<` in a value, which may not stand there. */
export const SUSPECT = 6;

/** Bits that say how a slice of the document is decoded. */
export const HAS_REFERENCE = 1;
export const HAS_HIGH = 2;
export const HAS_FOLDED = 4;

/** The flag that a byte of a kind from REFERENCE on adds to its slice. */
export function flagOf(kind: number): number {
  if (kind === HIGH) return HAS_HIGH;
  if (kind === REFERENCE) return HAS_REFERENCE;
  return kind === FOLDED ? HAS_FOLDED : 0;
}

const isControl = (byte: number): boolean =>
  byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d;

function table(kindOf: (byte: number) => number): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) => kindOf(byte));
}

/** Each of these is one byte in UTF-8, so bytes can be compared. */
export const SPACES: Uint8Array = table((byte) =>
  byte === 0x20 || byte === 0x09 || byte === LINE_FEED || byte === 0x0d ? 1 : 0,
);

export const TEXT_KINDS: Uint8Array = table((byte) => {
  if (isControl(byte)) return FORBIDDEN;
  if (byte === LESS) return STOP;
  if (byte === AMPERSAND) return REFERENCE;
  if (byte === 0x0d) return FOLDED;
  if (byte === GREATER) return SUSPECT;
  return byte >= 0x80 ? HIGH : PLAIN;
});

export const VALUE_KINDS: Uint8Array = table((byte) => {
  if (isControl(byte)) return FORBIDDEN;
  if (byte === 0x22 || byte === 0x27) return STOP;
  if (byte === AMPERSAND) return REFERENCE;
  if (byte === 0x09 || byte === LINE_FEED || byte === 0x0d) return FOLDED;
  if (byte === LESS) return SUSPECT;
  return byte >= 0x80 ? HIGH : PLAIN;
});

/** Bytes beyond ASCII may stand in names; which characters, the table of names decides. */
export const NAME_BYTES: Uint8Array = table((byte) => {
  const character = String.fromCharCode(byte);
  return byte === COLON || byte >= 0x80 || /[A-Za-z0-9._-]/.test(character) ? 1 : 0;
});
