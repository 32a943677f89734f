/**
 * Headers of operations that will be removed (decisions 1.7): Deprecation (RFC 9745), Sunset (RFC
 * 8594) and Link. Driven by config/deprecations.json; a wrong line stops the start. The code, not
 * the table, ensures that removal comes six months after the announcement at the earliest.
 */
import assert from 'node:assert/strict';

export interface Deprecation {
  /** `operationId` of the API description. */
  readonly operation: string;
  /** RFC 3339 UTC: since when, or from when. */
  readonly deprecatedAt: string;
  /** A page that says what to use instead: https, or a path of ours. */
  readonly link: string;
}

export interface DeprecationTable {
  readonly deprecations: readonly Deprecation[];
}

export const SUNSET_AFTER_MONTHS = 6;

type Header = readonly [name: string, value: string];
const NONE: readonly Header[] = [];

/** The headers of an operation; none for most. */
export function createDeprecations(
  table: DeprecationTable,
  operations: readonly { readonly id: string }[],
): (operationId: string) => readonly Header[] {
  const known = new Set(operations.map(({ id }) => id));
  const headers = new Map<string, readonly Header[]>();
  for (const line of table.deprecations) {
    assert(known.has(line.operation), `deprecations: no operation '${line.operation}'`);
    assert(!headers.has(line.operation), `deprecations: '${line.operation}' stands there twice`);
    headers.set(line.operation, headersOf(line));
  }
  return (operationId) => headers.get(operationId) ?? NONE;
}

function headersOf({ deprecatedAt, link, operation }: Deprecation): Header[] {
  const at = new Date(deprecatedAt);
  assert(!Number.isNaN(at.getTime()), `deprecations: ${operation}: deprecatedAt: expected a date`);
  assert(/^(https:\/|)\/[\x21-\x7e]+$/.test(link), `deprecations: ${operation}: link`);
  return [
    ['deprecation', `@${Math.floor(at.getTime() / 1000)}`],
    ['sunset', sunsetOf(at).toUTCString()],
    ['link', `<${link}>; rel="deprecation"`],
  ];
}

/** Six months on, the same day, or the last one of a shorter month. */
export function sunsetOf(deprecatedAt: Date): Date {
  const sunset = new Date(deprecatedAt);
  sunset.setUTCMonth(sunset.getUTCMonth() + SUNSET_AFTER_MONTHS);
  if (sunset.getUTCDate() !== deprecatedAt.getUTCDate()) sunset.setUTCDate(0);
  return sunset;
}
