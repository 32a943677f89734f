/** A policy goes into shadow and out of it; the report of the time is kept. */
import { type Actor, entry, overwrite } from '#core/audit';
import { type BusEvent, chainOf, DomainError } from '#core/kernel';
import { uuidV7 } from '#platform/random';
import { countedByWorkers, type ShadowPorts } from './countShadow.ts';
import { type RiskAsk, riskEditorOf } from './draftPolicy.ts';
import { SHADOWS_MAX } from './limits.ts';
import {
  nextPolicy,
  type PolicyChange,
  putPolicy,
  type RiskPolicyPlace,
  requireEtag,
  requirePolicy,
} from './policyRecord.ts';
import type { RiskDeskPorts } from './ports.ts';
import { completeMetrics, keepShadowReport, requireSound } from './shadow.ts';
import { heldPolicies, policyTarget } from './signedRisk.ts';
import { type RiskPolicy, riskPolicyTable } from './tables.ts';

/** Throws `policy-invalid`, and `state-conflict` where it is no draft or three are in shadow. */
export async function activateShadow(
  ports: RiskDeskPorts,
  ask: RiskAsk & RiskPolicyPlace,
): Promise<RiskPolicy> {
  const { tenantId } = ask;
  const by = await riskEditorOf(ports, ask);
  const shadowed = await overwrite(async () => {
    const before = await requirePolicy(ports, ask);
    requireEtag(before, ask.isExpected);
    requireStatus(before, 'draft');
    requireSound(before);
    const now = ports.clock.now();
    const shadow = {
      afterSeq: (await ports.audit.head(chainOf(tenantId))).seq,
      shadowReportId: uuidV7(now, ports.random),
      since: now,
    };
    const change = { shadow, shadowSlot: await freeSlot(ports, ask), status: 'shadow' } as const;
    return commitStage(ports, ask, { action: 'risk.policy.shadowed', before, by, change });
  });
  await countedByWorkers(ports, shadowed);
  return shadowed;
}

/** Throws `state-conflict` where it is in no shadow, or workers have not counted all of it. */
export async function deactivateShadow(
  ports: ShadowPorts,
  ask: RiskAsk & RiskPolicyPlace,
): Promise<RiskPolicy> {
  const by = await riskEditorOf(ports, ask);
  return overwrite(async () => {
    const before = await requirePolicy(ports, ask);
    requireEtag(before, ask.isExpected);
    requireStatus(before, 'shadow');
    const metrics = await completeMetrics(ports, before, ask);
    const shadowReport = await keepShadowReport(ports, metrics, ports.clock.now());
    const change = { ...OUT_OF_SHADOW, shadowReport, status: 'draft' } as const;
    return commitStage(ports, ask, { action: 'risk.policy.unshadowed', before, by, change });
  });
}

/** Members that go with the shadow. */
export const OUT_OF_SHADOW = { shadow: undefined, shadowSlot: undefined } as const;

/** Throws `state-conflict`. */
export function requireStatus({ status }: RiskPolicy, ...expected: RiskPolicy['status'][]): void {
  if (expected.includes(status)) return;
  const detail = `expected a policy that is ${expected.join(' or ')}, got ${status}`;
  throw new DomainError('state-conflict', { detail });
}

async function freeSlot({ tables }: RiskDeskPorts, { tenantId }: RiskPolicyPlace): Promise<number> {
  for (let shadowSlot = 1; shadowSlot <= SHADOWS_MAX; shadowSlot++) {
    const taken = await tables.findUnique(riskPolicyTable, 'shadow', { shadowSlot, tenantId });
    if (taken === undefined) return shadowSlot;
  }
  const detail = `expected fewer than ${SHADOWS_MAX} policies in shadow`;
  throw new DomainError('state-conflict', { detail });
}

type StageAction = Extract<Parameters<typeof entry>[1]['action'], `risk.policy.${string}`>;

/** One step of a policy, with its entry. */
export async function commitStage(
  ports: RiskDeskPorts,
  { idempotency, ip }: Pick<RiskAsk, 'idempotency' | 'ip'>,
  of: {
    readonly action: StageAction;
    readonly before: RiskPolicy;
    readonly bus?: (record: RiskPolicy) => readonly BusEvent[];
    readonly by: Actor;
    readonly change: PolicyChange;
    readonly open?: Readonly<Record<string, string>>;
  },
): Promise<RiskPolicy> {
  const { action, before, bus, by, change, open } = of;
  const record = nextPolicy(before, { updatedAt: ports.clock.now(), ...change });
  await ports.commit(chainOf(record.tenantId), {
    bus: bus?.(record) ?? [],
    changes: [putPolicy(before, record)],
    events: [
      entry(ports, {
        action,
        actor: by,
        at: record.updatedAt,
        members: {
          ...heldPolicies(record),
          content_hash: record.contentHash,
          status: record.status,
        },
        target: policyTarget(record),
        ...(ip !== undefined && { ip }),
        ...(open !== undefined && { open }),
      }),
    ],
    ...(idempotency !== undefined && { idempotency: () => idempotency(record) }),
  });
  return record;
}
