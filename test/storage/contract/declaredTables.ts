/**
 * Tables that slices declare. The contract runs over every one of them, by its declaration; MORE
 * has what a sample of one needs beside it.
 */
import { TABLES } from '../../../src/app/tables.ts';
import { type CaseOptions, type TableCase, tableCase } from './sampleRecord.ts';

/** One policy of a tenant is in force and one is drafted; all others are over. */
const POLICY_STATES = ['ARCHIVED', 'PUBLISHED', 'DRAFT', ...Array<string>(61).fill('DISCARDED')];

/** One policy of a tenant decides and one waits for its day; no other stands. */
const RISK_STANDINGS = ['none', 'in_force', 'scheduled', ...Array<string>(61).fill('none')];

/** One version of a rule is in force and one is drafted: three samples share a rule. */
const RULE_STATES = [
  ...['draft', 'published', 'archived'],
  ...['PENDING_APPROVAL', 'published', 'archived'],
  ...['shadow', 'archived', 'archived'],
];

const MORE: Readonly<Record<string, CaseOptions>> = {
  aml_rule: { fields: { status: RULE_STATES } },
  policy: { fields: { status: POLICY_STATES } },
  risk_policy: { fields: { standing: RISK_STANDINGS } },
};

export const DECLARED: readonly TableCase[] = TABLES.map((table) =>
  tableCase(table, MORE[table.name]),
);
