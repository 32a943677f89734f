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
import {
  DECISIONS,
  type ScreenedPorts,
  signedScreening,
  subjectKeyOfRef,
  type Verdict,
} from '#slices/screening';
import type { Facts, FactValue } from './facts.ts';
import { RESCREENINGS_MAX, UNIT } from './limits.ts';
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

/** A re-screening of the client that counts, by which its alert is found. */
export interface RescreeningSeen extends ScreeningSeen {
  readonly screening_id: string;
}

/** All that an evaluation is made from. */
export interface ClientFacts {
  readonly facts: Facts;
  /** Null: the case has none. */
  readonly screening: ScreeningSeen | null;
  /** Oldest first. */
  readonly rescreenings: readonly RescreeningSeen[];
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

/** What facts are asked for with. */
export interface FactsAsk {
  readonly given: Facts;
  readonly now: EpochMs;
  /** Ids of re-screenings that the last evaluation named. */
  readonly rescreenings: readonly string[];
  /** One that nobody has looked at yet. */
  readonly rescreening?: string | undefined;
}

/** Throws `subject-erased`, `blob-damaged`, `evidence-altered`. */
export async function readFacts(
  ports: ClientFactsPorts,
  known: KnownClient,
  of: FactsAsk,
): Promise<ClientFacts> {
  const { record, subject } = known;
  const content = await readContent(ports.cases, record);
  const found = await screeningFacts(ports, known, of);
  const own = caseFacts(record, content.subject, { now: of.now, since: subject.createdAt });
  return { ...found, facts: present({ ...of.given, ...own, ...found.facts }) };
}

type Maybe = Readonly<Record<string, FactValue | undefined>>;
const present = (facts: Maybe): Facts =>
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

/** A screening with what was found, and the alert that it raised. */
interface Seen {
  readonly alert: Alert | undefined;
  readonly seen: RescreeningSeen;
  readonly subjectKey: string | undefined;
  readonly verdict: Verdict;
}

/**
 * The lists say of a client what the last screening of them found: that of the case, or a later
 * re-screening. The case may name a screening of somebody beside them, an owner: that counts, too.
 * What people decided of hits counts as long as the hits are there.
 */
async function screeningFacts(
  ports: ClientFactsPorts,
  known: KnownClient,
  of: FactsAsk,
): Promise<Omit<ClientFacts, 'facts'> & { readonly facts: Maybe }> {
  const { screening, tenantId } = known.record;
  const key = subjectKeyOfRef(tenantId, known.subject.externalRef);
  const own = screening && (await seeScreening(ports, tenantId, screening.screeningId));
  const again = await rescreeningsOf(ports, { ask: of, key, screening, tenantId });
  const isOfClient = own?.subjectKey === key;
  const last = [...(own && isOfClient ? [own] : []), ...again].toSorted(bySeq).at(-1);
  const current = [last, isOfClient ? undefined : own].filter((one) => one !== undefined);
  if (current.length === 0) return { facts: {}, rescreenings: [], screening: null };
  const hits = current.flatMap(({ verdict }) => verdict.hits);
  const isThere = (one: Seen): boolean =>
    current.includes(one) || one.verdict.hits.some((hit) => idsOf([hit]).some((id) => ids.has(id)));
  const ids = new Set(idsOf(hits));
  const kept = again.filter(isThere);
  const counted = [...(own && isThere(own) ? [own] : []), ...kept];
  const decision = DECISIONS.find((word) => current.some((one) => one.verdict.decision === word));
  return {
    facts: amlFacts(
      { decision: decision ?? 'CLEAR', hits },
      counted.flatMap(({ alert }) => (alert === undefined ? [] : [alert])),
    ),
    rescreenings: kept.slice(-RESCREENINGS_MAX).map(({ seen }) => seen),
    screening: own === undefined ? null : screeningSeen(own.seen),
  };
}

const bySeq = (one: Seen, other: Seen): number => one.seen.seq - other.seen.seq;
const idsOf = (hits: Verdict['hits']): readonly string[] =>
  hits.flatMap(({ ftm_id, merged = [] }) => [ftm_id, ...merged.map((one) => one.ftm_id)]);
const screeningSeen = ({ screening_id: _, ...seen }: RescreeningSeen): ScreeningSeen => seen;

/** Throws `evidence-altered` where the one that is new is none, or of another customer. */
async function rescreeningsOf(
  ports: ClientFactsPorts,
  of: {
    readonly ask: Pick<FactsAsk, 'rescreening' | 'rescreenings'>;
    readonly key: string;
    readonly screening: CaseRecord['screening'];
    readonly tenantId: TenantId;
  },
): Promise<readonly Seen[]> {
  const { ask, key, screening, tenantId } = of;
  const { rescreening, rescreenings } = ask;
  const ids = new Set([...rescreenings, ...(rescreening === undefined ? [] : [rescreening])]);
  // A list may have brought it to the case itself.
  if (screening !== undefined) ids.delete(screening.screeningId);
  const found: Seen[] = [];
  for (const id of ids) {
    const one = await seeScreening(ports, tenantId, id);
    const isNamed = rescreenings.includes(id);
    if (isNamed || (one.subjectKey === key && one.verdict.rescreened !== undefined)) {
      found.push(one);
      continue;
    }
    const detail = `screening ${id}: no re-screening of this client`;
    throw new DomainError('evidence-altered', { detail });
  }
  return found.toSorted(bySeq);
}

/** Throws `not-found`, `evidence-altered`. */
async function seeScreening(
  ports: ClientFactsPorts,
  tenantId: TenantId,
  screeningId: string,
): Promise<Seen> {
  const { subjectKey, verdict } = await signedScreening(ports.screened, { screeningId, tenantId });
  const event = await ports.audit.findByScreening(chainOf(tenantId), screeningId as ScreeningId);
  if (event === undefined) throw new DomainError('not-found');
  return {
    alert: await alertOf(ports, tenantId, screeningId),
    seen: {
      event_id: event.eventId,
      hash: event.hash,
      lists: verdict.references.map((one) => ({
        content_digest: one.content_digest,
        list_digest: one.list_digest,
        source: one.source,
      })),
      screening_id: screeningId,
      seq: event.seq,
    },
    subjectKey,
    verdict,
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
  alerts: readonly Pick<Alert, 'reviews' | 'status'>[],
): Maybe {
  const scoreOf = (of: readonly (typeof hits)[number][]): number =>
    of.reduce((most, { directScore }) => Math.max(most, Math.round(directScore * UNIT)), 0);
  const typologies = [...new Set(hits.map(({ typology }) => String(typology)))].sort();
  return {
    'aml.adverse_media_score': scoreOf(
      hits.filter(({ typology }) => typology === 'POTENTIAL_ADVERSE_MEDIA'),
    ),
    'aml.confirmed_hits': alerts.reduce((sum, alert) => sum + confirmedOf(alert), 0),
    'aml.decision': decision,
    'aml.max_score': scoreOf(hits),
    'aml.open_alerts': alerts.filter((alert) => !isClosed(alert)).length,
    'aml.typologies': typologies,
    'client.pep': typologies.includes('MATCH_PEP'),
  };
}

function confirmedOf({ reviews = [], status }: Pick<Alert, 'reviews' | 'status'>): number {
  const confirmed = reviews.filter((one) => one.status === 'true_positive').length;
  return status === 'closed_true_positive' ? confirmed || 1 : confirmed;
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
