/**
 * Numbers that identify one party: passports, registrations, national ids, IMO numbers of vessels,
 * BICs of banks.
 * Lists and customers write them with other spaces, dashes and cases, so they are compared by their
 * letters and digits. An index holds 64 bits of hash of each, and no text.
 */

/** A number and the 64 bits that an index has of it. */
export interface IdentifierHash {
  readonly key: number;
  readonly check: number;
}

/** Shorter numbers, and words without a number, are shared by many. */
const LETTERS_MIN = 6;
const LETTERS_MAX = 64;
const DIGITS_MIN = 4;
const IMO_DIGITS = 7;
const IMO_CHECKED = 6;

function isDigit(unit: number): boolean {
  return unit >= 48 && unit <= 57;
}

function isCapital(unit: number): boolean {
  return unit >= 65 && unit <= 90;
}

/** Whether seven digits are an IMO number: the last one checks the others. */
export function isImoNumber(text: string): boolean {
  if (text.length !== IMO_DIGITS || ![...text].every((char) => isDigit(char.charCodeAt(0)))) {
    return false;
  }
  let sum = 0;
  for (let at = 0; at < IMO_CHECKED; at++) sum += Number(text.charAt(at)) * (IMO_DIGITS - at);
  return sum % 10 === Number(text.charAt(IMO_CHECKED));
}

/** The letters and digits of a number, upper case; empty where it identifies nobody. */
export function foldIdentifier(text: string): string {
  let out = '';
  let digits = 0;
  for (const char of text
    .slice(0, 2 * LETTERS_MAX)
    .normalize('NFKC')
    .toUpperCase()) {
    const unit = char.charCodeAt(0);
    if (isDigit(unit)) digits += 1;
    else if (!isCapital(unit)) continue;
    out += char;
  }
  const imo = out.startsWith('IMO') ? out.slice(3) : '';
  if (isImoNumber(imo)) return imo;
  const tells = out.length >= LETTERS_MIN && out.length <= LETTERS_MAX && digits >= DIGITS_MIN;
  return tells ? out : '';
}

const BIC = /^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}(?:[A-Z0-9]{3})?$/;
/** Letters of a BIC that name the bank; behind them stands its branch. */
const BANK_LETTERS = 8;

/**
 * The bank of a BIC, whichever of its branches; empty for what is none. It has a blank, so that no
 * folded number is the same text: re-rankers read no BICs, and score as they did before there were
 * any.
 */
export function bankOfBic(text: string): string {
  const bic = text.normalize('NFKC').toUpperCase().replaceAll(/\s/g, '');
  return BIC.test(bic) ? `BIC ${bic.slice(0, BANK_LETTERS)}` : '';
}

/** IMO numbers in a name as typed: seven digits behind the word IMO. */
export function imoNumbersIn(name: string): string[] {
  const words = name
    .normalize('NFKC')
    .toUpperCase()
    .split(/[^A-Z0-9]+/);
  return words.flatMap((word, at) => {
    const number = word.startsWith('IMO') ? word.slice(3) : words[at - 1] === 'IMO' ? word : '';
    return isImoNumber(number) ? [number] : [];
  });
}

function hashOf(text: string, seed: number): number {
  let hash = seed;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  return hash >>> 0;
}

/** The hash of a folded number. */
export function hashIdentifier(folded: string): IdentifierHash {
  return { check: hashOf(folded, 0x811c9dc5), key: hashOf(folded, 0x2545f491) };
}
