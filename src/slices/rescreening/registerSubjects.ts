/** Customers whom a tenant has watched: added, changed, removed; each change has its entry. */
import { type Actor, entry, type IdempotencyRecord, overwrite } from '#core/audit';
import { chainOf, DomainError, type TableChange, type Tables, type TenantId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { sha256Hex } from '#platform/crypto';
import type { Subject } from '#slices/intake';
import { subjectKeyOfRef } from '#slices/screening';
import type { RegisterPorts } from './ports.ts';
import { type Coverage, coverageTable, type MonitoredSubject, monitoredTable } from './tables.ts';

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
  const { actor, addedBy, before, idempotency, ip, isLast, subjects, tenantId } = ask;
  const now = ports.clock.now();
  const keys = subjects.map(({ external_id }) => ({
    subjectId: subjectKeyOfRef(tenantId, external_id),
    tenantId,
  }));
  const known = new Map(
    (await ports.tables.findMany(monitoredTable, keys)).map((one) => [one.subjectRef, one]),
  );
  const records: MonitoredSubject[] = [];
  const changes: TableChange[] = [];
  let [added, changed] = [0, 0];
  for (const subject of subjects) {
    const there = known.get(subject.external_id);
    const isSame = there?.state === 'active' && sameSubject(there.subject, subject);
    if (isSame) continue;
    const next: MonitoredSubject = {
      addedAt: there?.addedAt ?? now,
      addedBy,
      isNew: true,
      salt: Buffer.from(ports.random.bytes(SALT_BYTES)).toString('base64'),
      state: 'active',
      subject,
      subjectId: subjectKeyOfRef(tenantId, subject.external_id),
      subjectRef: subject.external_id,
      tenantId,
      updatedAt: now,
      version: (there?.version ?? 0) + 1,
    };
    records.push(next);
    changes.push(monitoredTable.put(next, there?.version ?? 0));
    if (there === undefined) added += 1;
    else changed += 1;
  }
  const counts = {
    added: before.added + added,
    changed: before.changed + changed,
    unchanged: before.unchanged + subjects.length - added - changed,
  };
  if (records.length === 0 && !(isLast && idempotency !== undefined)) return counts;
  await ports.commit(chainOf(tenantId), {
    bus: [],
    changes: [...changes, ...(await coverageOf(ports.tables, tenantId))],
    events: [changedEntry(ports, { actor, records, ...(ip !== undefined && { ip }) })],
    ...(isLast && idempotency !== undefined && { idempotency: () => idempotency(counts) }),
  });
  return counts;
}

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
    const { subject: _, ...there } = await findMonitored(ports, ask);
    const removed: MonitoredSubject = {
      ...there,
      isNew: false,
      state: 'removed',
      updatedAt: ports.clock.now(),
      version: there.version + 1,
    };
    await ports.commit(chainOf(tenantId), {
      bus: [],
      changes: [monitoredTable.put(removed, there.version)],
      events: [changedEntry(ports, { actor, records: [removed], ...(ip !== undefined && { ip }) })],
    });
    return removed;
  });
}
