/**
 * What an entry of the chain says of a chunk, and the refusal of records and lines that say
 * anything else. It asks no store, so that a thread can do it as well.
 */
import { type JsonRecord, type KeyRing, type SealedEvent, verifiedEvent } from '#core/audit';
import { chainOf, DomainError } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import {
  type Batch,
  MATCH_TYPES,
  type MatchType,
  noCounts,
  SUBJECT_DECISIONS,
  type SubjectDecision,
} from './batch.ts';
import { CHUNK_ACTION } from './chunkEvents.ts';
import type { DoneChunk } from './chunkWalk.ts';
import { parseResult, rootOfLines } from './resultLine.ts';

export type BatchOf = Pick<Batch, 'batchId' | 'tenantId'>;
/** The members of a chunk's record that are held against its entry. */
export type ChunkOf = Pick<DoneChunk, 'batchId' | 'chunkNo' | 'result' | 'subjects'>;
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

export const altered = ({ batchId, chunkNo }: ChunkOf, detail: string): DomainError =>
  new DomainError('results-altered', { detail: `chunk ${chunkNo} of batch ${batchId}: ${detail}` });

/** Throws `results-altered` where the entry is not what was signed about this chunk. */
export function signedChunk(
  event: SealedEvent,
  of: { readonly batch: BatchOf; readonly chunk: ChunkOf; readonly keyRing: KeyRing },
): SignedChunk {
  const { batch, chunk, keyRing } = of;
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

/** Throws `results-altered`. */
export function refuseRecord(signed: SignedChunk, chunk: ChunkOf): void {
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

/** Throws `results-altered`. */
export function refuseLines(signed: SignedChunk, chunk: ChunkOf, lines: readonly Buffer[]): void {
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
