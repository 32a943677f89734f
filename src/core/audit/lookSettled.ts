/**
 * A look that compares records with the entries about them. Where the store has no transactions an
 * entry is there a moment before its record is, and stays so where its writer died in between. So a
 * refusal counts only when it is found again after such a commit was finished.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { ChainId } from '#core/kernel';
import type { AuditStore } from './ports.ts';

const TRIES = 3;
const TRY_PAUSE_MS = 20;

/** What a look has found, and why it is not what was signed. */
export interface Looked<Found> {
  readonly found: Found;
  readonly refusal: string | undefined;
  /** Whose commits are to be finished where there is a refusal. */
  readonly chainId: ChainId;
}

/** The store, with its heads where it may be written. */
export type SettlingAudit = Partial<Pick<AuditStore, 'releaseHead' | 'takeHead'>>;

/** The last look; it is the first one where that has no refusal. */
export async function lookSettled<Found>(
  audit: SettlingAudit,
  look: () => Promise<Looked<Found>>,
): Promise<Looked<Found>> {
  for (let tries = 1; ; tries++) {
    const looked = await look();
    if (looked.refusal === undefined || tries === TRIES) return looked;
    if (tries === 1) await settle(audit, looked.chainId);
    await pause(TRY_PAUSE_MS);
  }
}

/**
 * Finishes what a writer that died has left between an entry and its record. A writer that lives
 * finishes it itself; it is not made to hand the head to a look, which would not be there to take
 * it.
 */
async function settle(audit: SettlingAudit, chainId: ChainId): Promise<void> {
  const holder = `state/${process.pid}`;
  const ask = { chainId, holder, isPassing: true, ttlMs: 1_000 } as const;
  const lease = await audit.takeHead?.(ask);
  if (lease !== undefined) await audit.releaseHead?.(lease);
}
