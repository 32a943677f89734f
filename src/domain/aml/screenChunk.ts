/**
 * Subjects of a chunk → their result lines. Deterministic: the same subjects against the same
 * lists and settings give the same bytes, so a chunk that two workers did, or one did twice, is
 * one.
 */
import type { Commit } from '#domain/audit';
import type { CandidateEngine, NormalizedQuery, RawQuery } from '#domain/screening';
import { canonicalJson } from '#platform/canonicalJson';
import { type Batch, type ChunkResult, noCounts } from './batch.ts';
import { BatchIds } from './batchIds.ts';
import type { NumberedSubject } from './csvRows.ts';
import { type JudgeContext, type JudgedSubject, judgeSubject } from './judgeSubject.ts';
import type { BatchLists } from './ports.ts';
import type { SubjectResult } from './resultLine.ts';
import type { Subject } from './subject.ts';

/** Queries under way at once: enough for every thread of an engine to have its next ones. */
const QUERIES_AT_ONCE = 64;
/** No honest query takes this long; one that does fails its chunk, which is tried again. */
export const SUBJECT_DEADLINE_MS = 30_000;

export interface ScreenedChunk {
  /** A line a subject, in their order, without line ends. */
  readonly lines: readonly string[];
  readonly figures: Omit<ChunkResult, 'blob' | 'merkleRoot' | 'completedAt'>;
  /** Of kind `sanctions`: the evidence of each screening, for the chunk's commit. */
  readonly events?: Commit['events'];
  readonly bus?: Commit['bus'];
}

export interface ChunkAsk<Index> {
  readonly batch: Batch;
  readonly chunkNo: number;
  readonly subjects: readonly NumberedSubject[];
  readonly lists: BatchLists<Index>;
  /** Ends the work between two subjects. */
  readonly signal?: AbortSignal;
}

export async function screenChunk<Index>(
  engine: CandidateEngine<Index>,
  ask: ChunkAsk<Index>,
): Promise<ScreenedChunk> {
  const screener = new ChunkScreener(engine, ask);
  const results = await screenEach(ask, (subject, at) => screener.screen(subject, at));
  return { figures: figuresOf(results), lines: results.map((result) => canonicalJson(result)) };
}

/**
 * In the order of the subjects, several at once. Once it settles nothing is under way: what they
 * are screened against is given back then.
 */
export async function screenEach<Result>(
  { signal, subjects }: Pick<ChunkAsk<unknown>, 'signal' | 'subjects'>,
  screen: (subject: NumberedSubject, at: number) => Promise<Result>,
): Promise<Result[]> {
  const results = new Array<Result>(subjects.length);
  let next = 0;
  const work = async (): Promise<void> => {
    try {
      for (let at = next++; at < subjects.length; at = next++) {
        signal?.throwIfAborted();
        const subject = subjects[at];
        if (subject !== undefined) results[at] = await screen(subject, at);
      }
    } finally {
      next = subjects.length; // one that failed fails the chunk
    }
  };
  const works = Array.from({ length: QUERIES_AT_ONCE }, work);
  await Promise.allSettled(works);
  await Promise.all(works);
  return results;
}

class ChunkScreener<Index> {
  readonly #engine: CandidateEngine<Index>;
  readonly #indexes: readonly Index[];
  readonly #settings: Parameters<CandidateEngine<Index>['screen']>[0]['settings'];
  readonly #judge: JudgeContext;
  readonly #first: number;

  constructor(engine: CandidateEngine<Index>, { batch, chunkNo, lists }: ChunkAsk<Index>) {
    const { settings, thresholds } = batch;
    this.#engine = engine;
    this.#indexes = lists.lists.map(({ index }) => index);
    this.#settings = {
      ...settings,
      answerScoreMin: thresholds.autoClear,
      directScoreMin: thresholds.autoClear,
      version: settings.rerankerVersion,
    };
    this.#judge = {
      batch,
      clusters: lists.clusters,
      ids: new BatchIds(batch),
      sources: lists.lists.map(({ source }) => source),
    };
    this.#first = chunkNo * batch.chunkSubjects;
  }

  async screen({ line, subject }: NumberedSubject, at: number): Promise<SubjectResult> {
    const ordinal = this.#first + at;
    const query = this.#engine.normalize(queryOf(subject));
    const isEmpty = query.names.length === 0;
    const { judged, truncated } = await this.#search(query, ordinal);
    const { ids } = this.#judge;
    return {
      batch_subject_id: ids.subject(ordinal),
      decision: isEmpty ? 'review' : judged.decision,
      external_id: subject.external_id,
      hits: judged.hits,
      line,
      ordinal,
      salt: ids.salt(ordinal),
      subject,
      truncated,
      ...(isEmpty && { unscreened: 'name-empty' as const }),
    };
  }

  async #search(
    query: NormalizedQuery,
    ordinal: number,
  ): Promise<{ judged: JudgedSubject; truncated: boolean }> {
    if (query.names.length === 0 || this.#indexes.length === 0) {
      return { judged: { decision: 'auto_clear', hits: [] }, truncated: false };
    }
    const { candidates, truncated } = await this.#engine.screen({
      deadlineMs: SUBJECT_DEADLINE_MS,
      indexes: this.#indexes,
      query,
      settings: this.#settings,
    });
    return { judged: judgeSubject(this.#judge, candidates, ordinal), truncated };
  }
}

/**
 * The native name is a name of the query, as a transliteration is. Given and family name are none:
 * full_name holds them, and what it does not hold would only pull in the namesakes of a half.
 */
export function queryOf(subject: Subject): RawQuery {
  const { dob, dob_range, full_name, full_name_ar, nationality, type } = subject;
  const spellings = subject.full_name_transliterations ?? [];
  return {
    name: full_name,
    transliterations: full_name_ar === undefined ? spellings : [full_name_ar, ...spellings],
    ...(dob !== undefined && { dob }),
    ...(dob_range !== undefined && { dobRange: dob_range }),
    ...(nationality !== undefined && { nationality }),
    ...(type !== undefined && { schema: type === 'individual' ? 'Person' : 'Company' }),
  };
}

export function figuresOf(results: readonly SubjectResult[]): ScreenedChunk['figures'] {
  const { byDecision, byMatchType } = noCounts();
  const decisions = { ...byDecision };
  const types = { ...byMatchType };
  let hits = 0;
  let subjectsWithHits = 0;
  for (const result of results) {
    decisions[result.decision]++;
    hits += result.hits.length;
    if (result.hits.length > 0) subjectsWithHits++;
    for (const { match_type } of result.hits) types[match_type]++;
  }
  return { byDecision: decisions, byMatchType: types, hits, subjectsWithHits };
}
