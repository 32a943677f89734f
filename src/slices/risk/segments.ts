/** Segments of clients: `country:TN`, `channel:api`, `product:…`. */
import type { Facts } from './facts.ts';
import { FACT_CHARS_MAX } from './limits.ts';

/** Kinds of segments. */
export const SEGMENT_KINDS = ['country', 'channel', 'product'] as const;
const NAME = `[^\\u0000-\\u001f]{1,${FACT_CHARS_MAX}}`;
/** What a segment is written like. */
export const SEGMENT_PATTERN = `^(${SEGMENT_KINDS.join('|')}):${NAME}$`;

/** All that a client of these facts is in. */
export function segmentsOf(facts: Facts): readonly string[] {
  const products = facts['product.codes'];
  return [
    ...named('country', facts['geo.residence']),
    ...named('channel', facts['channel.onboarding']),
    ...(Array.isArray(products) ? products.flatMap((one) => named('product', one)) : []),
  ];
}

const named = (kind: (typeof SEGMENT_KINDS)[number], value: unknown): string[] =>
  value === undefined ? [] : [`${kind}:${String(value)}`];

/** Whether a client is in one of the wanted segments of each kind that is wanted. */
export function isOfSegments(
  segments: readonly string[],
  wanted: readonly string[] | undefined,
): boolean {
  if (wanted === undefined) return true;
  return SEGMENT_KINDS.every((kind) => {
    const ofKind = wanted.filter((one) => one.startsWith(`${kind}:`));
    return ofKind.length === 0 || ofKind.some((one) => segments.includes(one));
  });
}
