/** A change of exclusions as parts of a commit: records, the next set, the entry, bus events. */
import { entry, type IdempotencyRecord } from '#core/audit';
import { chainOf, type TableChange, type TenantId } from '#core/kernel';
import { endedEvent, exclusionDigest, isOpen } from './exclusion.ts';
import { withSet } from './exclusionSets.ts';
import type { ExclusionActor, ExclusionPorts, ExclusionStep } from './ports.ts';
import { type ExclusionRecord, exclusionTable, exclusionUseTable } from './tables.ts';

/** What is to become of exclusions. */
export interface StepAsk {
  readonly action: ExclusionRecord['action'];
  readonly by: ExclusionActor;
  /** Each with the record before it; of a new one undefined. */
  readonly steps: readonly {
    readonly before?: ExclusionRecord | undefined;
    readonly after: ExclusionRecord;
  }[];
  /** Content digest of the version in force of each list that was compared. */
  readonly checked?: Readonly<Record<string, string>>;
  /** Members of the entry beside these. */
  readonly members?: Readonly<Record<string, string | number | null>>;
  readonly beside?: readonly TableChange[];
}

/** Nothing is written before the step is committed. */
export async function stepOf(ports: ExclusionPorts, ask: StepAsk): Promise<ExclusionStep> {
  const { action, beside = [], by, checked, members, steps } = ask;
  const at = ports.clock.now();
  const { tenantId } = by;
  const changed = steps.map(({ after }) => ({ ...after, action }));
  const set = await withSet(ports, { at, changed, tenantId, ...(checked && { checked }) });
  const { records } = set;
  const reason = records[0]?.reason;
  return {
    bus: records.flatMap((record, place) => {
      const before = steps[place]?.before;
      if (before === undefined || !isOpen(before) || isOpen(record)) return [];
      return [endedEvent(record, { at, wasActive: before.state === 'active' })];
    }),
    changes: [
      ...beside,
      ...records.flatMap((record, place) => {
        const before = steps[place]?.before;
        if (before !== undefined) return [exclusionTable.put(record, before.version)];
        const { exclusionId, tenantId } = record;
        const use = exclusionUseTable.insert({ count: 0, exclusionId, tenantId, version: 1 });
        return [exclusionTable.insert(record), use];
      }),
      ...set.changes,
    ],
    events: [
      entry(ports, {
        action,
        actor: by.actor,
        at,
        ...(by.ip !== undefined && { ip: by.ip }),
        members: {
          ...members,
          ...(by.through !== undefined && { through: by.through }),
          ...(checked !== undefined && { checked }),
          exclusions: records.map((record, place) => ({
            exclusion_digest: exclusionDigest(record),
            exclusion_id: record.exclusionId,
            former_state: steps[place]?.before?.state ?? null,
            ftm_id: record.ftmId,
            source: record.source,
            state: record.state,
          })),
        },
        ...(action === 'SANCTIONS_EXCLUSION_ADDED' && reason !== undefined && { open: { reason } }),
        target: records.length === 1 ? `exclusion:${records[0]?.exclusionId}` : 'exclusions',
      }),
    ],
    records,
  };
}

/** Commits a step by itself. */
export async function commitStep(
  { commit }: Pick<ExclusionPorts, 'commit'>,
  tenantId: TenantId,
  { bus, changes, events, records }: ExclusionStep,
  idempotency?: (records: readonly ExclusionRecord[]) => IdempotencyRecord,
): Promise<readonly ExclusionRecord[]> {
  await commit(chainOf(tenantId), {
    bus,
    changes,
    events,
    ...(idempotency !== undefined && { idempotency: () => idempotency(records) }),
  });
  return records;
}
