/**
 * A suppression keeps a rule from raising alerts about one subject, for ninety days at the most.
 * What meets the rule goes on being stored and counted: it is never silent. For rules of High and
 * Critical another person agrees (decision 8.4).
 */
import {
  type Actor,
  entry,
  type IdempotencyRecord,
  type JsonRecord,
  overwrite,
  type SignedRecordPorts,
  SignedRecords,
} from '#core/audit';
import { type Principal, personOf } from '#core/identity';
import { chainOf, DomainError, everyRecord, type Tables, type TenantId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { type EpochMs, toTimestamp } from '#platform/clock';
import { sha256Hex } from '#platform/crypto';
import { uuidV7 } from '#platform/random';
import type { Administrator } from './changeRule.ts';
import { SUPPRESSION_DAYS_MAX } from './limits.ts';
import type { RuleDeskPorts } from './ports.ts';
import type { RuleAlert } from './ruleAlert.ts';
import { findRule, versionsOf } from './ruleRecord.ts';
import { signedAlert } from './signedPosition.ts';
import { signedRule } from './signedRules.ts';
import { type Suppression, suppressionTable } from './tables.ts';

const DAY_MS = 86_400_000;
/** Suppressions of a tenant that count at once. */
const OPEN_MAX = 10_000;

interface Held {
  readonly id: string;
  readonly digest: string;
}

const heldIn = ({ suppressions = [] }: JsonRecord) => suppressions as readonly Held[];

/** What compares suppressions with their last entries; one for a process. */
export const signedSuppressions = (ports: SignedRecordPorts): SignedRecords =>
  new SignedRecords(ports, {
    actions: ['aml.suppression.proposed', 'aml.suppression.active', 'aml.suppression.ended'],
    digestIn: (entry, key) => heldIn(entry).find(({ id }) => id === key)?.digest,
    keysOf: (entry) => heldIn(entry).map(({ id }) => id),
  });

/** What suppressions are read with. */
export interface SuppressionPorts {
  readonly tables: Pick<Tables, 'page'>;
  readonly signedSuppressions: SignedRecords;
}

/**
 * Those that count; one that was altered or invented suppresses nothing. Which of them count for an
 * alert, its transactions say.
 */
export async function activeSuppressions(
  { signedSuppressions: signed, tables }: SuppressionPorts,
  tenantId: TenantId,
): Promise<readonly Suppression[]> {
  const found: Suppression[] = [];
  const ask = { equal: { isOpen: true, tenantId }, index: 'open' };
  for await (const one of everyRecord(tables, suppressionTable, ask)) {
    if (one.status !== 'active') continue;
    const kept = { digest: suppressionDigest(one), key: one.suppressionId };
    if ((await signed.refusal(chainOf(tenantId), kept)) === undefined) found.push(one);
    if (found.length >= OPEN_MAX) break;
  }
  return found;
}

/** The one under which all triggers of an alert are. No clock is read: their times decide. */
export const suppressionFor = (
  suppressions: readonly Suppression[],
  { ruleId, subject, triggers }: RuleAlert,
): Suppression | undefined =>
  suppressions.find(
    (one) =>
      one.ruleId === ruleId &&
      one.subjectKey === subject.key &&
      triggers.every(({ at }) => at >= one.createdAt && at < one.expiresAt),
  );

/** What somebody wants. */
export interface WantedSuppression {
  /** An alert of the rule about the subject. */
  readonly alertId: string;
  readonly reason: string;
  readonly expiresAt: EpochMs;
}

/** Who asks. */
export interface SuppressionAsk {
  readonly tenantId: TenantId;
  readonly principal: Principal | Administrator;
  readonly ip?: string;
  /** Whether the caller means the record with this entity tag; absent: whichever it is. */
  readonly isExpected?: (etag: string) => boolean;
  readonly idempotency?: (record: Suppression) => IdempotencyRecord;
}

/** Strong entity tag of a record. */
export const suppressionEtag = ({ version }: Pick<Suppression, 'version'>): string =>
  `"v${version}"`;

/** SHA-256 hex of all of it but what its author wrote in words. */
export const suppressionDigest = ({ reason: _, ...decisive }: Suppression): string =>
  sha256Hex(`rule-suppression-v1\0${canonicalJson(decisive)}`);

/**
 * Active at once for rules of Low and Medium, else proposed. Throws `suppression-invalid`,
 * `state-altered`, and `state-conflict` where there is one.
 */
export async function suppress(
  ports: RuleDeskPorts,
  ask: SuppressionAsk,
  wanted: WantedSuppression,
): Promise<Suppression> {
  const { tenantId } = ask;
  const by = await actorOf(ports, ask);
  const now = ports.clock.now();
  const { alertId, expiresAt, reason } = wanted;
  if (expiresAt <= now || expiresAt > now + SUPPRESSION_DAYS_MAX * DAY_MS) {
    throw invalid('/expires_at', `expected a time within ${SUPPRESSION_DAYS_MAX} days`);
  }
  const found = await signedAlert(ports, { alertId, tenantId });
  if (found === undefined) throw invalid('/alert_id', 'expected an alert of a rule');
  const { ruleId, subject } = found.alert;
  const versions = await versionsOf(ports, { ruleId, tenantId });
  const inForce = versions.find(({ status }) => status === 'published');
  // Whether a second person is needed is decided by what was signed, not by the row.
  const signed = inForce && (await signedRule(ports, tenantId, () => findRule(ports, inForce)));
  const severity = signed?.content.severity;
  const needsSecond = severity !== 'Low' && severity !== 'Medium';
  const suppressionId = uuidV7(now, ports.random);
  const record: Suppression = {
    createdAt: now,
    createdBy: by,
    expiresAt,
    reason,
    ruleId,
    status: needsSecond ? 'proposed' : 'active',
    subjectKey: subject.key,
    subjectKind: subject.kind,
    suppressionId,
    tenantId,
    version: 1,
  };
  const open = await ports.tables.findUnique(suppressionTable, 'one', {
    ruleId,
    subjectKey: subject.key,
    tenantId,
  });
  if (open !== undefined && open.expiresAt > now) {
    throw new DomainError('state-conflict', {
      detail: `suppression ${open.suppressionId} is ${open.status}`,
    });
  }
  const before = open === undefined ? [] : [ended(open, now)];
  return commitSuppression(ports, ask, {
    action: needsSecond ? 'aml.suppression.proposed' : 'aml.suppression.active',
    before: before.map((next) => suppressionTable.put(next, next.version - 1)),
    by,
    former: undefined,
    next: record,
    held: before,
  });
}

/** Another person agrees. Throws `suppression-unknown`, `second-person-required`, … */
export const approveSuppression = (
  ports: RuleDeskPorts,
  ask: SuppressionAsk,
  suppressionId: string,
): Promise<Suppression> =>
  overwrite(async () => {
    const by = await actorOf(ports, ask);
    const former = await meantSuppression(ports, ask, suppressionId);
    if (former.status !== 'proposed' || former.expiresAt <= ports.clock.now()) {
      throw new DomainError('state-conflict', { detail: `the suppression is ${former.status}` });
    }
    if (former.createdBy === by) throw new DomainError('second-person-required');
    const next = {
      ...former,
      approvedBy: by,
      status: 'active',
      version: former.version + 1,
    } as const;
    return commitSuppression(ports, ask, { action: 'aml.suppression.active', by, former, next });
  });

/** Taken back, or refused. */
export const endSuppression = (
  ports: RuleDeskPorts,
  ask: SuppressionAsk,
  suppressionId: string,
): Promise<Suppression> =>
  overwrite(async () => {
    const by = await actorOf(ports, ask);
    const former = await meantSuppression(ports, ask, suppressionId);
    if (former.status === 'ended') {
      throw new DomainError('state-conflict', { detail: 'the suppression has ended' });
    }
    const next = ended(former, ports.clock.now());
    return commitSuppression(ports, ask, { action: 'aml.suppression.ended', by, former, next });
  });

const ended = (record: Suppression, at: EpochMs): Suppression => ({
  ...record,
  endedAt: at,
  status: 'ended',
  version: record.version + 1,
});

/** Throws `suppression-unknown`. */
export async function findSuppression(
  { tables }: { readonly tables: Pick<Tables, 'find'> },
  place: { readonly tenantId: TenantId; readonly suppressionId: string },
): Promise<Suppression> {
  const found = await tables.find(suppressionTable, place);
  if (found === undefined) throw new DomainError('suppression-unknown');
  return found;
}

/**
 * The one that the caller means, as its last entry made it. Throws `suppression-unknown`,
 * `state-altered`, `precondition-failed`.
 */
async function meantSuppression(
  ports: Pick<RuleDeskPorts, 'signedSuppressions' | 'tables'>,
  { isExpected, tenantId }: SuppressionAsk,
  suppressionId: string,
): Promise<Suppression> {
  const { found, refusal } = await ports.signedSuppressions.settled(
    chainOf(tenantId),
    () => findSuppression(ports, { suppressionId, tenantId }),
    (one) => ({ digest: suppressionDigest(one), key: one.suppressionId }),
  );
  if (refusal !== undefined) {
    const detail = `suppression ${suppressionId} of ${tenantId}: ${refusal}`;
    throw new DomainError('state-altered', { detail });
  }
  if (isExpected === undefined || isExpected(suppressionEtag(found))) return found;
  throw new DomainError('precondition-failed');
}

/** What is wrong with the suppressions of a tenant, in words; how many there are. */
export async function checkSuppressions(
  { signedSuppressions: signed, tables }: SuppressionPorts,
  tenantId: TenantId,
): Promise<{ readonly count: number; readonly refusals: readonly string[] }> {
  const chainId = chainOf(tenantId);
  const refusals: string[] = [];
  const known = new Set<string>();
  const ask = { equal: { tenantId }, index: 'newest' };
  for await (const one of everyRecord(tables, suppressionTable, ask)) {
    const key = one.suppressionId;
    known.add(key);
    const refusal = await signed.refusal(chainId, { digest: suppressionDigest(one), key });
    if (refusal !== undefined) refusals.push(`suppression ${key}: ${refusal}`);
  }
  const gone = await signed.missing(chainId, known);
  return {
    count: known.size,
    refusals: [...refusals, ...gone.map((key) => `suppression ${key}: its record is gone`)],
  };
}

/** A person by their id, so that two accounts of one are one. Throws `person-required`. */
async function actorOf(
  { listPersons }: RuleDeskPorts,
  { principal, tenantId }: SuppressionAsk,
): Promise<Actor> {
  if (principal.kind === 'cli') return principal.actor;
  const person = personOf(principal, await listPersons(tenantId));
  if (person === undefined) throw new DomainError('person-required');
  return `person:${person.id}`;
}

const invalid = (pointer: string, detail: string): DomainError =>
  new DomainError('suppression-invalid', {
    detail: `${pointer}: ${detail}`,
    violations: [{ code: 'range', detail, pointer }],
  });

async function commitSuppression(
  ports: RuleDeskPorts,
  { idempotency, ip, tenantId }: SuppressionAsk,
  of: {
    readonly action:
      | 'aml.suppression.proposed'
      | 'aml.suppression.active'
      | 'aml.suppression.ended';
    readonly before?: readonly ReturnType<typeof suppressionTable.put>[];
    readonly by: Actor;
    readonly former: Suppression | undefined;
    readonly held?: readonly Suppression[];
    readonly next: Suppression;
  },
): Promise<Suppression> {
  const { action, before = [], by, former, held = [], next } = of;
  await ports.commit(chainOf(tenantId), {
    bus: [],
    changes: [
      ...before,
      former === undefined
        ? suppressionTable.insert(next)
        : suppressionTable.put(next, former.version),
    ],
    events: [
      entry(ports, {
        action,
        actor: by,
        ...(ip !== undefined && { ip }),
        members: {
          expires_at: toTimestamp(next.expiresAt),
          rule_id: next.ruleId,
          subject_key: next.subjectKey,
          suppressions: [...held, next].map((one) => ({
            digest: suppressionDigest(one),
            id: one.suppressionId,
          })),
        },
        open: { reason: next.reason },
        target: `suppression:${next.suppressionId}`,
      }),
    ],
    ...(idempotency !== undefined && { idempotency: () => idempotency(next) }),
  });
  return next;
}
