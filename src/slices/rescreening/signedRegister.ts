/**
 * Who is watched, as signed entries say it, in the order of the customers' ids: the leaves of the
 * last run over everybody, whose roots are in the chain, and what was changed since. So a register
 * of ten million is compared row by row while it is walked through, without its history in memory.
 */
import type { JsonRecord } from '#core/audit';
import type { BlobStore } from '#core/blobs';
import { DomainError, type TenantId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { sha256Hex } from '#platform/crypto';
import { leafHash, merkleRoot } from '#platform/merkleTree';
import type { CustomerLeaf } from './chunkLeaves.ts';
import type { SignedEntries } from './signedEntries.ts';
import type { Coverage, KnownHits } from './tables.ts';

/** Changed customers that are held at once; where there are more, a range of ids at a time. */
const HELD_MAX = 500_000;
/** Chunks of leaves that are held: a walk needs one, a look at some customers more. */
const CHUNKS_HELD = 4;

/** A customer who is watched, as he was signed. */
export interface SignedCustomer {
  /** `subjectDigest` of his row. */
  readonly digest: string;
  /** Digest of what was known of him when he was changed last, or still was as a leaf was made. */
  readonly known?: string;
}

/** What the register is read from. */
export interface SignedRegisterPorts {
  readonly blobs: Pick<BlobStore, 'get'>;
  readonly entries: SignedEntries;
}

/** SHA-256 hex over hits that a customer came with. */
export const knownDigest = (known: KnownHits): string =>
  sha256Hex(`monitored-known-v1\0${canonicalJson(known)}`);

interface Told {
  readonly id: string;
  readonly digest: string;
  readonly known?: string;
  readonly state: string;
}

interface SignedChunk {
  readonly from: string;
  readonly to: string;
  readonly leaves: string;
  readonly merkleRoot: string;
}

interface Checkpoint {
  readonly chunks: readonly SignedChunk[];
  /** From where on changes are read: not behind the run's beginning. */
  readonly fromSeq: number;
}

/** The register of one tenant. */
export class SignedRegister {
  readonly #ports: SignedRegisterPorts;
  readonly #tenantId: TenantId;
  readonly #coverage: Coverage | undefined;
  readonly #heldMax: number;
  readonly #leaves = new Map<string, readonly CustomerLeaf[]>();
  #checkpoint: Checkpoint | undefined;
  /** Changed customers whose ids are behind `#from`, up to `#upTo`. */
  #changed = new Map<string, Told>();
  #order: readonly string[] | undefined;
  #from = '';
  #upTo: string | undefined;
  #seq = 0;

  constructor(
    ports: SignedRegisterPorts,
    of: {
      readonly tenantId: TenantId;
      readonly coverage: Coverage | undefined;
      readonly heldMax?: number;
    },
  ) {
    this.#ports = ports;
    this.#tenantId = of.tenantId;
    this.#coverage = of.coverage;
    this.#heldMax = of.heldMax ?? HELD_MAX;
  }

  /** Customers behind the first id, up to the last one; without one all that follow. */
  async between(after = '', to?: string): Promise<Map<string, SignedCustomer>> {
    const found = new Map<string, SignedCustomer>();
    for (let from = after; ; ) {
      await this.#hold(from);
      const end = leastOf(to, this.#upTo);
      await this.#addLeaves(found, from, end);
      this.#addChanged(found, from, end);
      if (end === undefined || end === to) return found;
      from = end;
    }
  }

  /** These customers, in the order of their ids. */
  async of(ids: readonly string[]): Promise<Map<string, SignedCustomer>> {
    const found = new Map<string, SignedCustomer>();
    for (const id of ids) {
      if (id <= this.#from || (this.#upTo !== undefined && id > this.#upTo)) {
        await this.#load(idBefore(id));
      } else await this.#hold(this.#from);
      const told = this.#changed.get(id);
      if (told === undefined) {
        const near = new Map<string, SignedCustomer>();
        await this.#addLeaves(near, idBefore(id), id);
        const own = near.get(id);
        if (own !== undefined) found.set(id, own);
      } else if (told.state === 'active') found.set(id, customerOf(told));
    }
    return found;
  }

  /** Reads what was changed since. */
  async readOn(): Promise<void> {
    if (this.#checkpoint === undefined) return this.#load(this.#from);
    const of = { action: 'SANCTIONS_MONITORING_CHANGED', fromSeq: this.#seq + 1 } as const;
    for await (const { entry, seq } of this.#ports.entries.read(this.#tenantId, of)) {
      this.#seq = seq;
      for (const told of subjectsIn(entry)) this.#take(told);
    }
  }

  /** Changes behind this id are held. */
  async #hold(from: string): Promise<void> {
    const isHeld = from >= this.#from && (this.#upTo === undefined || from < this.#upTo);
    if (this.#checkpoint === undefined || !isHeld) await this.#load(from);
  }

  async #load(from: string): Promise<void> {
    this.#checkpoint ??= await checkpointOf(this.#ports, this.#tenantId, this.#coverage);
    this.#changed = new Map();
    this.#order = undefined;
    this.#from = from;
    this.#upTo = undefined;
    this.#seq = this.#checkpoint.fromSeq - 1;
    await this.readOn();
  }

  #take(told: Told): void {
    if (told.id <= this.#from || (this.#upTo !== undefined && told.id > this.#upTo)) return;
    if (!this.#changed.has(told.id)) this.#order = undefined;
    this.#changed.set(told.id, told);
    if (this.#changed.size > this.#heldMax) this.#narrow();
  }

  /** Half of the ids are held on; the others come with a later range. */
  #narrow(): void {
    const ids = this.#sorted();
    const kept = ids.slice(0, Math.ceil(ids.length / 2));
    for (const id of ids.slice(kept.length)) this.#changed.delete(id);
    this.#upTo = kept.at(-1);
    this.#order = kept;
  }

  #sorted(): readonly string[] {
    this.#order ??= [...this.#changed.keys()].sort();
    return this.#order;
  }

  #addChanged(found: Map<string, SignedCustomer>, from: string, end: string | undefined): void {
    const ids = this.#sorted();
    for (let at = firstBehind(ids, from); at < ids.length; at++) {
      const id = ids[at] ?? '';
      if (end !== undefined && id > end) return;
      const told = this.#changed.get(id);
      if (told?.state === 'active') found.set(id, customerOf(told));
      else found.delete(id);
    }
  }

  async #addLeaves(
    found: Map<string, SignedCustomer>,
    from: string,
    end: string | undefined,
  ): Promise<void> {
    for (const chunk of this.#checkpoint?.chunks ?? []) {
      if (chunk.to <= from || (end !== undefined && chunk.from > end)) continue;
      for (const { decision, known, subject_digest, subject_id: id } of await this.#in(chunk)) {
        if (id <= from || (end !== undefined && id > end) || decision === 'removed') continue;
        found.set(id, { digest: subject_digest, ...(known !== undefined && { known }) });
      }
    }
  }

  async #in(chunk: SignedChunk): Promise<readonly CustomerLeaf[]> {
    const held = this.#leaves.get(chunk.leaves);
    if (held !== undefined) return held;
    const bytes = await this.#ports.blobs.get(chunk.leaves);
    if (bytes === undefined) throw new DomainError('blob-damaged', { detail: 'leaves are gone' });
    const texts = Buffer.from(bytes).toString().split('\n').slice(0, -1);
    if (merkleRoot(texts.map(leafHash)).toString('hex') !== chunk.merkleRoot) {
      const detail = 'leaves of a run are not under the root that was signed';
      throw new DomainError('evidence-altered', { detail });
    }
    const leaves = texts.map((text) => JSON.parse(text) as CustomerLeaf);
    this.#leaves.set(chunk.leaves, leaves);
    const [oldest] = this.#leaves.keys();
    if (this.#leaves.size > CHUNKS_HELD && oldest !== undefined) this.#leaves.delete(oldest);
    return leaves;
  }
}

const customerOf = ({ digest, known }: Told): SignedCustomer => ({
  digest,
  ...(known !== undefined && { known }),
});
const subjectsIn = ({ subjects = [] }: JsonRecord) => subjects as unknown as readonly Told[];
/** Ids are hexadecimal: this one is behind every id that is before it, and before it. */
const idBefore = (id: string): string => id.slice(0, -1);
const leastOf = (one: string | undefined, other: string | undefined): string | undefined =>
  one === undefined || (other !== undefined && other < one) ? other : one;

/** The place of the first id behind this one. */
function firstBehind(ids: readonly string[], id: string): number {
  let [low, high] = [0, ids.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ids[middle] ?? '') <= id) low = middle + 1;
    else high = middle;
  }
  return low;
}

