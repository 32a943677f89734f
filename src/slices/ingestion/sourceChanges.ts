/**
 * Changes of sources under dual control (interface.md 4.9): all of a request or nothing, in one
 * commit with the approval that it uses up, a row of the schedule's audit per field, the evidence
 * in the platform's chain, and the signal that makes schedulers reload.
 */
import { setTimeout as delay } from 'node:timers/promises';
import {
  type Commit,
  type EventDraft,
  entry,
  type IdempotencyRecord,
  overwrite,
} from '#core/audit';
import type { Approval } from '#core/identity';
import {
  type BusEvent,
  type ChainId,
  DomainError,
  PLATFORM_CHAIN,
  type SourceId,
} from '#core/kernel';
import { type Clock, type EpochMs, toTimestamp } from '#platform/clock';
import type { OutboundGuard } from '#platform/outbound/outboundGuard';
import { type Random, uuidV7 } from '#platform/random';
import { type ListSource, type ListStore, sourceTable } from '#slices/lists';
import type { RunStore, ScheduleAudit } from './ports.ts';
import { chainScheduleAudit } from './scheduleAudit.ts';
import type { SignedSources } from './signedSources.ts';
import { refuseAddresses } from './sourceAddresses.ts';
import { newSource } from './sourceCatalogue.ts';
import {
  changedFields,
  fieldText,
  type PlannedChange,
  refuseFields,
  type SourceChange,
  withFields,
} from './sourceFields.ts';
import { scheduleAuditTable } from './tables.ts';

/**
 * Attempts of a change. Other changes and runs move the source's version, and then it is read
 * again.
 */
const CONFLICTS_MAX = 30;
/** On the average after the first conflict, and as much longer after each that follows. */
const PAUSE_MS = 4;
const PAUSE_MS_MAX = 100;

export interface SourceChangePorts {
  readonly signed: Pick<SignedSources, 'requireUnused' | 'restored'>;
  readonly lists: Pick<ListStore, 'findSource'>;
  readonly runs: Pick<RunStore, 'listScheduleAudit'>;
  readonly commit: (chainId: ChainId, commit: Commit) => Promise<unknown>;
  readonly clock: Clock;
  readonly random: Random;
  /** Where lists may be fetched. */
  readonly guard: Pick<OutboundGuard, 'check'>;
  /** Between two attempts; absent: a timer. */
  readonly sleep?: (ms: number) => Promise<unknown>;
}

export interface ChangeSources {
  /** Each source once. */
  readonly changes: readonly SourceChange[];
  readonly approval: Approval;
  /** The author's address, for the entry. */
  readonly ip?: string;
  readonly reason: string;
  /** Goes into the same commit; a stale one of these changes is thrown. */
  readonly alongside?: Partial<Pick<Commit, 'bus' | 'changes' | 'events'>>;
  /** Asked of the sources that the commit replaces; false is `state-conflict`. */
  readonly mayReplace?: (before: readonly ListSource[]) => boolean;
  /** For the request, with the answer that presents these sources. */
  readonly idempotency?: (sources: readonly ListSource[]) => IdempotencyRecord;
}

/**
 * The sources after the change, in its order. Throws `cron-invalid`, `air-gap-path-invalid`,
 * `address-refused`, `body-invalid`, `dual-control-replayed`, `state-conflict`; nothing is changed
 * then.
 */
export async function changeSources(
  ports: SourceChangePorts,
  ask: ChangeSources,
): Promise<readonly ListSource[]> {
  await ports.signed.requireUnused(ask.approval, ports.clock.now());
  return overwrite(
    async () => {
      const planned = await planSources(ports, ask.changes, ask.approval.author.id);
      if (ask.mayReplace?.(planned.map(({ before }) => before)) === false) {
        throw new DomainError('state-conflict', { detail: 'expected the sources as they were' });
      }
      const changed = await Promise.all(planned.map((plan) => changeOne(ports, ask, plan)));
      await ports.commit(PLATFORM_CHAIN, commitOf(ask, changed));
      return changed.map(({ source }) => source);
    },
    {
      mayRepeat: ({ changeIndex }) => {
        if (changeIndex === 0) throw new DomainError('dual-control-replayed');
        return changeIndex > (ask.alongside?.changes?.length ?? 0);
      },
      pause: (attempt) => pause(ports, attempt),
      triesMax: CONFLICTS_MAX,
    },
  );
}

/** One of many changes at once succeeds: a pause keeps the others from retrying together. */
async function pause({ random, sleep = delay }: SourceChangePorts, attempt: number): Promise<void> {
  const [share = 0] = random.bytes(1);
  await sleep(Math.min(PAUSE_MS * attempt, PAUSE_MS_MAX) * (0.5 + share / 256));
}

