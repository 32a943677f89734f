/** Screenings of clients of the made-up tenant, as their events have them, and their alerts. */
import { entry, type JsonObject } from '#core/audit';
import { chainOf, type EventId, type ScreeningId } from '#core/kernel';
import { systemRandom, uuidV7 } from '#platform/random';
import {
  type AlertDeskPorts,
  alertIdOf,
  alertTable,
  commitStep,
  draftOf,
  raiseAlerts,
} from '#slices/alerts';
import { monitoredTable } from '#slices/rescreening';
import { type Decision, signedVerdict, subjectKeyOfRef } from '#slices/screening';
import { BY, type RiskDesk, TENANT } from './riskDesk.ts';

const ALL = ['MATCH_DIRECT_SANCTIONS', 'MATCH_PEP', 'POTENTIAL_ADVERSE_MEDIA'];

export interface Found {
  readonly typology: Decision;
  readonly channel?: 'rescreening' | 'unit';
  readonly ftmId?: string;
  /** The version of the list. */
  readonly version?: number;
  /** Whom the event is of; absent: the client. */
  readonly subjectRef?: string;
}

/** One screening; where it has hits it raises an alert, which is told as the outbox tells it. */
export async function screened(desk: RiskDesk, externalRef: string, found: Found) {
  const { channel = 'rescreening', ftmId = 'demo-1', subjectRef = externalRef, typology } = found;
  const digest = String(found.version ?? 0).padStart(64, 'd');
  const { ports } = desk;
  const screeningId = uuidV7(desk.clock.now(), systemRandom);
  const subjectId = subjectKeyOfRef(TENANT, subjectRef);
  const isClear = typology === 'CLEAR';
  const hit = {
    categories: [],
    directScore: 0.95,
    ftm_id: ftmId,
    primary_name: 'X',
    source_lists_hits: [{ list: 'DEMO' }],
    typology,
  };
  const members = {
    candidates: isClear ? [] : [hit],
    channel,
    list_version: 'v',
    lists: [{ content_digest: 'c'.repeat(64), list_digest: digest, source: 'DEMO' }],
    policy_version: 1,
    reranker_version: '1.1.0',
    reranker_weights: {},
    screening_id: screeningId,
    subject_key: subjectId,
    thresholds: {},
    verdict: { decision: typology },
    ...(channel === 'rescreening' && {
      rescreening: { entries: [ftmId], run_id: 'r', subject_id: subjectId },
    }),
  };
  const known = await ports.tables.find(monitoredTable, { subjectId, tenantId: TENANT });
  const watched = { state: 'active', subjectId, subjectRef, tenantId: TENANT, version: 1 };
  await ports.commit(chainOf(TENANT), {
    bus: [],
    changes: known === undefined ? [monitoredTable.put(watched as never, 0)] : [],
    events: [
      {
        decision: typology,
        eventId: uuidV7(desk.clock.now(), systemRandom) as EventId,
        members: members as never as JsonObject,
        occurredAt: desk.clock.now(),
        open: { query_normalized: { names: ['X'] } } as never,
        screeningId: screeningId as ScreeningId,
        type: 'screening',
      },
    ],
  });
  const verdict = await signedVerdict(ports.facts.screened, { screeningId, tenantId: TENANT });
  const draft = draftOf(verdict);
  await raiseAlerts(alertPorts(desk), TENANT, draft === undefined ? [] : [draft]);
  const alertId = alertIdOf(TENANT, { kind: 'screening', screeningId });
  const raised = {
    partition: TENANT,
    payload: { alert_id: alertId, type: channel === 'unit' ? 'screening' : 'list_change' },
  };
  return { alertId, raised, screeningId };
}

/** People have decided the alert. */
export async function closeAlert(
  desk: RiskDesk,
  alertId: string,
  status: 'closed_false_positive' | 'closed_true_positive',
): Promise<void> {
  const alert = await desk.ports.tables.find(alertTable, { alertId, tenantId: TENANT });
  if (alert === undefined) throw new Error('no such alert');
  await commitStep(alertPorts(desk), alert, {
    actor: BY.actor,
    step: { action: 'aml.alert.closed', change: { status }, members: { outcome: status } },
  });
}

/** A case of the client was rejected. */
export async function rejected(desk: RiskDesk, externalRef: string): Promise<void> {
  await desk.ports.commit(chainOf(TENANT), {
    bus: [],
    changes: [],
    events: [
      entry(desk.ports, {
        action: 'kyc.case.decision_made',
        actor: BY.actor,
        members: { decision: 'rejected', external_ref: externalRef },
        target: 'case:x',
      }),
    ],
  });
}

const alertPorts = ({ ports, tables }: RiskDesk) =>
  ({
    ...ports,
    settingsOf: async () => ({
      assignedTo: 'nobody',
      dueHours: { Critical: 4, High: 24, Low: 240, Medium: 120 },
      fourEyes: 'none',
      raisedFor: ALL,
    }),
    tables,
  }) as unknown as AlertDeskPorts;
