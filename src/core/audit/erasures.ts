/**
 * Which events have lost their open members by an erasure that is on record. Open members stand
 * beside the hash, so whoever can write the database can take them away, and the chain still
 * verifies: absent they may only be where a later signed entry says that they were erased.
 */
import type { ChainId } from '#core/kernel';
import { entryPages, storedMembers } from './entrySearch.ts';
import type { KeyRing } from './keyRing.ts';
import type { AuditStore } from './ports.ts';
import { verifiedEvent } from './verifiedEvent.ts';

/** Action of the entry of an erasure; its member `erased_seq` names the event. */
export const ERASED_ACTION = 'audit.personal_data.erased';
/** Chains whose erasures a process remembers. */
const CHAINS_MAX = 64;

interface Read {
  /** Entries up to this seq were read. */
  upTo: number;
  /** Seq of the first entry that names an event, by the event's seq. */
  readonly entryOf: Map<number, number>;
}

/** The erasures on record, as one process has read them; each entry is read once. */
export class Erasures {
  readonly #ports: {
    readonly audit: Pick<AuditStore, 'findBySeq' | 'readEvents'>;
    readonly keyRing: KeyRing;
  };
  readonly #read = new Map<ChainId, Read>();

  constructor(ports: {
    readonly audit: Pick<AuditStore, 'findBySeq' | 'readEvents'>;
    readonly keyRing: KeyRing;
  }) {
    this.#ports = ports;
  }

  /** Whether a later entry, verified, says that the open members of this event were erased. */
  async isErased(chainId: ChainId, seq: number): Promise<boolean> {
    const read = this.#read.get(chainId) ?? { entryOf: new Map<number, number>(), upTo: 0 };
    if (!read.entryOf.has(seq)) await this.#readOn(chainId, read);
    const at = read.entryOf.get(seq);
    if (at === undefined || at <= seq) return false;
    const { audit, keyRing } = this.#ports;
    const event = await audit.findBySeq(chainId, at);
    const entry = event && verifiedEvent(event, { chainId, keyRing });
    return entry?.action === ERASED_ACTION && entry.erased_seq === seq;
  }

  async #readOn(chainId: ChainId, read: Read): Promise<void> {
    const range = { action: ERASED_ACTION, chainId, fromSeq: read.upTo + 1 };
    for await (const page of entryPages(this.#ports.audit, range)) {
      for (const event of page) {
        const { erased_seq } = storedMembers(event);
        if (typeof erased_seq === 'number' && !read.entryOf.has(erased_seq)) {
          read.entryOf.set(erased_seq, event.seq);
        }
        read.upTo = Math.max(read.upTo, event.seq);
      }
    }
    this.#read.delete(chainId);
    this.#read.set(chainId, read);
    const [oldest] = this.#read.keys();
    if (this.#read.size > CHAINS_MAX && oldest !== undefined) this.#read.delete(oldest);
  }
}
