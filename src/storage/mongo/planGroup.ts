/** Plans all changes of a group: of kinds that are applied by hand, and of declared tables. */
import { type AnyChange, isTableChange } from '#core/kernel';
import type { AppendTools } from './append.ts';
import { planChanges } from './applyChange.ts';
import type { Effects } from './collections.ts';
import { formOf, type PlanAsk, planTables, takesTurn } from './tablePlan.ts';

/** The writes of a group beside its events and messages. */
export type GroupWrites = Pick<Effects, 'writes' | 'tables'>;

/** For a group without changes. */
export const NO_WRITES: GroupWrites = { writes: [] };

/** The writes, or the first change that does not fit what is stored. */
export type GroupPlan =
  | { readonly kind: 'writes'; readonly writes: GroupWrites }
  | { readonly kind: 'stale'; readonly changeIndex: number };

/** Whether the group takes its place among all groups that change state. */
export function groupTakesTurn(
  { forms, hasTransactions }: Pick<AppendTools, 'forms' | 'hasTransactions'>,
  changes: readonly AnyChange[],
): boolean {
  return changes.some(
    (change) => !isTableChange(change) || takesTurn(formOf(forms, change), change, hasTransactions),
  );
}

/** Plans a group's changes from the records as they are. */
export async function planGroup(ask: PlanAsk): Promise<GroupPlan> {
  const { changes, collections, session } = ask;
  const plan = await planChanges({ changes, collections, session });
  if (plan.kind === 'stale') return plan;
  const { writes } = plan;
  if (!changes.some(isTableChange)) return { kind: 'writes', writes: { writes } };
  const declared = await planTables(ask);
  if (declared.kind === 'stale') return declared;
  const { tables } = declared;
  return { kind: 'writes', writes: { tables, writes } };
}
