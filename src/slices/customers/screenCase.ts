/**
 * The parties of a case are compared with the lists that its workflow names, by the same engine,
 * policy and exclusions as any other screening of a customer. Each is a screening of its own, whose
 * event, message and rows go into the commit that has the verdict: there is no verdict without its
 * evidence, and none that was given twice.
 */
import type { Commit } from '#core/audit';
import { DomainError, type TenantId } from '#core/kernel';
import type { Clock } from '#platform/clock';
import type { Random } from '#platform/random';
import { uuidOfText } from '#slices/alerts';
import { queryOf } from '#slices/batches';
import {
  completedEvent,
  DECISIONS,
  type Decision,
  entriesOf,
  type MonitorSubject,
  type RawQuery,
  registerChanges,
  registerRows,
  type ScreenedQuery,
  screeningDraft,
  subjectKeyOfRef,
} from '#slices/screening';
import type { CaseContent } from './caseContent.ts';
import { BY_SYSTEM } from './ports.ts';
import { type CaseParty, partiesOf } from './screenedSubject.ts';
import type { CaseRecord } from './tables.ts';

/** Compares names with the lists of one case, which are chosen once. */
export type ScreenParty = (of: {
  readonly query: RawQuery;
  /** Digest of the customer's reference; absent: a party beside the customer. */
  readonly subjectKey?: string;
  readonly signal?: AbortSignal;
}) => Promise<ScreenedQuery>;

/** Opens the lists of a workflow. Rejects with `list-unavailable` and its kin. */
export type OpenCaseScreening = (of: {
  readonly tenantId: TenantId;
  /** Codes of lists; empty: all that the tenant has. */
  readonly lists: readonly string[];
}) => Promise<ScreenParty>;

/** What compares the parties of a case. */
export interface ScreenPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly openScreening: OpenCaseScreening;
  readonly monitorSubject: MonitorSubject;
}

type Evidence = Pick<Commit, 'bus' | 'changes' | 'events'>;

/** What a commit has for one screening. */
interface Part extends Evidence {
  readonly screeningId: string;
}

/** What the lists say of a case, and what its commit has for it. */
export interface CaseScreening {
  readonly screeningId: string;
  /** The worst of all parties. */
  readonly decision: Decision;
  readonly listVersion: string;
  readonly parties: number;
  readonly hits: number;
  /** A part a screening; the first one is the customer's own, who is watched from then on. */
  readonly parts: readonly Part[];
}

/** Undefined where there is no name. Rejects as a screening does. */
export async function screenCase(
  ports: ScreenPorts,
  of: {
    readonly record: CaseRecord;
    readonly content: CaseContent;
    readonly lists: readonly string[];
    /** The task that asks: each of its tries that is answered alike has the same screenings. */
    readonly round: string;
    readonly signal?: AbortSignal;
  },
): Promise<CaseScreening | undefined> {
  const { lists, record, round, signal } = of;
  const { tenantId } = record;
  const parties = partiesOf(record, of.content.subject);
  if (parties[0]?.role !== 'subject') return undefined;
  const screen = await ports.openScreening({ lists, tenantId });
  const found: { readonly party: CaseParty; readonly screened: ScreenedQuery }[] = [];
  for (const [place, party] of parties.entries()) {
    signal?.throwIfAborted();
    const screened = await screen({
      query: queryOf(party.subject),
      ...(party.role === 'subject' && {
        subjectKey: subjectKeyOfRef(tenantId, record.externalRef),
      }),
      ...(signal && { signal }),
    }).catch(unlessNameEmpty);
    if (screened === undefined) continue;
    found.push({ party, screened: named(screened, `${tenantId} ${round} ${place}`) });
  }
  // Without the customer's own the others prove nothing.
  if (found[0]?.party.role !== 'subject') return undefined;
  const verdicts = found.map(({ screened }) => screened.record.verdict);
  const decision = DECISIONS.find((word) => verdicts.some((one) => one.decision === word));
  const worst = verdicts.find((one) => one.decision === decision);
  if (decision === undefined || worst === undefined) return undefined;
  return {
    decision,
    hits: verdicts.reduce((sum, { hits }) => sum + hits.length, 0),
    listVersion: worst.listVersion,
    parties: verdicts.length,
    parts: await Promise.all(found.map((one) => partOf(ports, record, one))),
    screeningId: worst.screeningId,
  };
}

/**
 * The screening under an id that follows from who asks, what was asked and what was answered. So
 * another try of the same checks finds its event, and makes a second one only of another answer.
 */
function named(screened: ScreenedQuery, asker: string): ScreenedQuery {
  const { query, record } = screened;
  const { screeningId: _, ...answer } = record.verdict;
  const screeningId = uuidOfText(`case-screening-v1\0${JSON.stringify([asker, query, answer])}`);
  const members = { ...record.members, screening_id: screeningId };
  return { ...screened, record: { members, verdict: { ...record.verdict, screeningId } } };
}

/** A name without a letter cannot be compared. */
function unlessNameEmpty(error: unknown): undefined {
  if (error instanceof DomainError && error.code === 'name-empty') return undefined;
  throw error;
}

async function partOf(
  ports: ScreenPorts,
  { externalRef, tenantId }: CaseRecord,
  { party, screened }: { readonly party: CaseParty; readonly screened: ScreenedQuery },
): Promise<Part> {
  const { verdict } = screened.record;
  const draft = screeningDraft(ports, screened);
  const isCustomer = party.role === 'subject';
  const watched = isCustomer
    ? await ports.monitorSubject({
        actor: BY_SYSTEM,
        entries: entriesOf(verdict),
        query: queryOf(party.subject),
        screeningId: verdict.screeningId,
        subjectRef: externalRef,
        tenantId,
      })
    : NOTHING;
  const rows = registerRows(verdict, {
    channel: 'unit',
    occurredAt: draft.occurredAt,
    requestedBy: BY_SYSTEM,
    tenantId,
    ...(isCustomer && { subjectKey: subjectKeyOfRef(tenantId, externalRef) }),
  });
  return {
    bus: [completedEvent(tenantId, verdict), ...watched.bus],
    changes: [...registerChanges(rows), ...watched.changes],
    events: [draft, ...watched.events],
    screeningId: verdict.screeningId,
  };
}

const NOTHING: Evidence = { bus: [], changes: [], events: [] };
