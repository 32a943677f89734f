/**
 * What is known of a client: from the newest case, from its screening and the alert that it raised,
 * and what callers gave before. What is not known is left out, and counts as missing.
 */
import type { AuditStore } from '#core/audit';
import { chainOf, DomainError, type ScreeningId, type Tables, type TenantId } from '#core/kernel';
import { type EpochMs, toTimestamp } from '#platform/clock';
import {
  type Alert,
  alertIdOf,
  alertTable,
  isClosed,
  type SignedAlerts,
  targetOf,
} from '#slices/alerts';
import {
  type CaseReadPorts,
  type CaseRecord,
  type CaseSubject,
  casesOfSubject,
  findSubject,
  readContent,
  type SubjectRecord,
  workflowOf,
} from '#slices/customers';
import { type ScreenedPorts, signedScreening, type Verdict } from '#slices/screening';
import type { Facts, FactValue } from './facts.ts';
import { UNIT } from './limits.ts';
import type { Level } from './words.ts';
import { TIER_OF } from './words.ts';

/** What facts are read with. */
export interface ClientFactsPorts {
  readonly cases: Pick<CaseReadPorts, 'dataKeys' | 'random' | 'signed'> & {
    readonly tables: Pick<Tables, 'find' | 'findUnique' | 'page'>;
  };
  readonly screened: ScreenedPorts;
  readonly audit: Pick<AuditStore, 'findByScreening' | 'lastEntries'>;
  readonly alerts: Pick<SignedAlerts, 'isAsSigned'>;
}

/** By which of their names a client is meant. */
export interface ClientNamed {
  readonly tenantId: TenantId;
  readonly externalRef?: string;
  readonly caseId?: string;
  /** The id of the subject of cases. */
  readonly clientId?: string;
  /** One that stands and that the case is about to name; absent: the one that it names. */
  readonly screening?: CaseRecord['screening'] | undefined;
}

/** A client with the case by which they are evaluated. */
export interface KnownClient {
  readonly subject: SubjectRecord;
  readonly record: CaseRecord;
  /** Whether it is their last one, which alone says where they stand. */
  readonly isNewest: boolean;
}

/** The screening whose findings count, as an evaluation names it. */
export interface ScreeningSeen {
  readonly event_id: string;
  readonly seq: number;
  readonly hash: string;
  readonly lists: readonly {
    readonly source: string;
    readonly list_digest: string;
    readonly content_digest: string;
  }[];
}

/** All that an evaluation is made from. */
export interface ClientFacts {
  readonly facts: Facts;
  /** Null: the case has none. */
  readonly screening: ScreeningSeen | null;
}

/** Throws `risk-client-unknown`, `subject-erased`, `state-altered`. */
export async function findClient(
  { cases }: ClientFactsPorts,
  named: ClientNamed,
): Promise<KnownClient> {
  const ports = cases as never as Parameters<typeof findSubject>[0];
  const { caseId, clientId, externalRef, tenantId } = named;
  const subject = await findSubject(ports, {
    tenantId,
    ...(caseId !== undefined && { caseId }),
    ...(clientId !== undefined && { subjectId: clientId }),
    ...(externalRef !== undefined && { externalRef }),
  });
  if (subject === undefined) throw unknownClient();
  if (subject.erasedAt !== undefined) throw new DomainError('subject-erased');
  const all = await casesOfSubject(ports, subject);
  const record = caseId === undefined ? all.at(-1) : all.find((one) => one.caseId === caseId);
  if (record === undefined) throw unknownClient();
  const { screening = record.screening } = named;
  const isNewest = record === all.at(-1);
  return { isNewest, record: { ...record, ...(screening && { screening }) }, subject };
}

/** The tenant has no such client. */
export const unknownClient = (): DomainError => new DomainError('risk-client-unknown');

/** Throws `subject-erased`, `blob-damaged`, `evidence-altered`. */
export async function readFacts(
  ports: ClientFactsPorts,
  { record, subject }: KnownClient,
  of: { readonly given: Facts; readonly now: EpochMs },
): Promise<ClientFacts> {
  const content = await readContent(ports.cases, record);
  const found = await screeningFacts(ports, record);
  const own = caseFacts(record, content.subject, { now: of.now, since: subject.createdAt });
  return { facts: known({ ...of.given, ...own, ...found.facts }), screening: found.screening };
}

type Maybe = Readonly<Record<string, FactValue | undefined>>;
const known = (facts: Maybe): Facts =>
  Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)) as Facts;

