/**
 * Backtests are compared with the chain (decision 3.1b): who publishes a rule goes by what a report
 * says. One that was changed, invented or set back to its beginning past the service is refused.
 */
import { type KeptRecord, type SignedRecordPorts, SignedRecords } from '#core/audit';
import { allRecords, chainOf, DomainError, type Tables, type TenantId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { sha256Hex } from '#platform/crypto';
import { type Backtest, backtestTable } from './tables.ts';

/** What backtests are read with. */
export interface BacktestReadPorts {
  readonly tables: Pick<Tables, 'find' | 'page'>;
  /** Compares backtests that have ended with their entries. */
  readonly signedBacktests: SignedRecords;
}

/** What compares them; one for a process. */
export const signedBacktests = (ports: SignedRecordPorts): SignedRecords =>
  new SignedRecords(ports, {
    actions: ['aml.rule.backtested'],
    digestIn: (entry) => entry.backtest_digest as string | undefined,
    keysOf: (entry) => (entry.backtest_id === undefined ? [] : [entry.backtest_id as string]),
  });

/** Digest of a backtest as it ended, whole, hex. */
export const backtestDigest = (backtest: Backtest): string =>
  sha256Hex(`aml-rule-backtest-v1\0${canonicalJson(backtest as never)}`);

/** Nothing is signed of one that waits but that it was asked for. */
const keptOf = (backtest: Backtest): KeptRecord => ({
  digest: backtest.status === 'queued' ? null : backtestDigest(backtest),
  // A former release told three figures of a report, and why there is none.
  isAsFormerly: (entries) => {
    const told = entries.at(-1);
    const { failure, report } = backtest;
    return (
      told?.alerts === report?.alerts &&
      told?.evaluated === report?.evaluated &&
      told?.matched === report?.matched &&
      told?.failure === failure
    );
  },
  key: backtest.backtestId,
});

const altered = (backtestId: string, tenantId: TenantId, refusal: string): DomainError =>
  new DomainError('state-altered', {
    detail: `backtest ${backtestId} of ${tenantId}: ${refusal}`,
  });

/** Throws `backtest-unknown`, `state-altered`. */
export async function findBacktest(
  { signedBacktests: signed, tables }: BacktestReadPorts,
  { backtestId, tenantId }: Pick<Backtest, 'tenantId' | 'backtestId'>,
): Promise<Backtest> {
  const { found, refusal } = await signed.settled(
    chainOf(tenantId),
    () => tables.find(backtestTable, { backtestId, tenantId }),
    (one) => (one === undefined ? { digest: null, key: backtestId } : keptOf(one)),
  );
  if (refusal !== undefined) throw altered(backtestId, tenantId, refusal);
  if (found === undefined) throw new DomainError('backtest-unknown');
  return found;
}

/** Backtests of a rule that are looked through for those of one version. */
const LOOKS_MAX = 100;

/** The latest ones of a version, latest first. Throws `state-altered`. */
export async function listBacktests(
  ports: BacktestReadPorts,
  of: Pick<Backtest, 'ruleId' | 'ruleVersion' | 'tenantId'>,
): Promise<readonly Backtest[]> {
  const { ruleId, ruleVersion, tenantId } = of;
  const { found, refusal } = await ports.signedBacktests.settledAll(
    chainOf(tenantId),
    async () => {
      const { records } = await ports.tables.page(backtestTable, {
        direction: 'descending',
        equal: { ruleId, tenantId },
        index: 'byRule',
        limit: LOOKS_MAX,
      });
      return records.filter((one) => one.ruleVersion === ruleVersion);
    },
    (records) => records.map(keptOf),
  );
  if (refusal !== undefined) throw altered(`of ${ruleId}/${ruleVersion}`, tenantId, refusal);
  return found;
}

/** What is wrong with the backtests of a tenant, in words; how many there are. */
export async function checkBacktests(
  ports: BacktestReadPorts,
  tenantId: TenantId,
): Promise<{ readonly count: number; readonly refusals: readonly string[] }> {
  const all = await allRecords(ports.tables, backtestTable, { equal: { tenantId }, index: 'key' });
  const refusals: string[] = [];
  for (const { backtestId } of all) {
    const { refusal } = await ports.signedBacktests.settled(
      chainOf(tenantId),
      () => ports.tables.find(backtestTable, { backtestId, tenantId }),
      (one) => (one === undefined ? { digest: null, key: backtestId } : keptOf(one)),
    );
    if (refusal !== undefined) refusals.push(`backtest ${backtestId}: ${refusal}`);
  }
  const known = new Set(all.map(({ backtestId }) => backtestId));
  const gone = await ports.signedBacktests.missing(chainOf(tenantId), known);
  return {
    count: all.length,
    refusals: [...refusals, ...gone.map((id) => `backtest ${id}: its record is gone`)],
  };
}
