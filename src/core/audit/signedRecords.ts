/**
 * Records are compared with the digest that their last signed entry gives them (decision 3.1b):
 * one that was changed past the service, put back as it once was, or made by nobody is refused
 * before it decides anything.
 *
 * What is known to be good is not asked again for REFRESH_MS. Then the entries that came since are
 * read by their actions, which the store has an index for; an entry is verified when a record is
 * first compared with it.
 */
import type { ChainId } from '#core/kernel';
import type { Clock } from '#platform/clock';
import { EntryPlaces, signedEntry } from './entryPlaces.ts';
import { storedMembers } from './entrySearch.ts';
import type { KeyRing } from './keyRing.ts';
import { lookSettled, type SettlingAudit } from './lookSettled.ts';
import type { AuditStore, SealedEvent } from './ports.ts';
import type { JsonRecord } from './verifyEvent.ts';

/** Milliseconds after which a record that is known to be good is compared again. */
export const REFRESH_MS = 30_000;
/** Chains whose places a process keeps; the one that was opened first leaves first. */
const CHAINS_MAX = 10_000;

/** What the chain is read with. */
export interface SignedRecordPorts {
  readonly audit: Pick<AuditStore, 'findBySeq' | 'readEvents'> & SettlingAudit;
  readonly keyRing: KeyRing;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

/** A record as it is stored. */
export interface KeptRecord {
  readonly key: string;
  /** Null: there is none. */
  readonly digest: string | null;
  /** Whether entries of a former release, which tell no digest, make it what it is. */
  readonly isAsFormerly?: (entries: readonly JsonRecord[]) => boolean;
}

/** Which entries tell of these records, and what they tell. */
export interface SignedRecordsOf {
  readonly actions: readonly string[];
  /** As they are stored: unverified. */
  readonly keysOf: (entry: JsonRecord, event: SealedEvent) => readonly string[];
  /** Null where the entry took the record away, undefined for an entry of a former release. */
  readonly digestIn: (entry: JsonRecord, key: string) => string | null | undefined;
}

interface Chain {
  readonly places: EntryPlaces;
  /** Digests that were found to be the signed ones. */
  readonly good: Map<string, string | null>;
  readAtMs: number;
}

/** Records of one kind, as one process has compared them. */
export class SignedRecords {
  readonly #ports: SignedRecordPorts;
  readonly #of: SignedRecordsOf;
  readonly #chains = new Map<ChainId, Chain>();

  constructor(ports: SignedRecordPorts, of: SignedRecordsOf) {
    this.#ports = ports;
    this.#of = of;
  }

  /** Why the record is not what was signed; undefined where it is. */
  async refusal(chainId: ChainId, record: KeptRecord): Promise<string | undefined> {
    const chain = this.#chain(chainId);
    const isFresh = this.#ports.clock.monotonicMs() - chain.readAtMs < REFRESH_MS;
    if (isFresh && isGood(chain, record)) return undefined;
    await this.#readOn(chain);
    if (isGood(chain, record)) return undefined;
    const seqs = [...chain.places.of(record.key)];
    const refusal = await this.#compare(chainId, seqs, record);
    // An entry that came meanwhile has made it something else, which was not compared.
    const isLast = chain.places.of(record.key).length === seqs.length;
    if (refusal === undefined && isLast && !isGood(chain, record)) {
      chain.good.set(record.key, record.digest);
    }
    return refusal;
  }

  /**
   * The record as `read` finds it, with the refusal that stays once a commit under way is finished.
   */
  settled<Found>(
    chainId: ChainId,
    read: () => Promise<Found>,
    recordOf: (found: Found) => KeptRecord,
  ): Promise<{ readonly found: Found; readonly refusal: string | undefined }> {
    return lookSettled(this.#ports.audit, async () => {
      const found = await read();
      return { chainId, found, refusal: await this.refusal(chainId, recordOf(found)) };
    });
  }

  /** The same for many, as they are found together: the first refusal among them. */
  settledAll<Found>(
    chainId: ChainId,
    read: () => Promise<Found>,
    recordsOf: (found: Found) => readonly KeptRecord[],
  ): Promise<{ readonly found: Found; readonly refusal: string | undefined }> {
    return lookSettled(this.#ports.audit, async () => {
      const found = await read();
      for (const record of recordsOf(found)) {
        const refusal = await this.refusal(chainId, record);
        if (refusal !== undefined) return { chainId, found, refusal };
      }
      return { chainId, found, refusal: undefined };
    });
  }

  /** Records that entries have made, and not taken away, and that `known` does not have. */
  async missing(chainId: ChainId, known: ReadonlySet<string>): Promise<readonly string[]> {
    const { places } = this.#chain(chainId);
    await places.readOn();
    const gone: string[] = [];
    for (const key of places.keys().filter((one) => !known.has(one))) {
      const entry = await this.#last(chainId, places.of(key));
      if (entry === undefined || this.#of.digestIn(entry, key) !== null) gone.push(key);
    }
    return gone;
  }

  #chain(chainId: ChainId): Chain {
    const known = this.#chains.get(chainId);
    if (known !== undefined) return known;
    const { actions, keysOf } = this.#of;
    const good = new Map<string, string | null>();
    const places = new EntryPlaces({
      actions,
      audit: this.#ports.audit,
      chainId,
      keysOf: (event: SealedEvent) => keysOf(storedMembers(event), event),
      onFound: (key) => void good.delete(key),
    });
    const chain: Chain = { good, places, readAtMs: Number.NEGATIVE_INFINITY };
    this.#chains.set(chainId, chain);
    const [oldest] = this.#chains.keys();
    if (this.#chains.size > CHAINS_MAX && oldest !== undefined) this.#chains.delete(oldest);
    return chain;
  }

  async #readOn(chain: Chain): Promise<void> {
    const startedAtMs = this.#ports.clock.monotonicMs();
    await chain.places.readOn();
    chain.readAtMs = startedAtMs;
  }

  async #compare(
    chainId: ChainId,
    seqs: readonly number[],
    { digest, isAsFormerly, key }: KeptRecord,
  ): Promise<string | undefined> {
    const last = seqs.at(-1);
    if (last === undefined) {
      return digest === null ? undefined : 'no entry of its chain tells of it';
    }
    const entry = await this.#last(chainId, seqs);
    if (entry === undefined) return `its last entry, seq ${last}, is not what was signed`;
    const told = this.#of.digestIn(entry, key);
    if (told === digest) return undefined;
    if (told === null) return `the entry seq ${last} took it away`;
    if (digest === null) return `its record is gone: the entry seq ${last} tells of it`;
    if (told !== undefined) return `it is not what the entry seq ${last} made it`;
    const entries = await Promise.all(
      seqs.map((seq) => signedEntry(this.#ports, { chainId, seq })),
    );
    const whole = entries.filter((one) => one !== undefined);
    if (whole.length === seqs.length && isAsFormerly?.(whole)) return undefined;
    return `it is not what the entries up to seq ${last} made it`;
  }

  async #last(chainId: ChainId, seqs: readonly number[]): Promise<JsonRecord | undefined> {
    const seq = seqs.at(-1);
    return seq === undefined ? undefined : signedEntry(this.#ports, { chainId, seq });
  }
}

/** Nothing is remembered of what is not there and of which no entry tells: nearly all subjects. */
const isGood = ({ good, places }: Chain, { digest, key }: KeptRecord): boolean =>
  (digest === null && places.of(key).length === 0) || good.get(key) === digest;
