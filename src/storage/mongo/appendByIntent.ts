/**
 * The way of a server without transactions. One document changes everything together: the group's.
 *
 *   1 intent    its effects, kept aside; void unless the group's document names it
 *   2 group     the commit point: unique (chain, group) lets one writer through, and unique
 *               changeNo lets one group that changes state through, in the whole installation
 *   3 effects   applied from the intent, each harmless to repeat
 *   4 head      moved, and the intent removed
 *
 * The next process that takes the head finishes what a dead writer left between 2 and 4
 * (rollForward). Idempotency scopes name their tenant, hence their chain, so the chain's order
 * guards them too.
 */
import assert from 'node:assert/strict';
import { ObjectId } from 'mongodb';
import type { AppendResult } from '#core/audit';
import { type Append, type AppendTools, groupDocument, isNext } from './append.ts';
import { chainHead } from './chainHead.ts';
import type { GroupDocument, HeadDocument } from './collections.ts';
import { effectsOf, findTakenScopes } from './effects.ts';
import { isDuplicateKey, isDuplicateOf } from './errors.ts';
import { rollChangesForward, rollForward } from './rollForward.ts';
import type { TableEffects } from './tableDocuments.ts';
import { groupTakesTurn, planTables } from './tablePlan.ts';

/** Races in a row that are lost to other groups that change state. */
const RACES_MAX = 20;

interface Planned {
  /** Absent: the group changes nothing. */
  readonly tables?: TableEffects;
  readonly changeNo?: number;
}

export async function appendByIntent(tools: AppendTools, append: Append): Promise<AppendResult> {
  const { collections, onCrashPoint } = tools;
  const { lease, group } = append;
  const head = await rollForward(tools, lease.chainId);
  if (!isNext(head, append)) return { kind: 'fenced' };
  const scopes = await findTakenScopes(collections, group.idempotency);
  if (scopes.length > 0) return { kind: 'idempotency-taken', scopes };
  onCrashPoint('checked');
  const refused = await commit(tools, append, head);
  if (refused !== undefined) return refused;
  await rollForward(tools, lease.chainId);
  return { kind: 'appended', headWanted: await finishLease(tools, append) };
}

/** Steps 1 and 2, until the group's document is written or the group refused. */
async function commit(
  tools: AppendTools,
  append: Append,
  head: HeadDocument,
): Promise<AppendResult | undefined> {
  const { collections, onCrashPoint } = tools;
  for (let race = 1; ; race++) {
    const plan = await planNext(tools, append, head);
    if ('kind' in plan) return plan;
    const intent = `${append.lease.chainId}/${head.group + 1}/${new ObjectId().toHexString()}`;
    const { changeNo, tables } = plan;
    const document: GroupDocument = {
      ...groupDocument(head, append),
      intent,
      ...(changeNo === undefined ? {} : { changeNo }),
    };
    const { chain, group, at } = document;
    const place = { chain: append.lease.chainId, group, at };
    const effects = effectsOf(place, append.group, tables);
    await collections.intent.insertOne({ _id: intent, chain, group, ...effects });
    onCrashPoint('intent');
    try {
      await collections.group.insertOne(document);
      onCrashPoint('group');
      return undefined;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      await collections.intent.deleteOne({ _id: intent });
      // Another process's group stands in our place: the lease was lost, even if it looks valid.
      if (!isDuplicateOf(error, 'changeNo')) return { kind: 'fenced' };
      assert(race < RACES_MAX, 'state changes elsewhere came first too often');
    }
  }
}

/** The result of the changes, read after every change that was committed before. */
async function planNext(
  tools: AppendTools,
  { group: { changes }, lease }: Append,
  head: HeadDocument,
): Promise<Planned | AppendResult> {
  if (changes.length === 0) return {};
  const { collections, forms } = tools;
  const isInTurn = groupTakesTurn(tools, changes);
  const changeNo = isInTurn ? (await rollChangesForward(tools)) + 1 : undefined;
  const place = { chain: lease.chainId, changeNo, group: head.group + 1 };
  const plan = await planTables({ ...place, changes, collections, forms, session: undefined });
  if (plan.kind === 'stale') return plan;
  const { tables } = plan;
  return changeNo === undefined ? { tables } : { changeNo, tables };
}

/** Renews the lease or releases it; answers whether another process waits. */
async function finishLease(
  { collections, onCrashPoint }: AppendTools,
  append: Append,
): Promise<boolean> {
  const { lease, options, nowMs } = append;
  const { chainId, fence } = lease;
  const head = await collections.head.findOneAndUpdate(
    { _id: chainId, fence },
    { $max: { leaseUntil: nowMs + options.ttlMs }, $inc: { rev: 1 } },
    { returnDocument: 'after' },
  );
  if (options.release) await chainHead(collections).release(chainId, fence);
  onCrashPoint('lease');
  return head !== null && head.wantedBy !== null;
}
