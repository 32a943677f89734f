/**
 * What was found of the subjects of a chunk, as the chunk's signed entry in the chain says it.
 * Records and blobs say where results are; only the entry says what they were. So whoever reads
 * results (hits, reports, proofs) reads them through this: lines whose Merkle root is not that of
 * the entry are refused, and so is a record whose figures are not those of the entry, since a chunk
 * that says it has no hits is not read at all.
 *
 * An entry is verified once, and the lines of a blob once: entries never change, and the blob store
 * answers by the digest. Both are kept for as many chunks as CHUNKS_KEPT_MAX.
 */
import {
  type AuditStore,
  Erasures,
  type JsonRecord,
  type KeyRing,
  verifiedEvent,
} from '#core/audit';
import type { BlobStore, DataKeys } from '#core/blobs';
import { chainOf, DomainError } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import {
  type Batch,
  type BatchChunk,
  type ChainPlace,
  MATCH_TYPES,
  type MatchType,
  noCounts,
  SUBJECT_DECISIONS,
  type SubjectDecision,
} from './batch.ts';
import { CHUNK_ACTION, ChunkEvents, chunkKey } from './chunkEvents.ts';
import { type ChunkLines, chunkLines } from './chunkLines.ts';
import type { DoneChunk } from './chunkWalk.ts';
import { parseResult, readResultLines, rootOfLines } from './resultLine.ts';
import { type SignedBatches, type StartedBatch, signedBatches } from './signedBatch.ts';

/** Two batches of ten million subjects; some megabytes. */
const CHUNKS_KEPT_MAX = 20_000;

type BatchOf = Pick<Batch, 'batchId' | 'tenantId'>;
/** Figures of a chunk, as its record and its lines have them. */
type Figures = Pick<
  DoneChunk['result'],
  'byDecision' | 'byMatchType' | 'hits' | 'subjectsWithHits'
>;

/** A chunk as its entry tells of it. */
export interface SignedChunk {
  readonly merkleRoot: string;
  readonly subjects: number;
  readonly hits: number;
  readonly subjectsWithHits: number;
  /** Absent: an entry of a former release, which does not say them. */
  readonly byDecision?: Readonly<Record<SubjectDecision, number>>;
  readonly byMatchType?: Readonly<Record<MatchType, number>>;
  /** Its place in the tenant's chain. */
  readonly seq: number;
  readonly hash: string;
}

/** All reject with DomainError `results-altered` where something is not what was signed. */
export interface SignedResults extends SignedBatches {
  /** The chunk as it was signed, and its record says the same. */
  check(batch: BatchOf, chunk: DoneChunk): Promise<SignedChunk>;
  /** Its lines, in the order of its subjects. Rejects with `blob-damaged` where they are gone. */
  linesOf(batch: BatchOf, chunk: DoneChunk): Promise<ChunkLines>;
  /**
   * It began as its record says, and the chain has entries of so many chunks of it. Answers the
   * place of its start.
   */
  checkBatch(batch: StartedBatch, chunks: number): Promise<ChainPlace>;
}

export interface SignedResultsPorts {
  readonly audit: Pick<AuditStore, 'findBySeq' | 'head' | 'readEvents'>;
  readonly blobs: Pick<BlobStore, 'get'>;
  readonly dataKeys: Pick<DataKeys, 'find'>;
  readonly keyRing: KeyRing;
}

interface Kept {
  readonly signed: SignedChunk;
  /** The blob whose lines have been found to be the signed ones. */
  goodBlob?: string;
}

/** One for a process. */
export function signedResults(ports: SignedResultsPorts): SignedResults {
  const events = new ChunkEvents(ports.audit);
  const batches = signedBatches({ ...ports, events });
  const kept = new Map<string, Kept>();
  const linePorts = { dataKeys: ports.dataKeys, erasures: new Erasures(ports) };

  const keptOf = async (batch: BatchOf, chunk: DoneChunk): Promise<Kept> => {
    const key = chunkKey(batch, chunk.chunkNo);
    const known = kept.get(key) ?? { signed: await signedChunk(ports, events, { batch, chunk }) };
    refuseRecord(known.signed, chunk);
    kept.set(key, known);
    const [oldest] = kept.keys();
    if (kept.size > CHUNKS_KEPT_MAX && oldest !== undefined) kept.delete(oldest);
    return known;
  };

  return {
    ...batches,
    check: async (batch, chunk) => (await keptOf(batch, chunk)).signed,
    linesOf: async (batch, chunk) => {
      const known = await keptOf(batch, chunk);
      const stored = await readResultLines(ports.blobs, chunk.result);
      if (known.goodBlob !== chunk.result.blob) {
        refuseLines(known.signed, chunk, stored.lines);
        known.goodBlob = chunk.result.blob;
      }
      return chunkLines(linePorts, { batch, chunk, stored });
    },
    checkBatch: async (batch, chunks) => {
      const start = await batches.checkStart(batch);
      const signed = await events.count(batch, start.seq);
      if (signed === chunks) return start;
      const detail = `the chain tells of ${signed} chunks, its records of ${chunks}`;
      throw new DomainError('results-altered', { detail: `batch ${batch.batchId}: ${detail}` });
    },
  };
}

