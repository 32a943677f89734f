/**
 * Events as the service may answer from them: what a key of the ring signed for this chain, with
 * open members that are there or were erased on record. Anything else is refused by name.
 */
import { type ChainId, DomainError } from '#core/kernel';
import { Erasures } from './erasures.ts';
import type { KeyRing } from './keyRing.ts';
import type { AuditStore, SealedEvent } from './ports.ts';
import { verifiedEvent, verifiedEvents } from './verifiedEvent.ts';
import type { JsonRecord } from './verifyEvent.ts';

/** Reads of one process. */
export interface SignedEvents {
  /** The members of an event. Throws `evidence-altered`. */
  read(chainId: ChainId, event: SealedEvent): Promise<JsonRecord>;
  /** The members of each of many. Throws `evidence-altered`. */
  readAll(chainId: ChainId, events: readonly SealedEvent[]): Promise<readonly JsonRecord[]>;
  /** Open members that are not there were erased on record. Throws `evidence-altered`. */
  checkOpen(chainId: ChainId, event: Pick<SealedEvent, 'open' | 'seq'>): Promise<void>;
}

/** One for a process. */
export function signedEvents(ports: {
  readonly audit: Pick<AuditStore, 'findBySeq' | 'readEvents'>;
  readonly keyRing: KeyRing;
}): SignedEvents {
  const erasures = new Erasures(ports);
  const refuse = (chainId: ChainId, seq: number, detail: string): never => {
    throw new DomainError('evidence-altered', { detail: `event ${seq} of ${chainId}: ${detail}` });
  };
  const checkOpen: SignedEvents['checkOpen'] = async (chainId, { open, seq }) => {
    if (open !== undefined || (await erasures.isErased(chainId, seq))) return;
    refuse(chainId, seq, 'its open members are gone, and no entry says that they were erased');
  };
  const requireRead = async (
    chainId: ChainId,
    event: SealedEvent,
    members: JsonRecord | undefined,
  ): Promise<JsonRecord> => {
    if (members === undefined) return refuse(chainId, event.seq, 'it is not what was signed');
    await checkOpen(chainId, event);
    return members;
  };
  return {
    checkOpen,
    read: async (chainId, event) =>
      requireRead(chainId, event, verifiedEvent(event, { chainId, keyRing: ports.keyRing })),
    readAll: async (chainId, events) => {
      const found = await verifiedEvents(events, { chainId, keyRing: ports.keyRing });
      const read: JsonRecord[] = [];
      for (const [place, event] of events.entries()) {
        read.push(await requireRead(chainId, event, found[place]));
      }
      return read;
    },
  };
}
