/**
 * Tables that slices declare. The contract runs over every one of them, by its declaration; MORE
 * has what a sample of one needs beside it.
 */
import { TABLES } from '../../../src/app/tables.ts';
import { type CaseOptions, type TableCase, tableCase } from './sampleRecord.ts';

const MORE: Readonly<Record<string, CaseOptions>> = {};

export const DECLARED: readonly TableCase[] = TABLES.map((table) =>
  tableCase(table, MORE[table.name]),
);
