/** A version that one person signed and nobody else did in time is in shadow again. */
import { StaleChange } from '#core/audit';
import { DomainError, isConflict } from '#core/kernel';
import { commitRule } from './changeRule.ts';
import type { RuleWritePorts } from './ports.ts';
import { findRule, nextRecord, putNext } from './ruleRecord.ts';
import { signedRule } from './signedRules.ts';
import { type RuleRecord, ruleTable } from './tables.ts';

/** Versions that one run of the job writes. */
const PER_RUN_MAX = 1_000;

/** How many there were. One that somebody signs meanwhile is left as it becomes. */
export async function lapseRules(ports: RuleWritePorts): Promise<number> {
  const { records } = await ports.tables.page(ruleTable, {
    equal: { isPending: true },
    index: 'due',
    limit: PER_RUN_MAX,
    to: ports.clock.now() + 1,
  });
  let lapsed = 0;
  for (const record of records) {
    try {
      await lapseOne(ports, record);
      lapsed += 1;
    } catch (error) {
      if (!isLeft(error)) throw error;
    }
  }
  return lapsed;
}

/** Somebody was first; or the record was altered, which `doctor` tells, and whoever signs it. */
const isLeft = (error: unknown): boolean =>
  isConflict(error) ||
  error instanceof StaleChange ||
  (error instanceof DomainError && error.code === 'state-altered');

async function lapseOne(ports: RuleWritePorts, found: RuleRecord): Promise<void> {
  const { tenantId } = found;
  const record = await signedRule(ports, tenantId, () => findRule(ports, found));
  if (record.status !== 'PENDING_APPROVAL') return;
  const next = nextRecord(record, { signatures: [], signedUntil: undefined, status: 'shadow' });
  await commitRule(
    ports,
    { tenantId },
    {
      action: 'aml.rule.lapsed',
      change: putNext(record, next),
      editor: 'system',
      members: {},
      next,
    },
  );
}
