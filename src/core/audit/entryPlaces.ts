/**
 * Where the entries about each thing stand in one chain: read once, and then those that came since,
 * by their actions, which the store has an index for. Places are unverified, as entries are stored;
 * `signedEntry` verifies the one that is acted on.
 */
import type { ChainId } from '#core/kernel';
import { entryPages } from './entrySearch.ts';
import type { KeyRing } from './keyRing.ts';
import type { AuditStore, SealedEvent } from './ports.ts';
import { verifiedEvent } from './verifiedEvent.ts';
import type { JsonRecord } from './verifyEvent.ts';

/** What is read, and whose place an entry is. */
export interface EntryPlacesOf {
  readonly audit: Pick<AuditStore, 'readEvents'>;
  readonly chainId: ChainId;
  readonly actions: readonly string[];
  /** Names of the things that a stored entry is about. */
  readonly keysOf: (event: SealedEvent) => readonly string[];
  /** Called for a thing of which a further entry was found. */
  readonly onFound?: (key: string) => void;
}

/** The places that one process has read. */
export class EntryPlaces {
  readonly #of: EntryPlacesOf;
  readonly #upTo = new Map<string, number>();
  readonly #seqs = new Map<string, number[]>();
  #reading: Promise<void> | undefined;

  constructor(of: EntryPlacesOf) {
    this.#of = of;
  }

  /** Seqs of the entries about this thing, ascending. */
  of(key: string): readonly number[] {
    return this.#seqs.get(key) ?? [];
  }

  /** Every thing that some entry is about. */
  keys(): readonly string[] {
    return [...this.#seqs.keys()];
  }

  /** One at a time: two that read the same entries would keep them twice. */
  async readOn(): Promise<void> {
    this.#reading ??= this.#readOn().finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
  }

  async #readOn(): Promise<void> {
    const { actions, audit, chainId, keysOf } = this.#of;
    for (const action of actions) {
      const range = { action, chainId, fromSeq: (this.#upTo.get(action) ?? 0) + 1 };
      for await (const page of entryPages(audit, range)) {
        for (const event of page) {
          for (const key of keysOf(event)) this.#note(key, event.seq);
          this.#upTo.set(action, event.seq);
        }
      }
    }
  }

  #note(key: string, seq: number): void {
    const seqs = this.#seqs.get(key) ?? [];
    seqs.push(seq);
    // Actions are read one after the other.
    seqs.sort((one, other) => one - other);
    this.#seqs.set(key, seqs);
    this.#of.onFound?.(key);
  }
}

/** Where one entry stands. */
export interface EntryPlace {
  readonly chainId: ChainId;
  readonly seq: number;
}

/** The members of the event at this place; undefined where it is not what was signed. */
export async function signedEntry(
  { audit, keyRing }: { readonly audit: Pick<AuditStore, 'findBySeq'>; readonly keyRing: KeyRing },
  { chainId, seq }: EntryPlace,
): Promise<JsonRecord | undefined> {
  const event = await audit.findBySeq(chainId, seq);
  const entry = event && verifiedEvent(event, { chainId, keyRing });
  return entry?.seq === seq ? entry : undefined;
}
