/**
 * What was erased on record. Open members stand beside the hash, and keys beside the chain, so
 * whoever can write the database can take them away, and the chain still verifies: absent they may
 * only be where a later signed entry says that they were erased. And what an entry says is erased
 * stays erased, also where an old backup brought it back.
 */
import type { ChainId } from '#core/kernel';
import { entryPages, storedMembers } from './entrySearch.ts';
import type { KeyRing } from './keyRing.ts';
import type { AuditStore } from './ports.ts';
import { verifiedEvent } from './verifiedEvent.ts';

/**
 * Action of the entry of an erasure. Its member `erased_seq` names an event, or `erased_in` and
 * `ordinals` the parts of a thing.
 */
export const ERASED_ACTION = 'audit.personal_data.erased';
/** Action of the receipt for a person who was erased as a whole. */
export const PERSON_ERASED_ACTION = 'privacy.subject.erased';
/** Chains whose erasures a process remembers. */
const CHAINS_MAX = 64;

/** Parts of one thing, as entries name them. */
interface Parts {
  /** Entries that are not verified yet. */
  readonly unread: number[];
  readonly erased: Set<number>;
}

interface Read {
  /** Entries up to this seq were read. */
  upTo: number;
  /** Seq of the first entry that names an event, by the event's seq. */
  readonly entryOf: Map<number, number>;
  /** By the id of the thing. */
  readonly partsOf: Map<string, Parts>;
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
    const read = this.#readOf(chainId);
    if (!read.entryOf.has(seq)) await this.#readOn(chainId, read);
    const at = read.entryOf.get(seq);
    if (at === undefined || at <= seq) return false;
    const { audit, keyRing } = this.#ports;
    const event = await audit.findBySeq(chainId, at);
    const entry = event && verifiedEvent(event, { chainId, keyRing });
    return entry?.action === ERASED_ACTION && entry.erased_seq === seq;
  }

  /** Ordinals of a thing that verified entries say were erased, up to now. */
  async partsOf(chainId: ChainId, thing: string): Promise<ReadonlySet<number>> {
    return (await this.partsOfEach(chainId, [thing])).get(thing) ?? new Set();
  }

  /** The same of several things, by one look at the chain; absent: nothing of it was erased. */
  async partsOfEach(
    chainId: ChainId,
    things: Iterable<string>,
  ): Promise<ReadonlyMap<string, ReadonlySet<number>>> {
    const read = this.#readOf(chainId);
    await this.#readOn(chainId, read);
    const found = new Map<string, ReadonlySet<number>>();
    for (const thing of new Set(things)) {
      if (read.partsOf.has(thing)) found.set(thing, await this.#verified(chainId, thing, read));
    }
    return found;
  }

  async #verified(chainId: ChainId, thing: string, read: Read): Promise<ReadonlySet<number>> {
    const { erased, unread } = read.partsOf.get(thing) ?? { erased: new Set<number>(), unread: [] };
    const { audit, keyRing } = this.#ports;
    for (let at = unread[0]; at !== undefined; at = unread[0]) {
      const event = await audit.findBySeq(chainId, at);
      const entry = event && verifiedEvent(event, { chainId, keyRing });
      const isOfThing = entry?.action === ERASED_ACTION && entry.erased_in === thing;
      for (const ordinal of isOfThing ? ordinalsIn(entry) : []) erased.add(ordinal);
      if (unread[0] === at) unread.shift();
    }
    return erased;
  }

  #readOf(chainId: ChainId): Read {
    return this.#read.get(chainId) ?? { entryOf: new Map(), partsOf: new Map(), upTo: 0 };
  }

  async #readOn(chainId: ChainId, read: Read): Promise<void> {
    const range = { action: ERASED_ACTION, chainId, fromSeq: read.upTo + 1 };
    for await (const page of entryPages(this.#ports.audit, range)) {
      for (const event of page) {
        if (event.seq <= read.upTo) continue; // another call has read it meanwhile
        read.upTo = event.seq;
        const { erased_in, erased_seq } = storedMembers(event);
        if (typeof erased_seq === 'number' && !read.entryOf.has(erased_seq)) {
          read.entryOf.set(erased_seq, event.seq);
        }
        if (typeof erased_in !== 'string') continue;
        const parts = read.partsOf.get(erased_in) ?? { erased: new Set<number>(), unread: [] };
        parts.unread.push(event.seq);
        read.partsOf.set(erased_in, parts);
      }
    }
    this.#read.delete(chainId);
    this.#read.set(chainId, read);
    const [oldest] = this.#read.keys();
    if (this.#read.size > CHAINS_MAX && oldest !== undefined) this.#read.delete(oldest);
  }
}

/** The ordinals that an entry of an erasure names. */
export const ordinalsIn = ({ ordinals }: Readonly<Record<string, unknown>>): readonly number[] =>
  Array.isArray(ordinals) ? ordinals.filter((one) => Number.isSafeInteger(one)) : [];
