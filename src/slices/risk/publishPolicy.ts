/**
 * A policy comes into force: at its second approval, or on its day. One commit archives what was in
 * force and puts the new one in its place.
 */
import { type Actor, type EventDraft, entry, overwrite } from '#core/audit';
import { chainOf, DomainError, isConflict, type TableChange } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { requireUnlocked } from '#slices/policies';
import { OUT_OF_SHADOW } from './changeStage.ts';
import type { RiskAsk } from './draftPolicy.ts';
import { SHIPPED_VERSION } from './inForce.ts';
import { nextPolicy, presentApproval, putPolicy, type RiskPolicyPlace } from './policyRecord.ts';
import type { RiskDeskPorts } from './ports.ts';
import { heldPolicies, policyTarget } from './signedRisk.ts';
import { type RiskPolicy, riskPolicyTable } from './tables.ts';

/** What a commit has of a publication. */
export interface PublicationStep {
  readonly changes: readonly TableChange[];
  readonly events: readonly EventDraft[];
  readonly record: RiskPolicy;
}

/**
 * `record` is the next revision of `before`, with both approvals. Throws `state-conflict` where
 * another policy waits for its day.
 */
export async function publicationOf(
  ports: RiskDeskPorts,
  of: {
    readonly actor: Actor;
    readonly before: RiskPolicy;
    readonly ip?: string | undefined;
    readonly record: RiskPolicy;
  },
): Promise<PublicationStep> {
  const { actor, before, ip, record } = of;
  const { submission, tenantId } = record;
  const now = ports.clock.now();
  const waiting = await ports.tables.findUnique(riskPolicyTable, 'scheduled', { tenantId });
  if (waiting !== undefined) {
    const detail = `policy ${waiting.policyId} was published and waits for its day`;
    throw new DomainError('state-conflict', { detail });
  }
  const active = await ports.signed.inForce(tenantId);
  const wanted = submission?.effectiveAt === undefined ? now : Date.parse(submission.effectiveAt);
  const isNow = wanted <= now;
  const published: RiskPolicy = {
    ...without(record),
    effectiveAt: Math.max(wanted, now) as EpochMs,
    policyVersion: (active?.policyVersion ?? SHIPPED_VERSION) + 1,
    publishedAt: now,
    standing: isNow ? 'in_force' : 'scheduled',
    status: 'published',
  };
  const archived = isNow && active ? archivedOf(active, now) : undefined;
  const held = archived ? [archived, published] : [published];
  const event = entry(ports, {
    action: 'risk.policy.published',
    actor,
    at: now,
    members: {
      ...heldPolicies(...held),
      approvals: (published.approvals ?? []).map(presentApproval),
      author: published.updatedBy,
      backtest_sha256: submission?.backtestSha256 ?? null,
      content_hash: published.contentHash,
      effective_at: published.effectiveAt ?? now,
      policy_version: published.policyVersion ?? 0,
      previous_policy_id: active?.policyId ?? null,
      shadow_sha256: submission?.shadowSha256 ?? null,
    },
    severity: 'NOTICE',
    target: policyTarget(published),
    ...(ip !== undefined && { ip }),
  });
  return {
    changes: [
      ...(archived && active ? [putPolicy(active, archived)] : []),
      putPolicy(before, published),
    ],
    events: [event],
    record: published,
  };
}

const without = (record: RiskPolicy): RiskPolicy => {
  const { shadow: _, shadowSlot: __, ...rest } = record;
  return rest;
};

const archivedOf = (active: RiskPolicy, at: EpochMs): RiskPolicy =>
  nextPolicy(active, {
    ...OUT_OF_SHADOW,
    archivedAt: at,
    standing: undefined,
    status: 'archived',
  });

const DUE_MAX = 100;

/** Policies whose day has come decide from now on; answers how many. */
export async function activateDue(ports: RiskDeskPorts): Promise<number> {
  const { records } = await ports.tables.page(riskPolicyTable, {
    equal: { isScheduled: true },
    index: 'due',
    limit: DUE_MAX,
    to: ports.clock.now() + 1,
  });
  let activated = 0;
  for (const { policyId, tenantId } of records) {
    const made = await activatePublished(ports, { actor: 'system:risk', policyId, tenantId }).catch(
      (error: unknown) => {
        if (isLeft(error)) return undefined;
        throw error;
      },
    );
    if (made !== undefined) activated += 1;
  }
  return activated;
}

/** Somebody was first, or the record or the chain was altered, which `doctor` tells. */
const isLeft = (error: unknown): boolean =>
  isConflict(error) ||
  (error instanceof DomainError &&
    ['audit-chain-broken', 'state-altered', 'state-conflict'].includes(error.code));

/** Throws `state-conflict` where it is not published, or its day has not come. */
export function activatePublished(
  ports: RiskDeskPorts,
  of: Pick<RiskAsk, 'idempotency'> & RiskPolicyPlace & { readonly actor: Actor },
): Promise<RiskPolicy> {
  const { actor, idempotency, policyId, tenantId } = of;
  return overwrite(async () => {
    await requireUnlocked(ports, tenantId);
    const before = await ports.signed.findPolicy({ policyId, tenantId });
    if (before === undefined) throw new DomainError('policy-unknown');
    const now = ports.clock.now();
    if (before.standing !== 'scheduled' || (before.effectiveAt ?? 0) > now) {
      const detail = 'expected a published policy whose day has come and that is not in force';
      throw new DomainError('state-conflict', { detail });
    }
    const active = await ports.signed.inForce(tenantId);
    const archived = active && archivedOf(active, now);
    const record = nextPolicy(before, { standing: 'in_force' });
    await ports.commit(chainOf(tenantId), {
      bus: [],
      changes: [
        ...(active && archived ? [putPolicy(active, archived)] : []),
        putPolicy(before, record),
      ],
      events: [
        entry(ports, {
          action: 'risk.policy.effective',
          actor,
          at: now,
          members: {
            ...heldPolicies(...(archived ? [archived, record] : [record])),
            content_hash: record.contentHash,
          },
          severity: 'NOTICE',
          target: policyTarget(record),
        }),
      ],
      ...(idempotency !== undefined && { idempotency: () => idempotency(record) }),
    });
    return record;
  });
}
