/**
 * A model house whose events are sealed and signed as the service seals them, for rules that
 * compare records with the chain: `audit` and `keyRing` read what was committed.
 */
import { type AuditLog, createAuditLog, type KeyRing, newKeyRing } from '#core/audit';
import type { AnyTable } from '#core/kernel';
import { systemClock } from '#platform/clock';
import { systemRandom } from '#platform/random';
import { seededSigner } from '../core/audit/drafts.ts';
import { MemoryAuditStore } from '../core/audit/memoryAuditStore.ts';
import { type ModelHouse, modelHouse } from './modelHouse.ts';

export interface SignedHouse extends ModelHouse {
  readonly audit: MemoryAuditStore;
  readonly keyRing: KeyRing;
}

export function signedHouse(tables: readonly AnyTable[]): SignedHouse {
  const house = modelHouse(tables);
  const audit = new MemoryAuditStore();
  const signer = seededSigner('house');
  const log = createAuditLog({
    clock: systemClock,
    holder: 'house',
    random: systemRandom,
    signer,
    store: audit,
  });
  const commit: AuditLog['commit'] = async (chainId, given) => {
    const done = await house.commit(chainId, given);
    await log.commit(chainId, { bus: [], changes: [], events: given.events });
    return done;
  };
  return { ...house, audit, commit, keyRing: newKeyRing(signer.publicKey) };
}
