/**
 * W3C Trace Context, level 2: `traceparent` in and out. `tracestate` is not passed on, as the
 * standard permits: it is a stranger's free text, and no vendor of ours has an entry in it.
 */

export interface TraceContext {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits. */
  readonly spanId: string;
  readonly isSampled: boolean;
}

const HEADER_CHARS_MAX = 128;
const VERSION_00 = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
/** A later version may have more members behind these four; ff is none. */
const LATER = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;
const SAMPLED = 1;
const ZEROS = /^0+$/;

/** Undefined for whatever is not exactly as the standard has it. */
export function parseTraceparent(header: string | undefined): TraceContext | undefined {
  if (header === undefined || header.length > HEADER_CHARS_MAX) return undefined;
  const text = header.trim();
  const [, traceId, spanId, flags] = (text.startsWith('00-') ? VERSION_00 : LATER).exec(text) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  if (ZEROS.test(traceId) || ZEROS.test(spanId)) return undefined;
  return { isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED, spanId, traceId };
}

export const traceparentOf = ({ isSampled, spanId, traceId }: TraceContext): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
