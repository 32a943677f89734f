/**
 * Tables that slices declare. The contract runs over every one of them, by its declaration; MORE
 * has what a sample of one needs beside it.
 */
import { TABLES } from '../../../src/app/tables.ts';
import { type CaseOptions, type TableCase, tableCase } from './sampleRecord.ts';

/** One policy of a tenant is in force and one is drafted; all others are over. */
const POLICY_STATES = ['ARCHIVED', 'PUBLISHED', 'DRAFT', ...Array<string>(61).fill('DISCARDED')];

const MORE: Readonly<Record<string, CaseOptions>> = {
  policy: { fields: { status: POLICY_STATES } },
};

export const DECLARED: readonly TableCase[] = TABLES.map((table) =>
  tableCase(table, MORE[table.name]),
);