const NONE: Checkpoint = { chunks: [], fromSeq: 1 };

/**
 * The last run over everybody, as its entries tell it. The record says where they are and is not
 * believed: without all of its entries, everything is read from the first change on.
 */
async function checkpointOf(
  { entries }: SignedRegisterPorts,
  tenantId: TenantId,
  coverage: Coverage | undefined,
): Promise<Checkpoint> {
  const { runId, runStartedAt } = coverage ?? {};
  if (runId === undefined || runStartedAt === undefined) return NONE;
  const fromSeq = await entries.since(tenantId, runStartedAt);
  const find = async (action: `SANCTIONS_${string}`) => {
    for await (const placed of entries.read(tenantId, { action, fromSeq })) {
      if (placed.entry.run_id === runId) return placed;
    }
    return undefined;
  };
  const started = await find('SANCTIONS_RESCREENING_STARTED');
  const completed = started && (await find('SANCTIONS_RESCREENING_COMPLETED'));
  if (completed === undefined || completed.entry.mode === 'new') return NONE;
  const chunks: SignedChunk[] = [];
  let customers = 0;
  const range = { action: 'SANCTIONS_RESCREENED', fromSeq, toSeq: completed.seq } as const;
  for await (const { entry } of entries.read(tenantId, range)) {
    if (entry.run_id !== runId) continue;
    const { from, leaves, merkle_root, to } = entry;
    customers += Number(entry.customers);
    chunks.push({
      from: String(from),
      leaves: String(leaves),
      merkleRoot: String(merkle_root),
      to: String(to),
    });
  }
  return customers === completed.entry.customers ? { chunks, fromSeq } : NONE;
}
