/**
 * What came of the log's parts, compared with their signed entries: a hit that was taken out of a
 * result would let a payment pass. Each part has an entry with the root over its hits.
 */
import {
  type AuditStore,
  entryPages,
  findEntryNear,
  type JsonRecord,
  type KeyRing,
  type SealedEvent,
  storedMembers,
  verifiedEvent,
} from '#core/audit';
import { chainOf, everyRecord, type Tables, type TenantId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { resultsRoot } from './digests.ts';
import { RESULT_KEPT_MS, type RuleResult, ruleResultTable } from './tables.ts';

const ACTION = 'aml.rules.evaluated';
/** Entries at the chain's end that are looked at first: whoever waits asks for the last part. */
const RECENT = 64;
const DAY_MS = 86_400_000;

/** What they are compared with. */
export interface ResultPorts {
  readonly audit: Pick<AuditStore, 'findBySeq' | 'head' | 'readEvents'>;
  readonly keyRing: KeyRing;
}

/** Why a result is not what was signed; undefined where it is. */
export async function resultRefusal(
  { audit, keyRing }: ResultPorts,
  result: RuleResult,
): Promise<string | undefined> {
  const { at, tenantId, tseqFrom, tseqTo } = result;
  const chainId = chainOf(tenantId);
  const isIt = (event: SealedEvent): boolean => {
    const { tseq_from, tseq_to } = storedMembers(event);
    return tseq_from === tseqFrom && tseq_to === tseqTo;
  };
  const { seq } = await audit.head(chainId);
  const fromSeq = Math.max(1, seq - RECENT + 1);
  const recent = await audit.readEvents({ action: ACTION, chainId, fromSeq, limit: RECENT });
  const event =
    recent.find(isIt) ?? (await findEntryNear(audit, chainId, { action: ACTION, isIt, near: at }));
  const entry = event && verifiedEvent(event, { chainId, keyRing });
  return entry === undefined ? 'it has no signed entry' : faultOf(result, entry);
}

function faultOf(result: RuleResult, entry: JsonRecord): string | undefined {
  const told = {
    hits: result.hits.length,
    late: result.late,
    not_evaluated: result.notEvaluated.map((one) => ({ ...one })),
    results_root: resultsRoot(result),
    rule_set: result.ruleSet,
    too_late: result.tooLate,
  };
  const names = Object.keys(told) as (keyof typeof told)[];
  const odd = names.find(
    (name) => canonicalJson({ is: told[name] }) !== canonicalJson({ is: entry[name] ?? null }),
  );
  return odd === undefined ? undefined : `${odd} is not what was signed`;
}

/** What is wrong with the results of a tenant, in words; how many parts the chain tells of. */
export async function checkResults(
  ports: ResultPorts & { readonly tables: Pick<Tables, 'page'> },
  tenantId: TenantId,
  now: number,
): Promise<{ readonly count: number; readonly refusals: readonly string[] }> {
  const rows = new Map<number, RuleResult>();
  const ask = { equal: { tenantId }, index: 'key' };
  for await (const one of everyRecord(ports.tables, ruleResultTable, ask)) {
    rows.set(one.tseqFrom, one);
  }
  const chainId = chainOf(tenantId);
  const refusals: string[] = [];
  let count = 0;
  for await (const page of entryPages(ports.audit, { action: ACTION, chainId, fromSeq: 1 })) {
    for (const event of page) {
      const entry = verifiedEvent(event, { chainId, keyRing: ports.keyRing });
      if (entry?.tseq_from === undefined) continue;
      count += 1;
      const tseqFrom = Number(entry.tseq_from);
      const part = `transactions ${tseqFrom} to ${String(entry.tseq_to)}`;
      const row = rows.get(tseqFrom);
      rows.delete(tseqFrom);
      // What is due leaves by itself, on some day.
      const isDue = Date.parse(String(entry.at)) < now - RESULT_KEPT_MS + DAY_MS;
      if (row === undefined && isDue) continue;
      const isIt = row?.tseqTo === entry.tseq_to;
      const fault = row === undefined ? 'it is gone' : isIt ? faultOf(row, entry) : 'another part';
      if (fault !== undefined) refusals.push(`result of ${part}: ${fault}`);
    }
  }
  for (const { tseqFrom } of rows.values()) {
    refusals.push(`result of transactions ${tseqFrom} on: no entry tells of it`);
  }
  return { count, refusals };
}
