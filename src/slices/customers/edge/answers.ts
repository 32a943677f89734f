/** Answers of cases to questions of the slices on their left. */
import type { StoredCases } from '#slices/batches';
import { cohortOf } from '#slices/customers';
import type { SliceProcess } from '../../processes.ts';

/** The customers of a tenant, for batches by query. */
export const storedCases = (process: SliceProcess): StoredCases['listSubjects'] => {
  const { dataKeys, random, storage } = process;
  return (ask) => cohortOf({ dataKeys, random, tables: storage.tables }, ask);
};