function caseFacts(
  { createdBy, sessionId, subjectType }: CaseRecord,
  subject: CaseSubject,
  { now, since }: { readonly now: EpochMs; readonly since: EpochMs },
): Maybe {
  const today = toTimestamp(now).slice(0, 10);
  const { country_residence, dob, legal_form, nationality, occupation } = subject;
  return {
    'channel.onboarding':
      sessionId !== undefined ? 'session' : createdBy.startsWith('key:') ? 'api' : 'agent',
    'client.age': dob === undefined ? undefined : yearsBetween(dob, today),
    'client.legal_form': legal_form,
    'client.occupation': occupation,
    'client.type': subjectType,
    'client.years_known': yearsBetween(toTimestamp(since).slice(0, 10), today),
    'geo.nationality': nationality,
    'geo.residence': country_residence ?? subject.address?.country,
  };
}

/** Whole years between two days. */
export function yearsBetween(from: string, to: string): number {
  const years = Number(to.slice(0, 4)) - Number(from.slice(0, 4));
  return Math.max(0, to.slice(5) < from.slice(5) ? years - 1 : years);
}

async function screeningFacts(
  ports: ClientFactsPorts,
  { screening, tenantId }: CaseRecord,
): Promise<{ readonly facts: Maybe; readonly screening: ScreeningSeen | null }> {
  if (screening === undefined) return { facts: {}, screening: null };
  const { screeningId } = screening;
  const { verdict } = await signedScreening(ports.screened, { screeningId, tenantId });
  const chainId = chainOf(tenantId);
  const event = await ports.audit.findByScreening(chainId, screeningId as ScreeningId);
  if (event === undefined) throw new DomainError('not-found');
  const alert = await alertOf(ports, tenantId, screeningId);
  return {
    facts: amlFacts(verdict, alert),
    screening: {
      event_id: event.eventId,
      hash: event.hash,
      lists: verdict.references.map((one) => ({
        content_digest: one.content_digest,
        list_digest: one.list_digest,
        source: one.source,
      })),
      seq: event.seq,
    },
  };
}

/**
 * Undefined where none was raised. Throws `evidence-altered` where it is not what was signed, or
 * the chain tells of one that is gone: a row that was deleted is not a screening without an alert.
 */
export async function alertOf(
  { alerts, audit, cases }: ClientFactsPorts,
  tenantId: TenantId,
  screeningId: string,
): Promise<Alert | undefined> {
  const alertId = alertIdOf(tenantId, { kind: 'screening', screeningId });
  const find = () => cases.tables.find(alertTable, { alertId, tenantId });
  let found = await find();
  if (found === undefined) {
    const ask = { chainId: chainOf(tenantId), targets: [targetOf({ alertId })] };
    const [told] = await audit.lastEntries(ask);
    if (told === undefined) return undefined;
    // It may have been raised between the two looks.
    found = await find();
  }
  if (found !== undefined && (await alerts.isAsSigned(found))) return found;
  throw new DomainError('evidence-altered', { detail: `alert ${alertId} is not what was signed` });
}

/** Scores are whole ten-thousandths. */
export function amlFacts(
  { decision, hits }: Pick<Verdict, 'decision' | 'hits'>,
  alert: Pick<Alert, 'reviews' | 'status'> | undefined,
): Maybe {
  const scoreOf = (of: readonly (typeof hits)[number][]): number =>
    of.reduce((most, { directScore }) => Math.max(most, Math.round(directScore * UNIT)), 0);
  const typologies = [...new Set(hits.map(({ typology }) => String(typology)))].sort();
  const confirmed = alert?.reviews?.filter(({ status }) => status === 'true_positive').length ?? 0;
  return {
    'aml.adverse_media_score': scoreOf(
      hits.filter(({ typology }) => typology === 'POTENTIAL_ADVERSE_MEDIA'),
    ),
    'aml.confirmed_hits': alert?.status === 'closed_true_positive' ? confirmed || 1 : confirmed,
    'aml.decision': decision,
    'aml.max_score': scoreOf(hits),
    'aml.open_alerts': alert === undefined || isClosed(alert) ? 0 : 1,
    'aml.typologies': typologies,
    'client.pep': typologies.includes('MATCH_PEP'),
  };
}

/** When a client of this level is looked at again, by the workflow of the case. */
export async function nextReviewOf(
  { cases }: Pick<ClientFactsPorts, 'cases'>,
  record: CaseRecord,
  of: { readonly level: Level; readonly now: EpochMs },
): Promise<EpochMs> {
  const { content } = await workflowOf(cases, record);
  const at = new Date(of.now);
  at.setUTCMonth(at.getUTCMonth() + content.review_every_months[TIER_OF[of.level]]);
  return at.getTime() as EpochMs;
}
