/**
 * Conditions are compared with the chain (decision 3.1b): each step has an entry with the digest of
 * what the condition became. One that was closed, opened or taken away past the service is named.
 */
import {
  type AuditStore,
  entryPages,
  type JsonRecord,
  type KeyRing,
  verifiedEvent,
} from '#core/audit';
import { chainOf, everyRecord, type Tables, type TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { auditActions } from './auditActions.ts';
import { conditionDigest, targetOf } from './conditions.ts';
import { conditionTable, HISTORY_KEPT_MS } from './tables.ts';

/** What the chain is read with. */
export interface SignedConditionPorts {
  readonly audit: Pick<AuditStore, 'readEvents'>;
  readonly keyRing: KeyRing;
  readonly tables: Pick<Tables, 'page'>;
}

const ACTIONS = Object.keys(auditActions).filter((action) => /\.(alert|ticket)\./.test(action));

/** What is wrong with the conditions of a tenant, in words; how many there are. */
export async function checkConditions(
  ports: SignedConditionPorts,
  of: { readonly tenantId: TenantId; readonly now: EpochMs },
): Promise<{ readonly count: number; readonly refusals: readonly string[] }> {
  const { now, tenantId } = of;
  const { bad, last } = await lastSteps(ports, tenantId);
  const refusals = [...bad];
  let count = 0;
  const ask = { equal: { tenantId }, index: 'key' };
  for await (const condition of everyRecord(ports.tables, conditionTable, ask)) {
    const target = targetOf(condition);
    const step = last.get(target);
    last.delete(target);
    count++;
    if (step?.digest !== conditionDigest(condition)) {
      refusals.push(`${target}: it is not what its last entry made it`);
    }
  }
  // Those that were closed long ago are kept no longer.
  const gone = [...last].filter(([, { at, isClosed }]) => !isClosed || at > now - HISTORY_KEPT_MS);
  refusals.push(...gone.map(([target]) => `${target}: its record is gone`));
  return { count, refusals };
}

interface Step {
  readonly seq: number;
  readonly digest: unknown;
  readonly at: EpochMs;
  readonly isClosed: boolean;
}

async function lastSteps({ audit, keyRing }: SignedConditionPorts, tenantId: TenantId) {
  const chainId = chainOf(tenantId);
  const last = new Map<string, Step>();
  const bad: string[] = [];
  for (const action of ACTIONS) {
    for await (const page of entryPages(audit, { action, chainId, fromSeq: 1 })) {
      for (const event of page) {
        const entry = verifiedEvent(event, { chainId, keyRing });
        if (entry === undefined) bad.push(`entry seq ${event.seq}: it is not what was signed`);
        else note(last, entry, { at: event.occurredAt, isClosed: action.endsWith('.closed') });
      }
    }
  }
  return { bad, last };
}

function note(
  last: Map<string, Step>,
  { condition_digest: digest, seq, target }: JsonRecord,
  of: Pick<Step, 'at' | 'isClosed'>,
): void {
  const before = last.get(String(target));
  if (before !== undefined && before.seq > Number(seq)) return;
  last.set(String(target), { ...of, digest, seq: Number(seq) });
}
