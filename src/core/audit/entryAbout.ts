/**
 * What a signed entry tells of a thing, for who heard of it from elsewhere: the outbox and the
 * tables say which entry it is, and what is told on is what was signed.
 */
import { type ChainId, DomainError } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { findEntryNear, storedMembers } from './entrySearch.ts';
import type { KeyRing } from './keyRing.ts';
import type { AuditStore, SealedEvent } from './ports.ts';
import { verifiedEvent } from './verifiedEvent.ts';
import type { JsonRecord } from './verifyEvent.ts';

/** Which entry. */
export interface EntryAbout {
  readonly chainId: ChainId;
  /** One of these. */
  readonly actions: readonly string[];
  /** Absent: `isIt` says which. */
  readonly target?: string;
  readonly isIt?: (members: JsonRecord) => boolean;
  /** When it was written, about: it is looked for there first. */
  readonly near: EpochMs;
}

/** What the chain is read with. */
export interface EntryPorts {
  readonly audit: Pick<AuditStore, 'findBySeq' | 'head' | 'lastEntries' | 'readEvents'>;
  readonly keyRing: KeyRing;
}

/** Its members, as they were signed. Throws `evidence-altered` where no entry tells of it. */
export async function entryAbout(ports: EntryPorts, of: EntryAbout): Promise<JsonRecord> {
  const entry = await findEntryAbout(ports, of);
  if (entry !== undefined) return entry;
  const { actions, chainId, target = 'it' } = of;
  const detail = `chain ${chainId}: no signed ${actions.join(', ')} tells of ${target}`;
  throw new DomainError('evidence-altered', { detail });
}

/** The same; undefined where there is none, or what is found is not what was signed. */
export async function findEntryAbout(
  { audit, keyRing }: EntryPorts,
  { actions, chainId, isIt = () => true, near, target }: EntryAbout,
): Promise<JsonRecord | undefined> {
  const tells = (members: JsonRecord): boolean =>
    actions.includes(String(members.action)) &&
    (target === undefined || members.target === target) &&
    isIt(members);
  const verified = (event: SealedEvent | undefined): JsonRecord | undefined => {
    const entry = event && verifiedEvent(event, { chainId, keyRing });
    return entry !== undefined && tells(entry) ? entry : undefined;
  };
  if (target !== undefined) {
    // As a rule nothing has happened to it since.
    const last = verified((await audit.lastEntries({ chainId, targets: [target] }))[0]);
    if (last !== undefined) return last;
  }
  for (const action of actions) {
    const isTold = (event: SealedEvent): boolean => tells(storedMembers(event));
    const found = verified(await findEntryNear(audit, chainId, { action, isIt: isTold, near }));
    if (found !== undefined) return found;
  }
  return undefined;
}
