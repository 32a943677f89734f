/** Attributes of entities and queries as small numbers. */

/** A query's schema filters by equality; without one all are sought, vessels and aircraft too. */
export const SCHEMA_CODE = { Person: 1, Company: 2, Other: 3 } as const;

/** ISO 3166 alpha-2 as a number that is never 0; 0 for anything else. */
export function nationCodeOf(nation: string): number {
  if (isPlain(nation)) return (nation.charCodeAt(0) << 8) | nation.charCodeAt(1);
  const code = nation.trim().toUpperCase();
  return code.length === 2 ? (code.charCodeAt(0) << 8) | code.charCodeAt(1) : 0;
}

/** As published mostly: two capitals. */
function isPlain(nation: string): boolean {
  return nation.length === 2 && isCapital(nation.charCodeAt(0)) && isCapital(nation.charCodeAt(1));
}

function isCapital(unit: number): boolean {
  return unit >= 0x41 && unit <= 0x5a;
}