const altered = ({ batchId, chunkNo }: BatchChunk, detail: string): DomainError =>
  new DomainError('results-altered', { detail: `chunk ${chunkNo} of batch ${batchId}: ${detail}` });

async function signedChunk(
  { keyRing }: SignedResultsPorts,
  events: ChunkEvents,
  { batch, chunk }: { readonly batch: BatchOf; readonly chunk: DoneChunk },
): Promise<SignedChunk> {
  const event = await events.find(batch, chunk);
  if (event === undefined) throw altered(chunk, 'no entry of the chain is about it');
  const entry = verifiedEvent(event, { chainId: chainOf(batch.tenantId), keyRing });
  const isOfChunk =
    entry?.action === CHUNK_ACTION &&
    entry.target === batch.batchId &&
    entry.chunk_no === chunk.chunkNo;
  if (!isOfChunk) throw altered(chunk, `its entry, seq ${event.seq}, is not what was signed`);
  return toldBy(entry);
}

/** A verified entry is one that we wrote, so its members are of their types. */
function toldBy(entry: JsonRecord): SignedChunk {
  const { by_decision, by_match_type } = entry;
  return {
    ...(by_decision !== undefined && {
      byDecision: by_decision as Record<SubjectDecision, number>,
      byMatchType: by_match_type as Record<MatchType, number>,
    }),
    hash: String(entry.hash),
    hits: Number(entry.hits),
    merkleRoot: String(entry.merkle_root),
    seq: Number(entry.seq),
    subjects: Number(entry.subjects),
    subjectsWithHits: Number(entry.subjects_with_hits),
  };
}

function refuseRecord(signed: SignedChunk, chunk: DoneChunk): void {
  const { merkleRoot, ...figures } = chunk.result;
  const told = merkleRoot === signed.merkleRoot && chunk.subjects === signed.subjects;
  if (!told || !areFigures(signed, figures)) {
    throw altered(chunk, `its record is not what was signed at seq ${signed.seq}`);
  }
}

function areFigures(signed: SignedChunk, of: Figures): boolean {
  return (
    of.hits === signed.hits &&
    of.subjectsWithHits === signed.subjectsWithHits &&
    isSame(of.byDecision, signed.byDecision) &&
    isSame(of.byMatchType, signed.byMatchType)
  );
}

const isSame = (told: object, signed: object | undefined): boolean =>
  signed === undefined || canonicalJson(told) === canonicalJson(signed);

function refuseLines(signed: SignedChunk, chunk: DoneChunk, lines: readonly Buffer[]): void {
  if (lines.length !== signed.subjects || rootOfLines(lines) !== signed.merkleRoot) {
    const detail = `its lines do not have the root that was signed at seq ${signed.seq}`;
    throw altered(chunk, detail);
  }
  // The entry of a former release does not say these, so that only the lines can.
  if (signed.byDecision !== undefined) return;
  const { byDecision, byMatchType } = figuresOf(lines);
  const { result } = chunk;
  if (!isSame(result.byDecision, byDecision) || !isSame(result.byMatchType, byMatchType)) {
    throw altered(chunk, 'the figures of its record are not those of its lines');
  }
}

function figuresOf(lines: readonly Buffer[]): Pick<Figures, 'byDecision' | 'byMatchType'> {
  const counts = noCounts();
  const byDecision = { ...counts.byDecision };
  const byMatchType = { ...counts.byMatchType };
  for (const { decision, hits } of lines.map(parseResult)) {
    if (SUBJECT_DECISIONS.includes(decision)) byDecision[decision]++;
    for (const { match_type } of hits) {
      if (MATCH_TYPES.includes(match_type)) byMatchType[match_type]++;
    }
  }
  return { byDecision, byMatchType };
}
