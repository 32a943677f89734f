/** Instants as options: RFC 3339 in UTC alone, as the API takes them: no zone is guessed. */
import type { EpochMs } from '#platform/clock';
import { UsageError } from './command.ts';

const INSTANT = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{3})?Z$/;

/** `option` is its name without dashes. Throws UsageError. */
export function instantGiven(text: string, option: string): EpochMs {
  const at = INSTANT.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(at)) return at as EpochMs;
  throw new UsageError(`--${option}: expected a time in UTC, e.g. 2026-12-31T00:00:00Z`);
}
