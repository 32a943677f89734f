/** Entries of a tenant's chain about re-screening, each verified as it is read. */
import {
  type AuditStore,
  entryPages,
  type JsonRecord,
  type KeyRing,
  lookSettled,
  type SettlingAudit,
  seqSince,
  verifiedEvent,
} from '#core/audit';
import { chainOf, DomainError, type TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';

/** Which entries. */
export interface EntriesOf {
  readonly action: `SANCTIONS_${string}`;
  readonly fromSeq: number;
  /** Inclusive; absent: to the head. */
  readonly toSeq?: number;
}

/** An entry with its place. */
export interface PlacedEntry {
  readonly entry: JsonRecord;
  readonly seq: number;
}

/** How records are compared with the chain. */
export interface SignedEntries {
  /** Ascending. Throws `evidence-altered` at one that is not what was signed. */
  read(tenantId: TenantId, of: EntriesOf): AsyncIterable<PlacedEntry>;
  /** A seq before which nothing happened then or later, but for clocks that differ. */
  since(tenantId: TenantId, at: EpochMs): Promise<number>;
  /** Looks again where something is refused, once a commit under way is finished. */
  settled<Found>(
    tenantId: TenantId,
    look: () => Promise<{ readonly found: Found; readonly isRefused: boolean }>,
  ): Promise<Found>;
}

/** What the chain is read with. */
export interface SignedEntryPorts {
  readonly audit: Pick<AuditStore, 'findBySeq' | 'head' | 'readEvents'> & SettlingAudit;
  readonly keyRing: KeyRing;
}

/** Over the store; for a process. */
export const signedEntries = ({ audit, keyRing }: SignedEntryPorts): SignedEntries => ({
  async *read(tenantId, range) {
    const chainId = chainOf(tenantId);
    for await (const page of entryPages(audit, { ...range, chainId })) {
      for (const event of page) {
        const entry = verifiedEvent(event, { chainId, keyRing });
        if (entry?.seq !== event.seq) {
          const detail = `event ${event.seq} of ${chainId}: it is not what was signed`;
          throw new DomainError('evidence-altered', { detail });
        }
        yield { entry, seq: event.seq };
      }
    }
  },
  async settled(tenantId, look) {
    const looked = await lookSettled(audit, async () => {
      const { found, isRefused } = await look();
      return { chainId: chainOf(tenantId), found, refusal: isRefused ? 'altered' : undefined };
    });
    return looked.found;
  },
  since: (tenantId, at) => seqSince(audit, chainOf(tenantId), at),
});
