/** Words of the interface for the state of the installation. */
import { type EpochMs, toTimestamp } from '#platform/clock';
import { type Condition, rowOf } from '#slices/notifications';
import { EVERYBODY, type LookedAt, type NodeState, type Trouble, troubleRow } from '#slices/vitals';

const ORDER = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW'];
const round = (value: number): number => Math.round(value * 10) / 10;

/** Host names are for operators; others see which of them it is. */
export const presentNodes = (nodes: readonly NodeState[], isOperator: boolean) =>
  nodes.map(({ ageMs, beat }, no) => {
    const { engineOpen, engineThreads, memoryMb } = beat.figures ?? {};
    return {
      node_id: isOperator ? beat.nodeId : `${no + 1}`,
      role: beat.role,
      version: beat.release,
      started_at: toTimestamp(beat.startedAt),
      heartbeat_age_s: round(ageMs / 1_000),
      engine:
        engineOpen === undefined || engineThreads === undefined
          ? null
          : {
              threads: engineThreads,
              queue: engineOpen,
              busy_pct: Math.min(100, Math.round((100 * engineOpen) / Math.max(1, engineThreads))),
            },
      memory_mb: memoryMb ?? null,
    };
  });

export function presentIndexes({ expected, verdict }: LookedAt) {
  const gateways = verdict.nodes.filter(({ beat, isLate }) => beat.role === 'gateway' && !isLate);
  return expected.map(({ entities, list_version, source }) => {
    const loaded = gateways.flatMap(
      ({ beat }) =>
        beat.figures?.lists?.filter(
          (one) => one.source === source && one.list_version === list_version,
        ) ?? [],
    );
    const bytes = loaded.map((one) => one.bytes);
    return {
      source,
      list_version,
      entities,
      bytes: bytes.length === 0 ? null : Math.max(...bytes),
      loaded_on: loaded.length,
      expected_on: gateways.length,
    };
  });
}

/** Alerts of both kinds, the gravest first, then the oldest. */
export function presentAlerts(troubles: readonly Trouble[], conditions: readonly Condition[]) {
  // A condition that people were told of stands for the trouble that is the same.
  const others = troubles.filter(({ code, subjectId }) =>
    conditions.every((one) => one.code !== code || one.subjectId !== subjectId),
  );
  return [...others.map(presentTrouble), ...conditions.map(presentCondition)].sort(
    (one, other) =>
      ORDER.indexOf(one.severity) - ORDER.indexOf(other.severity) ||
      (one.since < other.since ? -1 : 1),
  );
}

const presentTrouble = (one: Trouble) => {
  const { runbook, severity } = troubleRow(one.code);
  return alertOf({
    ...one,
    at: one.openedAt,
    id: one.troubleId,
    params: one.params,
    runbook,
    severity,
    status: 'open',
    subjectId: one.subjectId === EVERYBODY ? 'installation' : one.subjectId,
  });
};

const presentCondition = (one: Condition) =>
  alertOf({
    ...one,
    at: one.openedAt,
    id: one.conditionId,
    runbook: rowOf(one.code).runbook,
    severity: one.severity,
    status: one.status === 'acknowledged' ? 'acknowledged' : 'open',
  });

const alertOf = (of: {
  readonly id: string;
  readonly at: EpochMs;
  readonly code: string;
  readonly count?: number;
  readonly lastSeenAt?: EpochMs;
  readonly params: Readonly<Record<string, string | number>>;
  readonly runbook: string;
  readonly severity: string;
  readonly status: 'acknowledged' | 'open';
  readonly subjectId: string;
  readonly subjectKind: string;
}) => ({
  alert_id: of.id,
  code: of.code,
  severity: of.severity,
  status: of.status,
  since: toTimestamp(of.at),
  last_seen: toTimestamp(of.lastSeenAt ?? of.at),
  count: of.count ?? 1,
  subject: { kind: of.subjectKind, id: of.subjectId },
  message_key: `operations.${of.code}`,
  params: of.params,
  runbook: of.runbook,
});
