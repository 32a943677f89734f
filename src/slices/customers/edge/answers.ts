/** Answers of cases to questions of the slices on their left. */
import type { CaseWords, StoredCases } from '#slices/batches';
import { CASE_STATUSES, cohortOf, RISK_TIERS } from '#slices/customers';
import type { SliceProcess } from '../../processes.ts';

/** The customers of a tenant, for batches by query. */
export const storedCases = (process: SliceProcess): StoredCases['listSubjects'] => {
  const { dataKeys, random, storage } = process;
  return (ask) => cohortOf({ dataKeys, random, tables: storage.tables }, ask);
};

/** Words of a filter over cases. */
export const caseWords = (): (() => Promise<CaseWords>) => async () => ({
  riskTiers: RISK_TIERS,
  statuses: CASE_STATUSES,
});
