/**
 * Whether a gateway can do its work: the slices' own checks, and whether their evidence can be
 * written. `/readyz` is called every few seconds without a credential, so the checks are cheap.
 *
 * The disk counts where the evidence is on it. With MongoDB only uploads need it, and they are
 * answered with 507: screening goes on.
 */
import type { HeadGuard } from '#core/audit';
import { type DiskLook, diskRefusal } from '#platform/diskRoom';
import type { Storage } from '../../storage/index.ts';

export interface ReadinessOf {
  /** Each says why its slice cannot work now; undefined where it can. */
  readonly slices: readonly (() => Promise<string | undefined>)[];
  readonly storage: Pick<Storage, 'ping'>;
  /** Chains that nothing can be signed in: behind their checkpoints, or one of these is forged. */
  readonly headGuard: Pick<HeadGuard, 'behind'>;
  /** Where the evidence is written; undefined where that is another machine's. */
  readonly evidenceDirectory: string | undefined;
  readonly look?: DiskLook;
}

/** Why it is not ready; undefined once it is. */
export async function readinessOf(of: ReadinessOf): Promise<string | undefined> {
  for (const look of of.slices) {
    const reason = await look();
    if (reason !== undefined) return reason;
  }
  try {
    await of.storage.ping();
  } catch {
    return 'the store does not answer';
  }
  const unsignable = await of.headGuard.behind();
  const altered = unsignable.filter(({ isAltered }) => isAltered).length;
  if (altered > 0) {
    return `a checkpoint is not what was signed: ${altered} chains cannot be signed`;
  }
  if (unsignable.length > 0) {
    return `the store is older than its checkpoints: ${unsignable.length} chains cannot be signed`;
  }
  if (of.evidenceDirectory === undefined) return undefined;
  const refusal = await diskRefusal(of.evidenceDirectory, of.look);
  return refusal && `the data disk: ${refusal}`;
}
