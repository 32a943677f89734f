/**
 * Whether a gateway can do its work: screen, and write the evidence of it. `/readyz` asks every few
 * seconds and needs no credential, so nothing here costs more than a look.
 *
 * The disk counts where the evidence is on it. With MongoDB only uploads need it, and they are told
 * by 507: screening goes on.
 */
import { type DiskLook, diskRefusal } from '#platform/diskRoom';
import type { Storage } from '../../storage/index.ts';
import type { ScreeningParts } from '../screening.ts';

export interface ReadinessOf {
  readonly lists: Pick<ScreeningParts['lists'], 'current'>;
  readonly storage: Pick<Storage, 'ping'>;
  /** Where the evidence is written; undefined where that is another machine's. */
  readonly evidenceDirectory: string | undefined;
  readonly look?: DiskLook;
}

/** Why it is not ready; undefined once it is. */
export async function readinessOf(of: ReadinessOf): Promise<string | undefined> {
  const { lists, unloaded } = of.lists.current();
  if (unloaded.length > 0) return `published and not loaded: ${unloaded.join(', ')}`;
  if (lists.length === 0) return 'no list is loaded';
  try {
    await of.storage.ping();
  } catch {
    return 'the store does not answer';
  }
  if (of.evidenceDirectory === undefined) return undefined;
  const refusal = await diskRefusal(of.evidenceDirectory, of.look);
  return refusal && `the data disk: ${refusal}`;
}
