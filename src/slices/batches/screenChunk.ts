/**
 * Subjects of a chunk → their results. Deterministic: the same subjects against the same lists and
 * settings give the same lines, so a chunk that two workers did, or one did twice, is one.
 */
import type { NumberedSubject, Subject } from '#slices/intake';
import type { Clusters } from '#slices/resolution';
import {
  besideExcluded,
  type CandidateEngine,
  type Exclusions,
  type ExclusionsAt,
  excludedFor,
  type RawQuery,
} from '#slices/screening';
import type { Batch } from './batch.ts';
import { BatchIds } from './batchIds.ts';
import type { BatchLists } from './chunkPorts.ts';
import { type JudgeContext, judgeSubject } from './judgeSubject.ts';
import type { SubjectResult } from './resultLine.ts';

/** No honest query takes this long; one that does fails its chunk, which is tried again. */
export const SUBJECT_DEADLINE_MS = 30_000;

export interface ChunkAsk<Index> {
  readonly batch: Batch;
  readonly chunkNo: number;
  readonly subjects: readonly NumberedSubject[];
  /** Subjects before it are screened already. */
  readonly from?: number;
  readonly lists: BatchLists<Index>['lists'];
  readonly clusters?: Clusters | undefined;
  readonly exclusions?: Exclusions | undefined;
  /** Called between two subjects; ends the work by throwing. */
  readonly checkStop?: () => void;
}

/** Subjects that are not screened yet, each with its place in the chunk. */
export function restOf({
  from = 0,
  subjects,
}: Pick<ChunkAsk<unknown>, 'from' | 'subjects'>): readonly (readonly [number, NumberedSubject])[] {
  return [...subjects.entries()].slice(from);
}

/** Hands over one result a subject, in their order. */
export async function* screenChunk<Index>(
  engine: CandidateEngine<Index>,
  ask: ChunkAsk<Index>,
): AsyncGenerator<SubjectResult> {
  const screener = new ChunkScreener(engine, ask);
  for (const [at, subject] of restOf(ask)) {
    ask.checkStop?.();
    yield await screener.screen(subject, at);
  }
}

class ChunkScreener<Index> {
  readonly #engine: CandidateEngine<Index>;
  readonly #indexes: readonly Index[];
  readonly #settings: Parameters<CandidateEngine<Index>['screen']>[0]['settings'];
  readonly #judge: JudgeContext;
  readonly #first: number;
  readonly #exclusions: Exclusions | undefined;
  /** When the batch began, and on which lists: the same for all of its chunks. */
  readonly #pinned: ExclusionsAt;
  /** Its salt is another one then (subjectSeal.ts). */
  readonly #isSealed: boolean;

  constructor(engine: CandidateEngine<Index>, ask: ChunkAsk<Index>) {
    const { batch, chunkNo, clusters, exclusions, lists } = ask;
    const { settings, thresholds } = batch;
    this.#engine = engine;
    this.#isSealed = batch.lineVersion !== undefined;
    this.#exclusions = exclusions;
    this.#pinned = { at: batch.startedAt ?? batch.requestedAt, lists: batch.listsPinned ?? [] };
    this.#indexes = lists.map(({ index }) => index);
    this.#settings = {
      ...settings,
      answerScoreMin: thresholds.autoClear,
      directScoreMin: thresholds.autoClear,
      version: settings.rerankerVersion,
    };
    this.#judge = {
      batch,
      clusters,
      ids: new BatchIds(batch),
      sources: lists.map(({ source }) => source),
    };
    this.#first = chunkNo * batch.chunkSubjects;
  }

  async screen({ line, subject }: NumberedSubject, at: number): Promise<SubjectResult> {
    const ordinal = this.#first + at;
    const call = {
      deadlineMs: SUBJECT_DEADLINE_MS,
      indexes: this.#indexes,
      settings: this.#settings,
    };
    const first = await this.#engine.screen({ ...call, query: queryOf(subject) });
    const { query } = first;
    const isEmpty = query.names.length === 0;
    const excluded = excludedFor(this.#exclusions, query, this.#pinned);
    const { sources } = this.#judge;
    const found = await besideExcluded(this.#engine, call, { excluded, first, sources });
    const { candidates, truncated } = found;
    const judged = judgeSubject(this.#judge, candidates, { excluded, ordinal });
    const { ids } = this.#judge;
    return {
      batch_subject_id: ids.subject(ordinal),
      decision: isEmpty ? 'review' : judged.decision,
      external_id: subject.external_id,
      hits: judged.hits,
      line,
      ordinal,
      salt: this.#isSealed ? '' : ids.salt(ordinal),
      subject,
      ...(judged.suppressed && { suppressed: judged.suppressed }),
      truncated,
      ...(isEmpty && { unscreened: 'name-empty' as const }),
    };
  }
}

/**
 * The native name is a name of the query, as a transliteration is. Given and family name are not:
 * full_name contains them, and a part that it does not contain would only bring in namesakes of
 * that part.
 */
export function queryOf(subject: Subject): RawQuery {
  const { dob, dob_range, full_name, full_name_ar, gender, national_id, nationality, type } =
    subject;
  const spellings = subject.full_name_transliterations ?? [];
  return {
    name: full_name,
    transliterations: full_name_ar === undefined ? spellings : [full_name_ar, ...spellings],
    ...(dob !== undefined && { dob }),
    ...(dob_range !== undefined && { dobRange: dob_range }),
    ...(nationality !== undefined && { nationality }),
    ...(gender !== undefined && { gender }),
    ...(national_id !== undefined && { identifiers: [national_id] }),
    ...(type !== undefined && { schema: type === 'individual' ? 'Person' : 'Company' }),
  };
}
