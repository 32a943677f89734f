/** What was found of subjects of batches, read as it was signed. */
import { type BatchId, DomainError, type TenantId } from '#core/kernel';
import type {
  Batch,
  BatchStore,
  ReadingCaller,
  SignedResults,
  SubjectResult,
} from '#slices/batches';

/** What results are read with. */
export interface BatchEvidencePorts {
  readonly batches: Pick<BatchStore, 'findBatch' | 'findChunk'>;
  readonly results: SignedResults;
}

/**
 * Results of a chunk's subjects, in their order; none before it is done. Rejects with
 * `results-altered`.
 */
export async function resultsOfChunk(
  ports: BatchEvidencePorts,
  batch: Batch,
  chunkNo: number,
): Promise<readonly SubjectResult[]> {
  const chunk = await findDone(ports, batch, chunkNo);
  const found = chunk && (await ports.results.linesOf(batch, chunk));
  return found?.lines.map((line) => found.parse(line)) ?? [];
}

/** A subject of a batch, by his place. */
export interface SubjectPlace {
  readonly tenantId: TenantId;
  readonly batchId: BatchId;
  readonly ordinal: number;
}

/** Results of one chunk that are read at once: an answer of that many is no burden. */
const TOGETHER_MAX = 20;

/**
 * Reads results of subjects that are shown together: those of one chunk are read at once, since
 * each reading unpacks it. Rejects with `not-found`, `results-altered`.
 */
export class SubjectsTogether {
  readonly #ports: BatchEvidencePorts;
  readonly #by: ReadingCaller | undefined;
  /** By the place of each: those that are read with it. */
  readonly #groups = new Map<string, readonly SubjectPlace[]>();
  readonly #readings = new Map<string, Promise<readonly (SubjectResult | undefined)[]>>();
  readonly #batches = new Map<string, Promise<Batch | undefined>>();

  constructor(ports: BatchEvidencePorts, places: readonly SubjectPlace[], by?: ReadingCaller) {
    this.#ports = ports;
    this.#by = by;
    const sorted = places.toSorted((one, other) => one.ordinal - other.ordinal);
    for (const of of Map.groupBy(sorted, ({ batchId }) => batchId).values()) {
      for (let at = 0; at < of.length; at += TOGETHER_MAX) {
        const group = of.slice(at, at + TOGETHER_MAX);
        for (const place of group) this.#groups.set(keyOf(place), group);
      }
    }
  }

  async of(place: SubjectPlace): Promise<SubjectResult> {
    const batch = await this.#batchOf(place);
    if (batch === undefined) throw new DomainError('not-found', { detail: 'no such batch' });
    const chunkNo = Math.floor(place.ordinal / batch.chunkSubjects);
    const isHere = ({ ordinal }: SubjectPlace) =>
      Math.floor(ordinal / batch.chunkSubjects) === chunkNo;
    const group = (this.#groups.get(keyOf(place)) ?? [place]).filter(isHere);
    const key = `${place.batchId}/${group[0]?.ordinal}`;
    const reading = this.#readings.get(key) ?? this.#readAll(batch, chunkNo, group);
    this.#readings.set(key, reading);
    const at = group.findIndex(({ ordinal }) => ordinal === place.ordinal);
    // One of those that are read together may be damaged: each is told its own fault.
    const found = await reading.then(
      (all) => all[at],
      async () => (await this.#readAll(batch, chunkNo, [place]))[0],
    );
    if (found === undefined) throw new DomainError('not-found', { detail: 'no such subject' });
    return found;
  }

  #batchOf(place: SubjectPlace): Promise<Batch | undefined> {
    const known = this.#batches.get(place.batchId) ?? this.#ports.batches.findBatch(place);
    this.#batches.set(place.batchId, known);
    return known;
  }

  async #readAll(
    batch: Batch,
    chunkNo: number,
    group: readonly SubjectPlace[],
  ): Promise<readonly (SubjectResult | undefined)[]> {
    const chunk = await findDone(this.#ports, batch, chunkNo);
    if (chunk === undefined) return [];
    const places = group.map(({ ordinal }) => ordinal - chunkNo * batch.chunkSubjects);
    const question = { places, what: 'subjects' as const };
    const by = this.#by;
    return this.#ports.results.read(batch, { ...(by && { by }), chunk, question });
  }
}

const keyOf = ({ batchId, ordinal }: SubjectPlace): string => `${batchId}/${ordinal}`;

/** Undefined before it is done. */
async function findDone(ports: BatchEvidencePorts, batch: Batch, chunkNo: number) {
  const chunk = await ports.batches.findChunk(batch.batchId, chunkNo);
  return chunk?.result && { ...chunk, result: chunk.result };
}
