/** What Unihan says of characters that names need: sounds, and the simplified character. */
import { readFileSync } from 'node:fs';
import { hongKong } from './chineseSpellings.ts';

/** Readings by character. */
export interface Unihan {
  readonly cantonese: ReadonlyMap<string, string>;
  /** In Hangul. */
  readonly korean: ReadonlyMap<string, string>;
  readonly simplified: ReadonlyMap<string, string>;
  /** Syllables of Pinyin without tones. */
  readonly pinyin: readonly string[];
}

function toneless(text: string): string {
  return text
    .normalize('NFD')
    .replace(/[\u0300-\u0307\u0309-\u036f]/g, '')
    .replaceAll('u\u0308', 'u');
}

/** Reads the grouped XML of the UCD, line by line. */
export function readUnihan(file: string): Unihan {
  const cantonese = new Map<string, string>();
  const korean = new Map<string, string>();
  const simplified = new Map<string, string>();
  const pinyin = new Set<string>();
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const codePoint = /<char cp="([0-9A-F]{4,5})"/.exec(line)?.[1];
    if (codePoint === undefined || !line.includes(' kMandarin="')) continue;
    const char = String.fromCodePoint(Number.parseInt(codePoint, 16));
    const value = (name: string) => new RegExp(` ${name}="([^" ]+)`).exec(line)?.[1];
    const jyutping = value('kCantonese')?.replace(/\d$/, '');
    const hangul = value('kHangul')?.split(':')[0];
    const simple = value('kSimplifiedVariant')?.slice(2);
    const mandarin = value('kMandarin');
    if (jyutping !== undefined) cantonese.set(char, hongKong(jyutping));
    if (hangul !== undefined) korean.set(char, hangul);
    if (simple !== undefined) {
      const plain = String.fromCodePoint(Number.parseInt(simple, 16));
      if (plain !== char) simplified.set(char, plain);
    }
    if (mandarin !== undefined) pinyin.add(toneless(mandarin));
  }
  return { cantonese, korean, pinyin: [...pinyin], simplified };
}
