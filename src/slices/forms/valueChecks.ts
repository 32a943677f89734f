/** Numbers with check digits, and the lines of travel documents, as far as their digits tell. */
import type { ValueCheck } from './definition.ts';

const RNE_TN = /^\d{7}[ABCDEFGHJKLMNPQRSTVWXYZ](\/[A-Z]\/[A-Z]\/\d{3})?$/;
const SIREN = /^\d{9}$/;
const IBAN = /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/;

/** Whether the value passes. Spaces between groups count for nothing, but for lines. */
export function passesCheck(check: ValueCheck, value: string): boolean {
  if (check === 'mrz') return isMrz(value);
  const text = value.replaceAll(' ', '').toUpperCase();
  switch (check) {
    // Its key letter is a warning of the registry's lookup: no official text of the rule is known.
    case 'rne_tn':
      return RNE_TN.test(text);
    case 'siren':
      return SIREN.test(text) && isLuhn(text);
    case 'iban':
      return IBAN.test(text) && isMod97(text.slice(4) + text.slice(0, 4));
    case 'luhn':
      return /^\d{2,64}$/.test(text) && isLuhn(text);
  }
}

function isLuhn(digits: string): boolean {
  let sum = 0;
  for (let at = 0; at < digits.length; at++) {
    const digit = Number(digits[digits.length - 1 - at]);
    const doubled = at % 2 === 0 ? digit : digit * 2;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

function isMod97(text: string): boolean {
  let rest = 0;
  for (const character of text) {
    const value = Number.parseInt(character, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}

/** Where the number, the birth and the expiry stand, each with its digit behind it. */
const LAYOUTS: readonly {
  readonly lines: number;
  readonly length: number;
  readonly digits: readonly (readonly [line: number, from: number, to: number])[];
}[] = [
  {
    digits: [
      [0, 5, 14],
      [1, 0, 6],
      [1, 8, 14],
    ],
    length: 30,
    lines: 3,
  },
  {
    digits: [
      [1, 0, 9],
      [1, 13, 19],
      [1, 21, 27],
    ],
    length: 36,
    lines: 2,
  },
  {
    digits: [
      [1, 0, 9],
      [1, 13, 19],
      [1, 21, 27],
    ],
    length: 44,
    lines: 2,
  },
];

function isMrz(value: string): boolean {
  const lines = value.split(/\r?\n/);
  if (lines.some((line) => !/^[A-Z0-9<]{30,44}$/.test(line))) return false;
  const layout = LAYOUTS.find(
    (one) => one.lines === lines.length && lines.every((line) => line.length === one.length),
  );
  if (layout === undefined) return false;
  return layout.digits.every(([line, from, to]) => {
    const text = lines[line] ?? '';
    const digit = text[to];
    const sum = digitOf(text.slice(from, to));
    // A TD1 number over nine characters goes on elsewhere, and has its digit there.
    return digit === String(sum) || (digit === '<' && line === 0);
  });
}

const WEIGHTS = [7, 3, 1] as const;

const digitOf = (text: string): number =>
  [...text].reduce((sum, character, at) => {
    const value = character === '<' ? 0 : Number.parseInt(character, 36);
    return sum + value * (WEIGHTS[at % 3] ?? 0);
  }, 0) % 10;
