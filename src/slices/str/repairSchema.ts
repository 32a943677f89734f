/**
 * An FIU's schema made strict: its patterns as XML Schema has them, and every other byte as it was.
 * What was published is kept beside it, with the digests of both.
 */
import { sha256Hex } from '#platform/crypto';
import { PatternFault, readPattern } from './patternSyntax.ts';

/** A pattern as it was and as it became; null: nothing in XML Schema says it, and it went. */
export interface SchemaRepair {
  readonly pattern: string;
  readonly repaired: string | null;
  readonly why: readonly string[];
  readonly count: number;
}

/** A schema that strict validators read. */
export interface RepairedSchema {
  readonly text: string;
  readonly sha256: string;
  readonly repairs: readonly SchemaRepair[];
}

/** The tag of a pattern, with its value in either quotes. */
const PATTERN_TAG = /<(?:[A-Za-z]+:)?pattern\s[^<>]{0,4000}>/g;
const VALUE = /\bvalue\s?=\s?(?:"([^"]*)"|'([^']*)')/;

export function repairSchema(text: string): RepairedSchema {
  const found = new Map<string, SchemaRepair>();
  const repaired = text.replaceAll(PATTERN_TAG, (tag) => {
    const [, quoted, single] = VALUE.exec(tag) ?? [];
    const written = quoted ?? single;
    if (written === undefined) return tag;
    const pattern = unescaped(written);
    const repair = repairOf(pattern);
    if (repair === undefined) return tag;
    const known = found.get(pattern);
    found.set(pattern, { ...repair, count: (known?.count ?? 0) + 1, pattern });
    // Without an end tag of its own the element is empty, and goes as a whole.
    if (repair.repaired === null) return tag.endsWith('/>') ? '' : tag.replace(VALUE, 'value=".*"');
    const value = escaped(repair.repaired);
    return tag.replace(VALUE, () => `value="${value}"`);
  });
  return { repairs: [...found.values()], sha256: sha256Hex(repaired), text: repaired };
}

function repairOf(pattern: string): Pick<SchemaRepair, 'repaired' | 'why'> | undefined {
  try {
    const { repairs, text } = readPattern(pattern);
    return repairs.size === 0 ? undefined : { repaired: text, why: [...repairs] };
  } catch (error) {
    if (!(error instanceof PatternFault)) throw error;
    return { repaired: null, why: [error.message] };
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&apos;': "'",
  '&gt;': '>',
  '&lt;': '<',
  '&quot;': '"',
};

const unescaped = (text: string): string =>
  text.replaceAll(/&(?:amp|apos|gt|lt|quot);/g, (entity) => ENTITIES[entity] ?? entity);

const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\t', '&#9;')
    .replaceAll('\n', '&#10;');