interface Changed {
  readonly source: ListSource;
  readonly versionExpected: number;
  readonly rows: readonly ScheduleAudit[];
  readonly event: EventDraft;
  readonly bus: BusEvent;
}

/** A source as it is, and as it would be. */
export interface PlannedSource extends PlannedChange {
  readonly before: ListSource;
}

/** What the changes would make of their sources. Throws as `changeSources` does of values. */
export async function planSources(
  ports: Pick<SourceChangePorts, 'clock' | 'guard' | 'lists' | 'signed'>,
  changes: readonly SourceChange[],
  updatedBy: string,
): Promise<readonly PlannedSource[]> {
  const planned = await Promise.all(changes.map((change) => planOne(ports, change, updatedBy)));
  refuseFields(planned);
  await refuseAddresses(ports.guard, changes);
  return planned;
}

async function planOne(
  ports: Pick<SourceChangePorts, 'clock' | 'lists' | 'signed'>,
  change: SourceChange,
  updatedBy: string,
): Promise<PlannedSource> {
  const sourceId = change.sourceId as SourceId;
  const found = (await ports.lists.findSource(sourceId)) ?? newSource(sourceId);
  const before = await ports.signed.restored(found);
  const changedAt = ports.clock.now();
  const source: ListSource = {
    ...withFields(before, change.fields),
    updatedAt: changedAt,
    updatedBy,
    version: before.version + 1,
  };
  return { before, change, source };
}

async function changeOne(
  ports: SourceChangePorts,
  ask: ChangeSources,
  { before, change, source }: PlannedSource,
): Promise<Changed> {
  const { sourceId, updatedAt: changedAt } = source;
  const rows: ScheduleAudit[] = [];
  let last = (await ports.runs.listScheduleAudit({ limit: 1, sourceId }))[0];
  for (const field of changedFields(change.fields)) {
    const row = {
      approvalReason: ask.reason,
      approvalUserId: ask.approval.approver.id,
      auditId: uuidV7(changedAt, ports.random),
      changedAt,
      changedBy: ask.approval.author.id,
      field,
      newValue: fieldText(source, field),
      oldValue: fieldText(before, field),
      sourceId,
    };
    last = chainScheduleAudit(row, last);
    rows.push(last);
  }
  const event = scheduleChanged(ports, ask, { at: changedAt, rows, sourceId });
  return { bus: signalOf(rows), event, rows, source, versionExpected: before.version };
}

/** The approval first: that it is stale, and nothing else, means that it was used before. */
function commitOf(ask: ChangeSources, changed: readonly Changed[]): Commit {
  const { alongside, idempotency } = ask;
  return {
    bus: [...changed.map(({ bus }) => bus), ...(alongside?.bus ?? [])],
    changes: [
      ask.approval.consume,
      ...(alongside?.changes ?? []),
      ...changed.flatMap(({ rows, source, versionExpected }) => [
        sourceTable.put(source, versionExpected),
        ...rows.map((row) => scheduleAuditTable.insert(row)),
      ]),
    ],
    events: [...changed.map(({ event }) => event), ...(alongside?.events ?? [])],
    ...(idempotency !== undefined && {
      idempotency: () => idempotency(changed.map(({ source }) => source)),
    }),
  };
}

/** Persons by their ids; the reason is free text, so it stands in the part that can be erased. */
function scheduleChanged(
  ports: SourceChangePorts,
  { approval, ip, reason }: ChangeSources,
  of: { readonly sourceId: string; readonly rows: readonly ScheduleAudit[]; readonly at: EpochMs },
): EventDraft {
  const { at, rows, sourceId: target } = of;
  return entry(ports, {
    action: 'SANCTIONS_SCHEDULE_CHANGED',
    actor: `person:${approval.author.id}`,
    ...(ip !== undefined && { ip }),
    at,
    members: {
      approval_digest: approval.digest,
      approval_key_id: approval.keyId,
      approved_by: `person:${approval.approver.id}`,
      changes: rows.map((row) => ({
        audit_id: row.auditId,
        chain_hash: row.chainHash,
        field: row.field,
        new_value: row.newValue,
        old_value: row.oldValue,
        seq: row.seq,
      })),
    },
    open: { approval_reason: reason },
    severity: 'NOTICE',
    target,
  });
}

/** Without values: a receiver that reloads reads the source itself. */
function signalOf(rows: readonly ScheduleAudit[]): BusEvent {
  const [first] = rows;
  const sourceId = first?.sourceId ?? '';
  return {
    partition: sourceId,
    payload: {
      schema: 'sanctions.schedule.updated.v1',
      source_id: sourceId,
      fields: rows.map(({ field }) => field),
      changed_at: first === undefined ? null : toTimestamp(first.changedAt),
    },
    topic: 'service.sanctions.schedule.updated',
  };
}
