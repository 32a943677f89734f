/**
 * A chunk of a batch of kind `sanctions` (interface.md 4.8): each subject is a screening of its own
 * by the tenant's policy, with the event and the bus message of a unit screening. They are
 * committed with the end of the chunk, in one step: all of its screenings exist, or none.
 *
 * So a chunk that is done again, after a worker died before that step, may have other screening
 * ids: the former ones were never visible. If two workers did the same chunk, one commits, and the
 * other is stale as a whole.
 *
 * Its result lines are those of any batch, and also name the screening and its verdict. Their hits
 * are the screening's own: the policy decides what a hit is, not the thresholds of the batch.
 */
import assert from 'node:assert/strict';
import type { EventDraft } from '#core/audit';
import { type BusEvent, DomainError } from '#core/kernel';
import type { NumberedSubject } from '#slices/intake';
import {
  completedEvent,
  type Decision,
  type Hit,
  type ListSet,
  type QueryPorts,
  type ScreenedQuery,
  type Suppressed,
  screeningDraft,
  screenQuery,
  sourceOf,
  subjectKeyOfRef,
  type Typology,
} from '#slices/screening';
import type { SubjectDecision } from './batch.ts';
import { BatchIds } from './batchIds.ts';
import { MATCH_TYPE_OF, matchScore } from './judgeSubject.ts';
import type { BatchHit, SubjectResult } from './resultLine.ts';
import { type ChunkAsk, queryOf, restOf, SUBJECT_DEADLINE_MS } from './screenChunk.ts';

/** The decision of a batch for each verdict of a policy. */
const DECISION_OF: Readonly<Record<Decision, SubjectDecision>> = {
  CLEAR: 'auto_clear',
  MATCH_DIRECT_SANCTIONS: 'match',
  MATCH_PEP: 'match',
  MATCH_RCA_DIRECT: 'review',
  MATCH_RCA_INDIRECT: 'review',
  POTENTIAL_ADVERSE_MEDIA: 'review',
};

/** The additional members of a line of such a batch. */
export interface ScreenedSubject extends SubjectResult {
  /** Absent: the subject's name holds nothing to screen by, and there was no screening. */
  readonly screening?: { readonly decision: Decision; readonly screening_id: string };
}

type Ports<Index extends object> = Omit<QueryPorts<Index>, 'deadlineMs'>;

/** Hands over one subject after the other, in their order. */
export async function* screenAsScreenings<Index extends object>(
  ports: Ports<Index>,
  ask: ChunkAsk<Index>,
): AsyncGenerator<ScreenedAsScreening> {
  const screener = new Screener(ports, ask);
  for (const [at, subject] of restOf(ask)) {
    ask.checkStop?.();
    const { line, screened } = await screener.screen(subject, at);
    const evidence = screened && {
      bus: completedEvent(ask.batch.tenantId, screened.record.verdict),
      event: screeningDraft(ports, screened),
    };
    yield { line, ...(evidence && { evidence }) };
  }
}

export interface ScreenedAsScreening {
  readonly line: ScreenedSubject;
  /** For the chunk's commit; absent where there was no screening. */
  readonly evidence?: { readonly event: EventDraft; readonly bus: BusEvent };
}

interface Screened {
  readonly line: ScreenedSubject;
  readonly screened?: ScreenedQuery;
}

class Screener<Index extends object> {
  readonly #ports: Ports<Index>;
  readonly #ask: ChunkAsk<Index>;
  readonly #ids: BatchIds;
  readonly #listSet: ListSet;

  constructor(ports: Ports<Index>, ask: ChunkAsk<Index>) {
    const { batch } = ask;
    // An event names its lists whole: of a part of them, a replay would find more.
    assert(batch.mode === 'full' || batch.mode === 'newlist', 'screenings are against whole lists');
    assert(batch.listVersion !== undefined && batch.listsPinned !== undefined, 'lists are pinned');
    this.#ports = ports;
    this.#ask = ask;
    this.#ids = new BatchIds(batch);
    this.#listSet = {
      listVersion: batch.listVersion,
      ...(batch.listVersionV && { listVersionV: batch.listVersionV }),
      references: batch.listsPinned.map(
        ({ content_digest, index, list_digest, list_version, overlay, source }) => ({
          content_digest,
          ...(index !== undefined && { index }),
          list_digest,
          list_version,
          ...(overlay !== undefined && { overlay }),
          source,
        }),
      ),
    };
  }

  async screen(numbered: NumberedSubject, at: number): Promise<Screened> {
    const { batch, clusters, exclusions, lists } = this.#ask;
    const { subject } = numbered;
    const ordinal = this.#ask.chunkNo * batch.chunkSubjects + at;
    const screened = await screenQuery(
      { ...this.#ports, deadlineMs: SUBJECT_DEADLINE_MS },
      {
        clusters,
        exclusions,
        lists,
        listSet: this.#listSet,
        namePointer: `/subjects/${ordinal}/full_name`,
        query: queryOf(subject),
        channel: 'batch_item',
        requestedBy: batch.requestedBy,
        settings: batch.settings,
        subjectKey: subjectKeyOfRef(batch.tenantId, subject.external_id),
      },
    ).catch(unlessNameEmpty);
    if (screened === undefined) return { line: this.#unscreened(numbered, ordinal) };
    return { line: this.#line(numbered, ordinal, screened), screened };
  }

  #line(numbered: NumberedSubject, ordinal: number, { record }: ScreenedQuery): ScreenedSubject {
    const { decision, hits, screeningId, suppressed } = record.verdict;
    return {
      ...this.#head(numbered, ordinal),
      decision: DECISION_OF[decision],
      hits: hits.map((hit, position) => ({
        hit_id: this.#ids.hit({ ordinal, position }),
        ...this.#hitOf(hit),
      })),
      screening: { decision, screening_id: screeningId },
      ...(suppressed && { suppressed: suppressed.map(suppressedEntry) }),
      truncated: record.members.truncated === true,
    };
  }

  #hitOf({ effectiveWeights: _, ...payload }: Hit): Omit<BatchHit, 'hit_id'> {
    const { directScore, ftm_id, typology } = payload;
    assert(typology !== null, 'a hit has a typology');
    return {
      list_source: sourceOf(payload),
      match_score: matchScore(directScore),
      match_type: MATCH_TYPE_OF[typology],
      payload,
      record_id: ftm_id,
      strong: directScore >= this.#ask.batch.thresholds.autoMatch,
    };
  }

  #unscreened(numbered: NumberedSubject, ordinal: number): ScreenedSubject {
    const head = this.#head(numbered, ordinal);
    return { ...head, decision: 'review', hits: [], truncated: false, unscreened: 'name-empty' };
  }

  #head({ line, subject }: NumberedSubject, ordinal: number) {
    return {
      batch_subject_id: this.#ids.subject(ordinal),
      external_id: subject.external_id,
      line,
      ordinal,
      salt: this.#ask.batch.lineVersion === undefined ? this.#ids.salt(ordinal) : '',
      subject,
    };
  }
}

const suppressedEntry = ({ exclusion_id, ftm_id, source, typology }: Suppressed) => ({
  exclusion_id,
  list_source: source,
  match_type: MATCH_TYPE_OF[typology as Typology],
  record_id: ftm_id,
});

/** A subject like any other of its batch: the others are screened, and it waits for a person. */
function unlessNameEmpty(error: unknown): undefined {
  if (error instanceof DomainError && error.code === 'name-empty') return undefined;
  throw error;
}
