/** `Prefer: wait=N` (RFC 7240): how long a caller waits for a decision. */

/** Longer waits are cut to this. */
export const WAIT_S_MAX = 5;

const PREFERENCE = /^wait\s*=\s*"?(\d{1,9})"?$/i;

/** Seconds; 0 where none is preferred. What is not understood is no preference (RFC 7240, 2). */
export function preferredWait(header: string | undefined): number {
  for (const one of header?.split(',') ?? []) {
    const [preference = ''] = one.split(';');
    const [, seconds] = PREFERENCE.exec(preference.trim()) ?? [];
    // The first one of a name counts.
    if (seconds !== undefined) return Math.min(Number(seconds), WAIT_S_MAX);
  }
  return 0;
}
