/**
 * How far this process's clock is ahead of another one: the store's, or Redis's. No lease depends
 * on it. But times of evidence, of keys and of tokens do, and whoever reads logs of several hosts
 * compares them.
 */
import type { Clock } from './clock.ts';

/** Milliseconds by which two clocks may differ before it is worth a word. */
export const CLOCK_OFFSET_MS_MAX = 1_000;

export interface ClockOffset {
  /** Negative: this process's clock is behind. */
  readonly aheadMs: number;
  /** Half the time that asking took: the other clock was read somewhere within it. */
  readonly unsureMs: number;
}

/** Undefined where the other side has no clock of its own. */
export async function clockOffset(
  clock: Pick<Clock, 'monotonicMs' | 'now'>,
  ask: () => Promise<number | undefined>,
): Promise<ClockOffset | undefined> {
  const [askedAt, askedMs] = [clock.now(), clock.monotonicMs()];
  const theirs = await ask();
  if (theirs === undefined) return undefined;
  const unsureMs = (clock.monotonicMs() - askedMs) / 2;
  return { aheadMs: askedAt + unsureMs - theirs, unsureMs };
}

/**
 * Milliseconds that it is ahead at the least, however long the answer was under way: a busy host is
 * no wrong clock. Negative: behind.
 */
export const leastAheadMs = ({ aheadMs, unsureMs }: ClockOffset): number =>
  Math.sign(aheadMs) * Math.max(0, Math.abs(aheadMs) - unsureMs);

/** Whether the clocks differ, however long the answer was under way. */
export const isOff = ({ aheadMs, unsureMs }: ClockOffset): boolean =>
  Math.abs(aheadMs) - unsureMs > CLOCK_OFFSET_MS_MAX;

/** For a log, or a person. */
export function offsetText({ aheadMs }: ClockOffset, whose: string): string {
  const seconds = Math.abs(aheadMs / 1_000).toFixed(1);
  const place = aheadMs < 0 ? 'behind' : 'ahead of';
  return `this host's clock is ${seconds} s ${place} that of ${whose}`;
}

/** Another clock differs. */
export class ClockOff extends Error {
  override readonly name = 'ClockOff';
}

/** The finding, with a word on the clock. Throws ClockOff where they differ. */
export function refuseOffset(
  finding: string,
  offset: ClockOffset | undefined,
  whose: string,
): string {
  if (offset === undefined) return finding;
  if (isOff(offset)) throw new ClockOff(`${offsetText(offset, whose)}; set them by one source`);
  return `${finding}, and its clock agrees`;
}
