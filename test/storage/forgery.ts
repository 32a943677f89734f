/** Records on a real store with their entries, and records that were written past the service. */
import { createAuditLog, type Entry, entry, newKeyRing } from '#core/audit';
import type { ChainId, TableChange } from '#core/kernel';
import { systemClock } from '#platform/clock';
import { systemRandom } from '#platform/random';
import { seededSigner } from '../core/audit/drafts.ts';
import type { MakeHarness } from './contract/harness.ts';

const signer = seededSigner('forgery');

export type Forgery = Awaited<ReturnType<typeof openForgery>>;

export async function openForgery(makeHarness: MakeHarness) {
  const harness = await makeHarness();
  const storage = await harness.open();
  const clock = systemClock;
  const commit = async (
    chainId: ChainId,
    told: Partial<Pick<Entry, 'actor' | 'members' | 'open'>> & {
      readonly action: string;
      readonly target: string;
    },
    ...changes: readonly TableChange[]
  ): Promise<void> => {
    const of = { actor: 'cli:test', ...told } as Entry;
    const event = entry({ clock, random: systemRandom }, of);
    const holder = `test/${crypto.randomUUID()}`;
    const store = storage.audit;
    const log = createAuditLog({ clock, holder, random: systemRandom, signer, store });
    await log.commit(chainId, { bus: [], changes, events: [event] });
    await log.close();
  };
  return {
    audit: storage.audit,
    clock,
    /** As the service does it: the changes with the entry that tells of them. */
    commit,
    /** The store takes it, and no entry tells of it. */
    forge: (chainId: ChainId, ...changes: readonly TableChange[]) =>
      commit(chainId, { action: 'case.reassigned', target: 'something else' }, ...changes),
    keyRing: newKeyRing(signer.publicKey),
    storage,
    tables: storage.tables,
    async close(): Promise<void> {
      await storage.close();
      await harness.dispose();
    },
  };
}
