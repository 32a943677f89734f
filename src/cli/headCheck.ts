/**
 * `doctor` on the heads of chains: who keeps them, and whether somebody waits for one that stands
 * still. Silence is seen by looking more than once; no wall clock tells how old a lease is.
 */
import type { HeldHead } from '#core/audit';

export interface HeadStore {
  heldHeads(): Promise<readonly HeldHead[]>;
}

const LOOK_MS = 250;
/** Who waits takes a silent head over after three seconds: after these, nobody can. */
const STILL_MS = 5_000;
/** Heads that are named; more would be a list that nobody reads. */
const NAMED_MAX = 5;

/** Answers what is kept; throws where a head is waited for and does not move. */
export async function checkHeads(
  store: HeadStore,
  pause: (ms: number) => Promise<unknown>,
): Promise<string> {
  const held = await store.heldHeads();
  let still = held.filter(({ waiting }) => waiting > 0);
  const isWaited = still.length > 0;
  for (let waitedMs = 0; still.length > 0 && waitedMs < STILL_MS; waitedMs += LOOK_MS) {
    await pause(LOOK_MS);
    const now = new Map((await store.heldHeads()).map((one) => [one.chainId, one]));
    still = still.filter(({ chainId, pulse }) => now.get(chainId)?.pulse === pulse);
  }
  if (still.length > 0) {
    throw new Error(
      `${namedHeads(still)}: not moved for ${STILL_MS / 1_000} s; end the process that keeps it, ` +
        'and see docs/runbooks/HeadsMissed.md',
    );
  }
  if (held.length === 0) return 'nobody keeps one';
  return isWaited ? `${namedHeads(held)}; they move` : namedHeads(held);
}

function namedHeads(heads: readonly HeldHead[]): string {
  const named = heads.slice(0, NAMED_MAX).map(({ chainId, holder, waiting }) => {
    const line = waiting === 0 ? '' : `, ${waiting} waiting`;
    return `${chainId} is kept by ${holder}${line}`;
  });
  const more = heads.length - named.length;
  return [...named, ...(more > 0 ? [`${more} more`] : [])].join('; ');
}
