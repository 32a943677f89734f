/**
 * What an alert is about, read from the evidence of its cause when it is shown: who was screened,
 * and the hits. Nothing personal is copied into the alert, so what was erased there is gone here.
 */
import type { AuditStore, SignedEvents } from '#core/audit';
import { chainOf, DomainError, type ErrorCode, type ScreeningId, type Tables } from '#core/kernel';
import type { ReadingCaller } from '#slices/batches';
import { type ExclusionPlace, findExclusion } from '#slices/exclusions';
import { sourceOf, storedVerdict } from '#slices/screening';
import { SCREENED_RULES, TYPOLOGY_OF } from './alert.ts';
import type { AlertSubject } from './alertSubject.ts';
import type { ListChangeSubject, ListedPartyPayments, RuleAlertSubject } from './asks.ts';
import { type BatchEvidencePorts, type SubjectPlace, SubjectsTogether } from './batchSubjects.ts';
import type { Alert, AlertCause } from './tables.ts';

/** What causes are read with. */
export interface CausePorts extends BatchEvidencePorts {
  readonly audit: Pick<AuditStore, 'findByScreening'>;
  readonly events: Pick<SignedEvents, 'checkOpen' | 'read'>;
  readonly listChangeSubject: ListChangeSubject;
  readonly listedPartyPayments: ListedPartyPayments;
  readonly ruleAlertSubject: RuleAlertSubject;
  readonly tables: Pick<Tables, 'find'>;
}

type AlertOf = Pick<Alert, 'alertId' | 'ruleId' | 'tenantId'> & { readonly cause: AlertCause };

/**
 * The subject and its hits. Throws `evidence-altered` or `results-altered` where the evidence is
 * not what was signed, and as a gateway's reader of results does.
 */
export async function subjectOf(
  ports: CausePorts,
  alert: AlertOf,
  by?: ReadingCaller,
): Promise<AlertSubject> {
  const subjects = new SubjectsTogether(ports, placesOf([alert]), by);
  return toldBy(ports, alert, { isWhole: true, subjects });
}

async function toldBy(
  ports: CausePorts,
  alert: AlertOf,
  { isWhole, subjects }: { readonly isWhole: boolean; readonly subjects: SubjectsTogether },
): Promise<AlertSubject> {
  const { cause, tenantId } = alert;
  if (cause.kind === 'screening') {
    const subject = await screened(ports, { ...cause, tenantId });
    if (!isWhole || !SCREENED_RULES.includes(alert.ruleId ?? '')) return subject;
    const payments = await ports.listedPartyPayments({ ...cause, tenantId });
    return { ...subject, ...(payments !== undefined && { payments }) };
  }
  if (cause.kind === 'batch_subject') return batched(subjects, { ...cause, tenantId });
  if (cause.kind === 'exclusion_ended') return formerlyExcluded(ports, { ...cause, tenantId });
  const subject =
    cause.kind === 'list_change'
      ? await ports.listChangeSubject({ ...cause, tenantId })
      : await ports.ruleAlertSubject(alert, isWhole);
  if (subject === undefined) throw new DomainError('not-found', { detail: 'no such finding' });
  return subject;
}

const placesOf = (alerts: readonly AlertOf[]): readonly SubjectPlace[] =>
  alerts.flatMap(({ cause, tenantId }) =>
    cause.kind === 'batch_subject' ? [{ ...cause, tenantId }] : [],
  );

/** Why evidence cannot be shown. */
export const EVIDENCE_FAULTS: ReadonlySet<ErrorCode> = new Set([
  'blob-damaged',
  'evidence-altered',
  'not-found',
  'results-altered',
]);

/**
 * The subjects of alerts that are shown together. One whose evidence cannot be read says so, and
 * takes no other with it.
 */
export function subjectsOf(
  ports: CausePorts,
  alerts: readonly AlertOf[],
  { by, isWhole = false }: { readonly by?: ReadingCaller; readonly isWhole?: boolean } = {},
): (alert: AlertOf) => Promise<AlertSubject> {
  const subjects = new SubjectsTogether(ports, placesOf(alerts), by);
  return async (alert) => {
    try {
      return await toldBy(ports, alert, { isWhole, subjects });
    } catch (error) {
      if (!(error instanceof DomainError) || !EVIDENCE_FAULTS.has(error.code)) throw error;
      return { fault: error.code, hits: [], isErased: false };
    }
  };
}

async function screened(
  { audit, events }: Pick<CausePorts, 'audit' | 'events'>,
  { screeningId, tenantId }: Pick<Alert, 'tenantId'> & { readonly screeningId: string },
): Promise<AlertSubject> {
  const chainId = chainOf(tenantId);
  const event = await audit.findByScreening(chainId, screeningId as ScreeningId);
  if (event === undefined) {
    throw new DomainError('evidence-altered', { detail: `screening ${screeningId}: it is gone` });
  }
  const members = await events.read(chainId, event);
  const query = members.query_normalized as { readonly names?: readonly unknown[] } | undefined;
  return {
    hits: storedVerdict(event).hits.map((hit) => ({
      ftmId: hit.ftm_id,
      matchedName: hit.matched_name,
      primaryName: hit.primary_name,
      score: hit.directScore,
      source: sourceOf(hit),
      typology: hit.typology ?? '',
    })),
    isErased: query === undefined,
    ...(typeof members.subject_key === 'string' && { subjectKey: members.subject_key }),
    ...(query?.names !== undefined && { names: query.names.map(String) }),
  };
}

/** The hit that was excluded, as its screening has it: what was decided is in its exclusion. */
async function formerlyExcluded(
  ports: Pick<CausePorts, 'audit' | 'events' | 'tables'>,
  place: ExclusionPlace,
): Promise<AlertSubject> {
  const { ftmId, screeningId, subjectRef, tenantId } = await findExclusion(ports, place);
  const { hits, ...subject } = await screened(ports, { screeningId, tenantId });
  return {
    ...subject,
    ...(subjectRef !== undefined && !subject.isErased && { externalId: subjectRef }),
    hits: hits.filter((hit) => hit.ftmId === ftmId),
  };
}

async function batched(subjects: SubjectsTogether, place: SubjectPlace): Promise<AlertSubject> {
  const result = await subjects.of(place);
  const isErased = result.erased === true;
  return {
    ...(!isErased && { externalId: result.external_id, names: [result.subject.full_name] }),
    hits: result.hits.map((hit) => ({
      ftmId: hit.record_id,
      matchedName: text(hit.payload.matched_name),
      primaryName: text(hit.payload.primary_name) ?? '',
      score: hit.match_score,
      source: hit.list_source,
      typology: TYPOLOGY_OF[hit.match_type],
    })),
    isErased,
  };
}

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
