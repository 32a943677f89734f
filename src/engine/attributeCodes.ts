/** Attributes of entities and queries as small numbers. */

/**
 * Number of an entity's schema. A query's schema filters by equality; a query without one seeks
 * all, vessels and aircraft too.
 */
export const SCHEMA_CODE = { Person: 1, Company: 2, Other: 3 } as const;

/**
 * A nationality as a number of 16 bits: two letters (ISO 3166 alpha-2), upper-cased, the first in
 * the high byte. Never 0 for such a code; 0 for a text of any other length.
 */
export function nationCodeOf(nation: string): number {
  if (isPlain(nation)) return (nation.charCodeAt(0) << 8) | nation.charCodeAt(1);
  const code = nation.trim().toUpperCase();
  return code.length === 2 ? (code.charCodeAt(0) << 8) | code.charCodeAt(1) : 0;
}

/** The usual published form: two capitals. */
function isPlain(nation: string): boolean {
  return nation.length === 2 && isCapital(nation.charCodeAt(0)) && isCapital(nation.charCodeAt(1));
}

function isCapital(unit: number): boolean {
  return unit >= 0x41 && unit <= 0x5a;
}
