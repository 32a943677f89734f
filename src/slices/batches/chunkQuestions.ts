/**
 * What is asked of the lines of one chunk, and what they answer: plain values, since a gateway asks
 * a thread. An answer holds what its asker shows and no more of a line, and is bounded in bytes.
 */
import assert from 'node:assert/strict';
import { inclusionProof, leafHash } from '#platform/merkleTree';
import type { Subject } from '#slices/intake';
import type { MatchType } from './batch.ts';
import type { HitPlace } from './batchIds.ts';
import type { ChunkLines } from './chunkLines.ts';
import { type BatchHit, isSealedLine, type SubjectResult } from './resultLine.ts';
import type { ScreenedSubject } from './screenAsScreenings.ts';

/** Bytes of the lines whose hits one answer brings: beyond them it ends after the line. */
export const ANSWER_BYTES_MAX = 1024 * 1024;

/** Hits of subjects from a place on, those alone that pass. */
export interface HitsQuestion {
  readonly what: 'hits';
  /** Place in the chunk of the first line. */
  readonly from: number;
  readonly after?: HitPlace | undefined;
  readonly limit: number;
  readonly matchType?: MatchType | undefined;
  readonly scoreMin?: number | undefined;
  /** Ids of hits that are left out. */
  readonly without?: ReadonlySet<string> | undefined;
  /** Ids of those that are asked for; absent: all. */
  readonly only?: ReadonlySet<string> | undefined;
}

/** Results whole, of lines at these places in the chunk. */
export interface SubjectsQuestion {
  readonly what: 'subjects';
  readonly places: readonly number[];
}

/** What became of subjects that were screened one by one, from a place on. */
export interface ScreeningsQuestion {
  readonly what: 'screenings';
  readonly from: number;
  readonly limit: number;
}

/** The line of a subject of this reference, with its place in the tree of the chunk. */
export interface ProofQuestion {
  readonly what: 'proof';
  readonly externalId: string;
}

export type ChunkQuestion = HitsQuestion | ProofQuestion | ScreeningsQuestion | SubjectsQuestion;

/** What is shown of a subject beside a hit. */
export type HitSubject = Pick<
  SubjectResult,
  'batch_subject_id' | 'erased' | 'external_id' | 'ordinal' | 'subject'
>;

export interface HitsAnswer {
  readonly hits: readonly {
    readonly hit: BatchHit;
    readonly place: HitPlace;
    readonly subject: HitSubject;
  }[];
  /** The chunk has more behind them. */
  readonly hasMore: boolean;
}

/** As a page of screenings shows one. */
export type ShownScreening = Pick<
  ScreenedSubject,
  'erased' | 'external_id' | 'ordinal' | 'screening'
> & { readonly hits: number };

export interface ProofAnswer {
  readonly at: number;
  readonly line: string;
  readonly count: number;
  /** Hex, the lowest first. */
  readonly path: readonly string[];
  /** What is sealed in a line of version 2. */
  readonly opened?: { readonly salt: string; readonly subject: Subject };
}

/** The answer to a question; undefined where a proof is of another chunk. */
export type AnswerTo<Question extends ChunkQuestion> = Question extends HitsQuestion
  ? HitsAnswer
  : Question extends SubjectsQuestion
    ? readonly (SubjectResult | undefined)[]
    : Question extends ScreeningsQuestion
      ? readonly ShownScreening[]
      : ProofAnswer | undefined;

export function answerIn(chunk: ChunkLines, question: ChunkQuestion): AnswerTo<ChunkQuestion> {
  switch (question.what) {
    case 'hits':
      return hitsIn(chunk, question);
    case 'subjects':
      return question.places.map((place) => {
        const line = chunk.lines[place];
        return line && chunk.parse(line);
      });
    case 'screenings':
      return chunk.lines
        .slice(question.from, question.from + question.limit)
        .map((line) => shown(chunk.parse(line)));
    case 'proof':
      return proofIn(chunk, question);
  }
}

/** Part of a line without hits; in a text that was sent the quotes are escaped. */
const NO_HITS = Buffer.from('"hits":[],');

function hitsIn({ lines, parse }: ChunkLines, question: HitsQuestion): HitsAnswer {
  const hits: HitsAnswer['hits'][number][] = [];
  let bytes = 0;
  for (const line of lines.slice(question.from)) {
    if (line.includes(NO_HITS)) continue;
    if (bytes >= ANSWER_BYTES_MAX) return { hasMore: true, hits };
    const result = parse(line);
    const subject = beside(result);
    const found = result.hits.flatMap((hit, position) => {
      const place = { ordinal: result.ordinal, position };
      return passes(hit, place, question) ? [{ hit, place, subject }] : [];
    });
    if (found.length > 0) bytes += line.length;
    for (const one of found) {
      if (hits.length === question.limit) return { hasMore: true, hits };
      hits.push(one);
    }
  }
  return { hasMore: false, hits };
}

const beside = (result: SubjectResult): HitSubject => ({
  batch_subject_id: result.batch_subject_id,
  ...(result.erased === true && { erased: true }),
  external_id: result.external_id,
  ordinal: result.ordinal,
  subject: result.subject,
});

function passes(hit: BatchHit, place: HitPlace, of: HitsQuestion): boolean {
  const { after, matchType, only, scoreMin, without } = of;
  return (
    (after === undefined || comparePlaces(place, after) > 0) &&
    (matchType === undefined || hit.match_type === matchType) &&
    (scoreMin === undefined || hit.match_score >= scoreMin) &&
    only?.has(hit.hit_id) !== false &&
    without?.has(hit.hit_id) !== true
  );
}

export const comparePlaces = (one: HitPlace, other: HitPlace): number =>
  one.ordinal - other.ordinal || one.position - other.position;

function shown(result: ScreenedSubject): ShownScreening {
  const { erased, external_id, hits, ordinal, screening } = result;
  return {
    ...(erased === true && { erased }),
    external_id,
    hits: hits.length,
    ordinal,
    ...(screening !== undefined && { screening }),
  };
}

/**
 * Sealed lines are opened one by one. Others are canonical JSON, so the member has one spelling: a
 * line without it need not be parsed. One with it may belong to another subject, one of whose other
 * members has the same text.
 */
function proofIn({ lines, parse }: ChunkLines, of: ProofQuestion): ProofAnswer | undefined {
  const member = Buffer.from(`"external_id":${JSON.stringify(of.externalId)}`);
  const at = lines.findIndex(
    (line) =>
      (isSealedLine(line) || line.includes(member)) && parse(line).external_id === of.externalId,
  );
  if (at < 0) return undefined;
  const line = lines[at];
  assert(line !== undefined);
  const { salt, subject } = parse(line);
  return {
    at,
    count: lines.length,
    line: line.toString(),
    path: inclusionProof(lines.map(leafHash), at).map((hash) => hash.toString('hex')),
    ...(isSealedLine(line) && { opened: { salt, subject } }),
  };
}
