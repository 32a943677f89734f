/** Attributes of entities and queries as small numbers. */

/** A query's schema filters by equality; without one all are sought, vessels and aircraft too. */
export const SCHEMA_CODE = { Person: 1, Company: 2, Other: 3 } as const;

/** ISO 3166 alpha-2 as a number that is never 0; 0 for anything else. */
export function nationCodeOf(nation: string): number {
  const code = nation.trim().toUpperCase();
  return code.length === 2 ? (code.charCodeAt(0) << 8) | code.charCodeAt(1) : 0;
}
