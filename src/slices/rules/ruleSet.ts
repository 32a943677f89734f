/**
 * The rules that a tenant's transactions are evaluated by: what is published, and beside it what is
 * in shadow. Each is what was signed, and the whole has a digest that the evidence names.
 */
import type { JsonObject } from '#core/audit';
import type { TenantId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { sha256Hex } from '#platform/crypto';
import type { RuleInUse } from './compileRule.ts';
import { DEFAULT_PACK, PACK_VERSION } from './defaultPack.ts';
import type { RuleReadPorts } from './ports.ts';
import { allRules, findRule } from './ruleRecord.ts';
import { signedRule } from './signedRules.ts';
import type { RuleRecord } from './tables.ts';

/** Rules of one tenant, with what else decides. */
export interface RuleSet {
  readonly rules: readonly RuleInUse[];
  /** SHA-256 hex over rules, base currency and zone. */
  readonly digest: string;
  /** As an entry tells of it. */
  readonly told: JsonObject;
}

/** What was in force is so still for the transactions of its time, where a late one comes. */
const isEvaluated = ({ status }: RuleRecord): boolean =>
  status === 'published' ||
  status === 'archived' ||
  status === 'shadow' ||
  status === 'PENDING_APPROVAL';

/** Rules in force, and in shadow, as they were signed. Throws `state-altered`. */
export async function ruleSetOf(
  ports: Pick<RuleReadPorts, 'signed' | 'tables'>,
  tenantId: TenantId,
  by: { readonly baseCurrency: string; readonly zone: string },
): Promise<RuleSet> {
  const stored = await allRules(ports, tenantId);
  const touched = new Set(stored.filter(({ version }) => version > 0).map(({ ruleId }) => ruleId));
  const rules: RuleInUse[] = [];
  const told: JsonObject[] = [];
  for (const found of stored.filter(isEvaluated)) {
    // Once a tenant has versions of its own, the pack's own is one of them or none.
    if (found.version === 0 && touched.has(found.ruleId)) continue;
    const record = await signedRule(ports, tenantId, () => findRule(ports, found));
    if (!isEvaluated(record)) continue;
    const isLive = record.status === 'published' || record.status === 'archived';
    const mode = isLive ? 'live' : 'shadow';
    rules.push({
      mode,
      rule: record.content,
      version: record.ruleVersion,
      ...(record.fromTseq !== undefined && { fromTseq: record.fromTseq }),
      ...(record.toTseq !== undefined && { toTseq: record.toTseq }),
    });
    told.push({
      content_hash: record.contentHash,
      from_tseq: record.fromTseq ?? null,
      mode,
      rule_id: record.ruleId,
      to_tseq: record.toTseq ?? null,
      version: record.ruleVersion,
    });
  }
  const members = { base_currency: by.baseCurrency, rules: told, zone: by.zone };
  return { digest: sha256Hex(`rule-set-v1\0${canonicalJson(members)}`), rules, told: members };
}

/** The pack, all of it in shadow: what a tenant has that never touched a rule. */
export const packInShadow = (): readonly RuleInUse[] =>
  DEFAULT_PACK.map((rule) => ({ mode: 'shadow', rule, version: PACK_VERSION }));
