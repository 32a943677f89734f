/**
 * Conditions: opened when something begins, counted while it lasts, closed by what ends it, each
 * told once. Of one code and subject at most one is open, whatever the number of workers: the store
 * holds that. What opens and closes is a commit with its entry and its notice.
 *
 * Events of the outbox come at least once. One that has been counted is known by its id, which
 * grows within its partition; and what it opened by the condition's id, which follows from it.
 */
import { type Actor, type EventDraft, entry, overwrite } from '#core/audit';
import { chainOf, DomainError, everyRecord, type Tables, type TenantId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import type { EpochMs } from '#platform/clock';
import { sha256Hex } from '#platform/crypto';
import { derivedId } from '#slices/webhooks';
import { type ConditionCode, rowOf } from './codes.ts';
import type { NoticePorts } from './ports.ts';
import {
  type Condition,
  conditionTable,
  type NoticeParams,
  type NoticeSubject,
  noticeTable,
} from './tables.ts';
import { tellChanges } from './tell.ts';

export const ACTOR = 'system:notifications';

/** What was seen. */
export interface Seen extends NoticeSubject {
  readonly tenantId: TenantId;
  readonly code: ConditionCode;
  readonly params: NoticeParams;
  readonly at: EpochMs;
  /** The event that told of it: an id that grows within the tenant. */
  readonly eventId: string;
}

/** Opens the condition, or counts it once more where it is open. */
export async function raise(ports: NoticePorts, seen: Seen): Promise<void> {
  await overwrite(async () => {
    const standing = await findStanding(ports, seen);
    if (standing !== undefined) return count(ports, standing, seen);
    const { tenantId } = seen;
    const conditionId = conditionIdOf(seen);
    const isOver = await ports.tables.find(conditionTable, { conditionId, tenantId });
    if (isOver === undefined) await open(ports, seen, conditionId);
  });
}

/** The id of the condition that this event opens. */
export const conditionIdOf = ({ at, code, eventId, subjectId, tenantId }: Seen): string =>
  derivedId(at, 'condition', tenantId, code, subjectId, eventId);

/** The open one of a code and subject. */
export const findStanding = (
  { tables }: Pick<NoticePorts, 'tables'>,
  { code, subjectId, tenantId }: Pick<Seen, 'code' | 'subjectId' | 'tenantId'>,
): Promise<Condition | undefined> =>
  tables.findUnique(conditionTable, 'standing', { code, isOpen: true, subjectId, tenantId });

async function count({ tables }: NoticePorts, standing: Condition, seen: Seen): Promise<void> {
  const { conditionId, count: before = 0, lastEventId = '', tenantId } = standing;
  if (seen.eventId <= lastEventId) return;
  await tables.saveWork(conditionTable, {
    key: { conditionId, tenantId },
    work: { count: before + 1, lastEventId: seen.eventId, lastSeenAt: seen.at },
  });
}

async function open(ports: NoticePorts, seen: Seen, conditionId: string): Promise<void> {
  const { at, code, eventId, ...members } = seen;
  const { audience, kind, opens, severity } = rowOf(code);
  const cause = `${code}/${conditionId}`;
  const told = { ...members, at, audience, cause, conditionId, kind: opens, severity };
  const { changes, notice } = await tellChanges(ports, told);
  const condition: Condition = {
    ...members,
    code,
    conditionId,
    count: 1,
    kind,
    lastEventId: eventId,
    lastSeenAt: at,
    noticeId: notice.noticeId,
    openedAt: at,
    severity,
    status: 'open',
    version: 1,
  };
  await ports.commit(chainOf(seen.tenantId), {
    bus: [],
    changes: [conditionTable.insert(condition), ...changes],
    events: [entryOf(ports, condition, 'opened')],
  });
  ports.wake();
}

/** The entry that holds the condition as it is now. */
const entryOf = (
  ports: NoticePorts,
  condition: Condition,
  verb: 'opened' | 'acknowledged' | 'closed',
  actor: Actor = ACTOR,
): EventDraft =>
  entry(ports, {
    action: `notification.${condition.kind}.${verb}`,
    actor,
    members: {
      code: condition.code,
      condition_digest: conditionDigest(condition),
      subject: `${condition.subjectKind}:${condition.subjectId}`,
      ...(condition.closedBecause !== undefined && { because: condition.closedBecause }),
    },
    severity: severityOf(condition),
    target: targetOf(condition),
  });

const severityOf = ({ severity }: Condition) => (severity === 'CRITICAL' ? 'ALERT' : 'NOTICE');

/** As entries name it. */
export const targetOf = ({ conditionId, kind }: Pick<Condition, 'conditionId' | 'kind'>): string =>
  `${kind}:${conditionId}`;

/** All of it that commits write: work is left out. */
export function conditionDigest(condition: Condition): string {
  const { count: _, lastEventId: __, lastSeenAt: ___, ...signed } = condition;
  return sha256Hex(`notice-condition-v1\0${canonicalJson(signed)}`);
}

/** How conditions end. */
export interface Ending {
  readonly because: NonNullable<Condition['closedBecause']>;
  readonly at: EpochMs;
  /** Who ended it knows: no notice is written. */
  readonly isSilent?: true;
}

/**
 * Closes these of one tenant in one commit, with one notice. Those that another worker has closed
 * meanwhile are left out.
 */
export async function close(
  ports: NoticePorts,
  conditions: readonly Condition[],
  ending: Ending,
): Promise<void> {
  await overwrite(async () => {
    const found = await ports.tables.findMany(conditionTable, conditions.map(keyOf));
    const standing = found.filter(({ status }) => status !== 'closed').sort(byOpening);
    const [first] = standing;
    if (first !== undefined) await closeStanding(ports, [first, ...standing.slice(1)], ending);
  });
}

const keyOf = ({ conditionId, tenantId }: Condition) => ({ conditionId, tenantId });
const byOpening = (one: Condition, other: Condition): number =>
  one.openedAt - other.openedAt || (one.conditionId < other.conditionId ? -1 : 1);

async function closeStanding(
  ports: NoticePorts,
  standing: readonly [Condition, ...Condition[]],
  ending: Ending,
): Promise<void> {
  const { at, because } = ending;
  const closed = standing.map((condition): Condition => {
    const { version } = condition;
    return {
      ...condition,
      closedAt: at,
      closedBecause: because,
      status: 'closed',
      version: version + 1,
    };
  });
  const changes = [
    ...closed.map((condition) => conditionTable.put(condition, condition.version - 1)),
    ...(await closedNotices(ports, standing, at)),
    ...(ending.isSilent === true ? [] : await tellOver(ports, standing, at)),
  ];
  await ports.commit(chainOf(standing[0].tenantId), {
    bus: [],
    changes,
    events: closed.map((condition) => entryOf(ports, condition, 'closed')),
  });
  ports.wake();
}

/** Notices of their beginning, unless they are kept no longer. */
async function closedNotices({ tables }: NoticePorts, standing: readonly Condition[], at: EpochMs) {
  const keys = standing.map(({ noticeId, tenantId }) => ({ noticeId, tenantId }));
  const notices = await tables.findMany(noticeTable, keys);
  return notices.map((notice) =>
    noticeTable.put({ ...notice, closedAt: at, version: notice.version + 1 }, notice.version),
  );
}

async function tellOver(
  ports: NoticePorts,
  standing: readonly [Condition, ...Condition[]],
  at: EpochMs,
) {
  const [first] = standing;
  const { audience, closes } = rowOf(first.code);
  const { conditionId, subjectId, subjectKind, tenantId } = first;
  const ticket = standing.find(({ kind }) => kind === 'ticket');
  const { changes } = await tellChanges(ports, {
    at,
    audience,
    cause: standing.map((condition) => condition.conditionId).join('/'),
    conditionId,
    kind: closes,
    params: {
      since: first.openedAt,
      ...(ticket !== undefined && { count: ticket.count ?? 1, ticket: ticket.conditionId }),
    },
    // It is good news, whatever it ends.
    severity: 'LOW',
    subjectId,
    subjectKind,
    tenantId,
  });
  return changes;
}

/** Somebody takes care of it. Throws `notification-unknown`, `state-conflict` once it is closed. */
export async function acknowledge(
  ports: NoticePorts,
  place: Pick<Condition, 'conditionId' | 'tenantId'>,
  actor: Actor,
): Promise<Condition> {
  return overwrite(async () => {
    const { conditionId, tenantId } = place;
    const found = await ports.tables.find(conditionTable, { conditionId, tenantId });
    if (found === undefined) throw new DomainError('notification-unknown');
    if (found.status === 'acknowledged') return found;
    if (found.status === 'closed') {
      throw new DomainError('state-conflict', { detail: 'it is over: expected one that is open' });
    }
    const { version } = found;
    const next: Condition = {
      ...found,
      acknowledgedBy: actor,
      status: 'acknowledged',
      version: version + 1,
    };
    await ports.commit(chainOf(tenantId), {
      bus: [],
      changes: [conditionTable.put(next, version)],
      events: [entryOf(ports, next, 'acknowledged', actor)],
    });
    return next;
  });
}

/** Those that are open, oldest first within a tenant: of one tenant, or of all. */
export async function openConditions(
  tables: Pick<Tables, 'page'>,
  ask: { readonly tenantId?: TenantId; readonly kind?: Condition['kind'] } = {},
): Promise<readonly Condition[]> {
  const { kind, tenantId } = ask;
  const equal = { isOpen: true, ...(tenantId !== undefined && { tenantId }) };
  const found: Condition[] = [];
  for await (const condition of everyRecord(tables, conditionTable, { equal, index: 'open' })) {
    if (kind === undefined || condition.kind === kind) found.push(condition);
  }
  return found;
}
