/**
 * A person gives a client a level. The client is evaluated by the same commit, so that what counts
 * from then on stands in an evaluation, with the level of the policy beside it.
 */
import type { Actor, IdempotencyRecord } from '#core/audit';
import type { ApprovedBy, DualControlSubject, Principal } from '#core/identity';
import { DomainError, isConflict, type PageCursor, type TenantId } from '#core/kernel';
import { type EpochMs, toTimestamp } from '#platform/clock';
import { requirePerson } from '#slices/approvals';
import { unknownClient } from './clientFacts.ts';
import type { Administrator } from './draftPolicy.ts';
import { type Evaluated, evaluateClient } from './evaluateClient.ts';
import type { Evaluation } from './evaluation.ts';
import { requireUntil, type WantedLevel } from './manualLevel.ts';
import type { RiskPorts } from './ports.ts';
import { roles } from './roles.ts';
import { clientTarget } from './signedRisk.ts';
import { type RiskClient, riskClientTable } from './tables.ts';
import { isLower } from './words.ts';

/** Who gives which client a level. */
export interface OverrideAsk {
  readonly tenantId: TenantId;
  readonly clientId: string;
  readonly principal: Principal | Administrator;
  readonly ip?: string;
  readonly kept?: (evaluation: Evaluation) => IdempotencyRecord | undefined;
}

/** What the second person signs of a level that lowers. */
export const overrideSubject = (
  clientId: string,
  { level, until }: Pick<WantedLevel, 'level' | 'until'>,
): DualControlSubject => ({
  field: 'level',
  newValue: { level, until: toTimestamp(until) },
  resource: clientTarget({ clientId }),
});

/** Where the client stands. Throws `risk-client-unknown`, `state-altered`. */
export async function requireRiskClient(
  { signed }: Pick<RiskPorts, 'signed'>,
  key: Pick<RiskClient, 'clientId' | 'tenantId'>,
): Promise<RiskClient> {
  const found = await signed.findClient(key);
  if (found === undefined) throw unknownClient();
  return found;
}

/**
 * Whether a second person signs it: it is lower than the policy’s level, or than what counts. It is
 * asked of the last evaluation; the evaluation that the level comes with asks again.
 */
export const needsSecond = (
  { evaluatedLevel, level: standing }: Pick<RiskClient, 'evaluatedLevel' | 'level'>,
  { level }: Pick<WantedLevel, 'level'>,
): boolean => isLower(level, evaluatedLevel) || isLower(level, standing);

/**
 * Throws `person-required`, `role-insufficient`, `override-forbidden`, `risk-client-unknown`, and
 * `dual-control-header-missing` where it lowers and nobody else has signed.
 */
export async function overrideClient(
  ports: RiskPorts,
  ask: OverrideAsk,
  wanted: WantedLevel,
  by?: ApprovedBy,
): Promise<Evaluated> {
  const { clientId, ip, kept, principal, tenantId } = ask;
  const now = ports.clock.now();
  requireUntil(wanted.until, now);
  const actor = await overriderOf(ports, { principal, tenantId });
  const client = await requireRiskClient(ports, { clientId, tenantId });
  if (needsSecond(client, wanted) && by === undefined) {
    const detail = 'a level that lowers is signed by a second person';
    throw new DomainError('dual-control-header-missing', { detail });
  }
  return evaluateClient(ports, {
    actor,
    clientId,
    isAsked: true,
    manual: {
      at: now,
      by: actor,
      level: wanted.level,
      reason: wanted.reason,
      until: wanted.until,
      ...(by !== undefined && { confirmedBy: `person:${by.approval.approver.id}` }),
    },
    tenantId,
    ...(ip !== undefined && { ip }),
    ...(kept !== undefined && { kept }),
    ...(by !== undefined && { approvedBy: by }),
  });
}

/** Ends the level of a person before its time; what lowers by that is signed by a second one. */
export async function endOverride(
  ports: RiskPorts,
  ask: OverrideAsk & { readonly reason: string },
): Promise<Evaluated> {
  const { clientId, ip, kept, principal, reason, tenantId } = ask;
  const actor = await overriderOf(ports, { principal, tenantId });
  const client = await requireRiskClient(ports, { clientId, tenantId });
  if (client.manual === undefined) {
    throw new DomainError('state-conflict', { detail: 'nobody has given the client a level' });
  }
  if (isLower(client.evaluatedLevel, client.level)) {
    const detail = 'the client would stand lower: have a level signed that lowers, or let it end';
    throw new DomainError('override-forbidden', { detail });
  }
  return evaluateClient(ports, {
    actor,
    clientId,
    isAsked: true,
    manual: { ended: 'person', reason },
    tenantId,
    ...(ip !== undefined && { ip }),
    ...(kept !== undefined && { kept }),
  });
}

async function overriderOf(
  { listPersons }: Pick<RiskPorts, 'listPersons'>,
  { principal, tenantId }: Pick<OverrideAsk, 'principal' | 'tenantId'>,
): Promise<Actor> {
  if (principal.kind === 'cli') return principal.actor;
  const person = requirePerson(principal, await listPersons(tenantId));
  if (!person.roles.some((role) => (roles.override as readonly string[]).includes(role))) {
    throw new DomainError('role-insufficient');
  }
  return `person:${person.id}`;
}

const ENDED_PAGE = 100;

/**
 * Levels of persons whose time is over count no more; answers how many have ended. One that cannot
 * be evaluated any more stays as it is, and does not hold the others up.
 */
export async function endOverrides(ports: RiskPorts): Promise<number> {
  const now = ports.clock.now();
  let ended = 0;
  for (let after: PageCursor | undefined; ; ) {
    const { next, records } = await ports.tables.page(riskClientTable, {
      equal: { isManual: true },
      index: 'manualDue',
      limit: ENDED_PAGE,
      to: (now + 1) as EpochMs,
      ...(after !== undefined && { after }),
    });
    for (const { clientId, tenantId } of records) {
      ended += await endOne(ports, { clientId, tenantId });
    }
    if (next === undefined) return ended;
    after = next;
  }
}

async function endOne(
  ports: RiskPorts,
  { clientId, tenantId }: Pick<RiskClient, 'clientId' | 'tenantId'>,
): Promise<number> {
  try {
    await evaluateClient(ports, {
      actor: 'system:risk',
      clientId,
      isAsked: false,
      manual: { ended: 'time' },
      tenantId,
    });
    return 1;
  } catch (error) {
    if (!isLeft(error)) throw error;
    return 0;
  }
}

const LEFT: readonly string[] = ['risk-client-unknown', 'state-altered', 'subject-erased'];

/** Somebody was first, the client is gone, or the record was altered, which `doctor` tells. */
const isLeft = (error: unknown): boolean =>
  isConflict(error) || (error instanceof DomainError && LEFT.includes(error.code));
