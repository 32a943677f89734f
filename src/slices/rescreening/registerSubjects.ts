/** Customers whom a tenant has watched: added, changed, removed; each change has its entry. */
import {
  type Actor,
  type Asker,
  type Commit,
  entry,
  type IdempotencyRecord,
  overwrite,
} from '#core/audit';
import {
  type BusEvent,
  chainOf,
  DomainError,
  type TableChange,
  type Tables,
  type TenantId,
} from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import type { EpochMs } from '#platform/clock';
import { sha256Hex } from '#platform/crypto';
import type { Subject } from '#slices/intake';
import { subjectKeyOfRef } from '#slices/screening';
import type { RegisterPorts } from './ports.ts';
import { knownDigest } from './signedRegister.ts';
import {
  type Coverage,
  coverageTable,
  type KnownHits,
  type MonitoredSubject,
  monitoredTable,
} from './tables.ts';

/** Customers of one commit. */
const PER_COMMIT_MAX = 400;
const SALT_BYTES = 16;

/** What a caller says. */
export interface RegisterSubjects {
  readonly tenantId: TenantId;
  readonly actor: Actor;
  readonly addedBy: MonitoredSubject['addedBy'];
  /** `external_id` is the tenant's own id of each. */
  readonly subjects: readonly Subject[];
  /** They are some of very many: those who come alone are screened before them. */
  readonly isBulk?: boolean;
  /** By `external_id`: what was told of a customer by the screening that he comes from. */
  readonly known?: ReadonlyMap<string, KnownHits>;
  /** Customers who were changed later stay as they are, removed ones too. */
  readonly asOf?: EpochMs;
  readonly ip?: string;
  /** Kept with the last of the commits. */
  readonly idempotency?: (counts: RegisterCounts) => IdempotencyRecord;
}

/** What came of them. */
export interface RegisterCounts {
  readonly added: number;
  readonly changed: number;
  readonly unchanged: number;
}

/** SHA-256 hex of all that decides about a customer, under his salt. */
export const subjectDigest = ({
  salt,
  state,
  subject,
  subjectId,
}: Pick<MonitoredSubject, 'salt' | 'state' | 'subject' | 'subjectId'>): string => {
  const decisive = { salt, state, subject: subject ?? null, subjectId };
  return sha256Hex(`monitored-subject-v1\0${canonicalJson(decisive)}`);
};

/**
 * Adds customers, or changes them: each is screened at once, and with every list that changes. The
 * last one counts where several have one id. Harmless to repeat.
 */
export async function registerSubjects(
  ports: RegisterPorts,
  ask: RegisterSubjects,
): Promise<RegisterCounts> {
  const byRef = new Map(ask.subjects.map((subject) => [subject.external_id, subject]));
  const subjects = [...byRef.values()];
  let counts: RegisterCounts = { added: 0, changed: 0, unchanged: 0 };
  for (let from = 0; from < Math.max(1, subjects.length); from += PER_COMMIT_MAX) {
    const some = subjects.slice(from, from + PER_COMMIT_MAX);
    const isLast = from + PER_COMMIT_MAX >= subjects.length;
    const before = counts;
    counts = await overwrite(() => registerSome(ports, { ...ask, before, isLast, subjects: some }));
  }
  return counts;
}

async function registerSome(
  ports: RegisterPorts,
  ask: RegisterSubjects & { readonly before: RegisterCounts; readonly isLast: boolean },
): Promise<RegisterCounts> {
  const { before, idempotency, isLast, subjects, tenantId } = ask;
  const { added, changed, step } = await registerStep(ports, ask);
  const counts = {
    added: before.added + added,
    changed: before.changed + changed,
    unchanged: before.unchanged + subjects.length - added - changed,
  };
  if (step.changes.length === 0 && !(isLast && idempotency !== undefined)) return counts;
  await ports.commit(chainOf(tenantId), {
    ...step,
    ...(isLast && idempotency !== undefined && { idempotency: () => idempotency(counts) }),
  });
  return counts;
}

/** The part of a commit that has these customers watched. */
export interface RegisterStep {
  readonly added: number;
  readonly changed: number;
  readonly step: Pick<Commit, 'bus' | 'changes' | 'events'>;
}

/** At most PER_COMMIT_MAX of them, each once; StaleChange where another writer was first. */
export async function registerStep(
  ports: Omit<RegisterPorts, 'commit'>,
  ask: Omit<RegisterSubjects, 'idempotency'>,
): Promise<RegisterStep> {
  const { actor, asOf, ip, subjects, tenantId } = ask;
  const keys = subjects.map(({ external_id }) => ({
    subjectId: subjectKeyOfRef(tenantId, external_id),
    tenantId,
  }));
  const known = new Map(
    (await ports.tables.findMany(monitoredTable, keys)).map((one) => [one.subjectId, one]),
  );
  const records: MonitoredSubject[] = [];
  const changes: TableChange[] = [];
  let [added, changed] = [0, 0];
  for (const subject of subjects) {
    const there = known.get(subjectKeyOfRef(tenantId, subject.external_id));
    const isSame = there?.state === 'active' && sameSubject(there.subject, subject);
    const isNewer = there !== undefined && asOf !== undefined && there.updatedAt > asOf;
    if (isSame || isNewer) continue;
    const next = nextRecord(ports, ask, { subject, there });
    records.push(next);
    changes.push(monitoredTable.put(next, there?.version ?? 0));
    if (there === undefined) added += 1;
    else changed += 1;
  }
  if (records.length === 0) return { added, changed, step: NOTHING };
  const members = { actor, records, ...(ip !== undefined && { ip }) };
  const step = {
    bus: [changedEvent(tenantId)],
    changes: [...changes, ...(await coverageOf(ports.tables, tenantId))],
    events: [changedEntry(ports, members)],
  };
  return { added, changed, step };
}

