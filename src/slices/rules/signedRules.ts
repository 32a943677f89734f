/**
 * Versions of rules are compared with the chain (decision 3.1b): every revision of a record has an
 * entry with its digest. One that was changed, put back, invented or removed past the service is
 * refused by name before anything is decided by it.
 */
import { type JsonRecord, type SignedRecordPorts, SignedRecords } from '#core/audit';
import { chainOf, DomainError, type TenantId } from '#core/kernel';
import type { RuleReadPorts } from './ports.ts';
import { allRules, findRule, recordDigest } from './ruleRecord.ts';
import type { RuleRecord } from './tables.ts';

/** Actions whose entries name digests of records. */
const ACTIONS = [
  'aml.rule.drafted',
  'aml.rule.backtested',
  'aml.rule.shadowed',
  'aml.rule.signed',
  'aml.rule.published',
  'aml.rule.discarded',
  'aml.rule.lapsed',
] as const;

interface Held {
  readonly digest: string;
  readonly rule_id: string;
  readonly version: number;
}

const heldIn = (entry: JsonRecord): readonly Held[] => (entry.rules ?? []) as readonly Held[];
const keyOf = ({ rule_id, version }: Pick<Held, 'rule_id' | 'version'>): string =>
  `${rule_id}/${version}`;
const recordKey = ({ ruleId, ruleVersion }: Pick<RuleRecord, 'ruleId' | 'ruleVersion'>): string =>
  keyOf({ rule_id: ruleId, version: ruleVersion });

/** What compares them; one for a process. */
export const signedRules = (ports: SignedRecordPorts): SignedRecords =>
  new SignedRecords(ports, {
    actions: ACTIONS,
    digestIn: (entry, key) => heldIn(entry).find((one) => keyOf(one) === key)?.digest,
    keysOf: (entry) => heldIn(entry).map(keyOf),
  });

/** The record as `find` finds it, as its last entry made it. Throws `state-altered`. */
export async function signedRule(
  { signed }: Pick<RuleReadPorts, 'signed'>,
  tenantId: TenantId,
  find: () => Promise<RuleRecord>,
): Promise<RuleRecord> {
  const { found, refusal } = await signed.settled(chainOf(tenantId), find, (record) => ({
    // The pack's own is of no entry: it is what the release says.
    digest: record.version === 0 ? null : recordDigest(record),
    key: recordKey(record),
  }));
  if (refusal === undefined) return found;
  const detail = `rule ${recordKey(found)} of ${tenantId}: ${refusal}`;
  throw new DomainError('state-altered', { detail });
}

/**
 * Every version is there and as it was signed. Throws `state-altered`: a row that was taken away,
 * or set to a state in which it is not evaluated, would take a rule out of force unseen.
 */
export async function requireRules(
  ports: Pick<RuleReadPorts, 'signed' | 'tables'>,
  tenantId: TenantId,
): Promise<void> {
  const stored = await storedRules(ports, tenantId);
  for (const one of stored) await signedRule(ports, tenantId, () => findRule(ports, one));
  const known = new Set(stored.map(recordKey));
  const missing = await ports.signed.missing(chainOf(tenantId), known);
  if (missing.length === 0) return;
  // What was drafted between the two reads is there by now.
  const since = new Set((await storedRules(ports, tenantId)).map(recordKey));
  const gone = missing.filter((key) => !since.has(key));
  if (gone.length === 0) return;
  const detail = `rules ${gone.join(', ')} of ${tenantId}: their records are gone`;
  throw new DomainError('state-altered', { detail });
}

const storedRules = async (
  ports: Pick<RuleReadPorts, 'tables'>,
  tenantId: TenantId,
): Promise<readonly RuleRecord[]> =>
  (await allRules(ports, tenantId)).filter(({ version }) => version > 0);

/** What is wrong with the rules of a tenant, in words; how many there are. */
export async function checkRules(
  ports: Pick<RuleReadPorts, 'signed' | 'tables'>,
  tenantId: TenantId,
): Promise<{ readonly count: number; readonly refusals: readonly string[] }> {
  const stored = await storedRules(ports, tenantId);
  const chainId = chainOf(tenantId);
  const refusals: string[] = [];
  for (const record of stored) {
    const key = recordKey(record);
    const refusal = await ports.signed.refusal(chainId, { digest: recordDigest(record), key });
    if (refusal !== undefined) refusals.push(`rule ${key}: ${refusal}`);
  }
  const gone = await ports.signed.missing(chainId, new Set(stored.map(recordKey)));
  return {
    count: stored.length,
    refusals: [...refusals, ...gone.map((key) => `rule ${key}: its record is gone`)],
  };
}
