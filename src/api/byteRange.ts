/**
 * One range of bytes of a request (RFC 9110, 14). An unreadable range is ignored, as the RFC says.
 */
import { DomainError } from '#core/kernel';

/** Numbers may have any length: one too large to count is past the end, too. */
const RANGE = /^bytes=([0-9]+)?-([0-9]+)?$/;

/**
 * First and last byte; undefined: all of it, also for several ranges at once. Throws
 * `range-unsatisfiable` for a range past the end.
 */
export function rangeOf(
  header: string | undefined,
  size: number,
): { readonly from: number; readonly to: number } | undefined {
  const [, first, last] = RANGE.exec(header ?? '') ?? [];
  if (first === undefined && last === undefined) return undefined;
  // `-500` means the last 500.
  const from = first === undefined ? Math.max(0, size - Number(last)) : Number(first);
  const to =
    first === undefined || last === undefined ? size - 1 : Math.min(Number(last), size - 1);
  if (first !== undefined && last !== undefined && Number(last) < Number(first)) return undefined;
  if (from >= size) throw new DomainError('range-unsatisfiable', { detail: `bytes */${size}` });
  return { from, to };
}
