/**
 * One group, one step. What can be known beforehand is checked here; the two ways of making it one
 * step are appendInTransaction and, where the server has no transactions, appendByIntent.
 */
import type { AppendResult } from '#core/audit';
import { assertGroup, scopesTwice } from '../eventGroup.ts';
import { assertTableChange } from '../tableChange.ts';
import type { Append, AppendTools } from './append.ts';
import { appendByIntent } from './appendByIntent.ts';
import { appendInTransaction } from './appendInTransaction.ts';
import { formOf } from './tablePlan.ts';

export async function appendGroup(tools: AppendTools, append: Append): Promise<AppendResult> {
  assertGroup(append.group);
  for (const change of append.group.changes) {
    assertTableChange(formOf(tools.forms, change), append.lease.chainId, change);
  }
  const scopes = scopesTwice(append.group.idempotency);
  if (scopes.length > 0) return { kind: 'idempotency-taken', scopes };
  return tools.hasTransactions ? appendInTransaction(tools, append) : appendByIntent(tools, append);
}