const NOTHING: RegisterStep['step'] = { bus: [], changes: [], events: [] };

function nextRecord(
  ports: Pick<RegisterPorts, 'clock' | 'random'>,
  { addedBy, isBulk, known, tenantId }: Omit<RegisterSubjects, 'idempotency'>,
  of: { readonly subject: Subject; readonly there: MonitoredSubject | undefined },
): MonitoredSubject {
  const { subject, there } = of;
  const now = ports.clock.now();
  const told = known?.get(subject.external_id);
  return {
    addedAt: there?.addedAt ?? now,
    addedBy,
    isNew: isBulk !== true,
    ...(isBulk === true && { isBulk }),
    ...(told !== undefined && { known: told }),
    salt: Buffer.from(ports.random.bytes(SALT_BYTES)).toString('base64'),
    state: 'active',
    subject,
    subjectId: subjectKeyOfRef(tenantId, subject.external_id),
    subjectRef: subject.external_id,
    tenantId,
    updatedAt: now,
    version: (there?.version ?? 0) + 1,
  };
}

/** Wakes the planning of runs: whoever is new is screened at once. */
const changedEvent = (tenantId: TenantId): BusEvent => ({
  partition: tenantId,
  payload: { schema: 'sanctions.monitoring.changed.v1' },
  topic: 'sanctions.monitoring.changed',
});

const sameSubject = (one: Subject | undefined, other: Subject): boolean =>
  one !== undefined && canonicalJson(one) === canonicalJson(other);

/** The row of a tenant's coverage, with his first customer. */
async function coverageOf(
  tables: Pick<Tables, 'find'>,
  tenantId: TenantId,
): Promise<readonly TableChange[]> {
  const there = await tables.find(coverageTable, { register: 'subjects', tenantId });
  if (there !== undefined) return [];
  const first: Coverage = { lists: [], register: 'subjects', tenantId, version: 1 };
  return [coverageTable.insert(first)];
}

const changedEntry = (
  ports: Pick<RegisterPorts, 'clock' | 'random'>,
  of: {
    readonly actor: Actor;
    readonly ip?: string;
    readonly records: readonly MonitoredSubject[];
  },
) =>
  entry(ports, {
    action: 'SANCTIONS_MONITORING_CHANGED',
    actor: of.actor,
    ...(of.ip !== undefined && { ip: of.ip }),
    members: {
      subjects: of.records.map((record) => ({
        digest: subjectDigest(record),
        id: record.subjectId,
        ...(record.known !== undefined && { known: knownDigest(record.known) }),
        state: record.state,
      })),
    },
    target: 'monitored_subjects',
  });

/** Throws `monitored-unknown`, for another tenant's as for one that does not exist. */
export async function findMonitored(
  { tables }: Pick<RegisterPorts, 'tables'>,
  { subjectRef, tenantId }: Pick<MonitoredSubject, 'subjectRef' | 'tenantId'>,
): Promise<MonitoredSubject> {
  const subjectId = subjectKeyOfRef(tenantId, subjectRef);
  const found = await tables.find(monitoredTable, { subjectId, tenantId });
  if (found === undefined || found.state === 'removed') throw new DomainError('monitored-unknown');
  return found;
}

/** The customer is watched no more, and what was known of him is taken away. */
export function removeMonitored(
  ports: RegisterPorts,
  ask: Pick<MonitoredSubject, 'subjectRef' | 'tenantId'> & {
    readonly actor: Actor;
    readonly ip?: string;
  },
): Promise<MonitoredSubject> {
  const { actor, ip, tenantId } = ask;
  return overwrite(async () => {
    const found = await findMonitored(ports, ask);
    const { changes, events, removed } = removedStep(ports, found, {
      actor,
      ...(ip !== undefined && { ip }),
    });
    await ports.commit(chainOf(tenantId), { bus: [], changes, events });
    return removed;
  });
}

/** The part of a commit that has a customer watched no more. */
export function removedStep(
  ports: Pick<RegisterPorts, 'clock' | 'random'>,
  found: MonitoredSubject,
  by: Asker & {
    /** Stands where his reference stood; absent: it stays. */
    readonly subjectRef?: string;
  },
) {
  const { subjectRef = found.subjectRef, ...asker } = by;
  const { isBulk: _, known: __, subject: ___, ...there } = found;
  const removed: MonitoredSubject = {
    ...there,
    isNew: false,
    state: 'removed',
    subjectRef,
    updatedAt: ports.clock.now(),
    version: there.version + 1,
  };
  return {
    changes: [monitoredTable.put(removed, there.version)],
    events: [changedEntry(ports, { ...asker, records: [removed] })],
    removed,
  };
}
