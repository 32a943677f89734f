/**
 * The way of a replica set: everything of a group in one transaction. The head is touched first,
 * and by a write, since two snapshots that only read it could both commit. Nothing here has an
 * effect outside the session, because the driver may run it again.
 */
import type { ClientSession } from 'mongodb';
import type { AppendResult } from '#core/audit';
import { DomainError } from '#core/kernel';
import { releaseLease, renewedUntil } from '../headLease.ts';
import { type Append, type AppendTools, groupDocument, isNext } from './append.ts';
import type { HeadDocument } from './collections.ts';
import { applyEffects, effectsOf, findTakenScopes } from './effects.ts';
import { isDuplicateKey } from './errors.ts';
import type { TableEffects } from './tableDocuments.ts';
import { groupTakesTurn, planTables } from './tablePlan.ts';
import { writeTables } from './tableWrites.ts';
import { TRANSACTION } from './transaction.ts';

/** Another chain took the same scope or record in between: the next look will see it. */
const RACES_MAX = 3;

/** The driver alone would go on trying for two minutes. */
const TRANSACTION_MS_MAX = 15_000;
const TOO_LONG = { detail: 'MongoDB: transactions kept conflicting', retryAfterS: 1 };

interface Attempt {
  readonly session: ClientSession;
  /** One before it met a duplicate key. */
  readonly isAgain: boolean;
}

/** Ends the transaction without a trace; `result` says why. */
class Refused extends Error {
  readonly result: AppendResult;
  constructor(result: AppendResult) {
    super(result.kind);
    this.result = result;
  }
}

export async function appendInTransaction(
  tools: AppendTools,
  append: Append,
): Promise<AppendResult> {
  const deadline = tools.clock.monotonicMs() + TRANSACTION_MS_MAX;
  const attempt = (tried: Attempt) => {
    if (tools.clock.monotonicMs() > deadline) throw new DomainError('store-unavailable', TOO_LONG);
    return write(tools, append, tried);
  };
  for (let race = 1; ; race++) {
    try {
      const result = await tools.sessions.use(append.lease.chainId, (session) =>
        session.withTransaction(() => attempt({ isAgain: race > 1, session }), TRANSACTION),
      );
      tools.onCrashPoint('commit');
      if (append.options.release) await tools.sessions.end(append.lease.chainId);
      return result;
    } catch (error) {
      if (error instanceof Refused) return error.result;
      if (!isDuplicateKey(error) || race === RACES_MAX) throw error;
    }
  }
}

async function write(
  tools: AppendTools,
  append: Append,
  { isAgain, session }: Attempt,
): Promise<AppendResult> {
  const { collections, onCrashPoint } = tools;
  const { lease, group } = append;
  const head = await touchHead(tools, append, session);
  onCrashPoint('head');
  const scopes = await findTakenScopes(collections, group.idempotency, session);
  if (scopes.length > 0) throw new Refused({ kind: 'idempotency-taken', scopes });
  const document = groupDocument(head, append);
  const tables = await writeChanges(tools, append, { group: document.group, isAgain, session });
  onCrashPoint('changes');
  await collections.group.insertOne({ ...document }, { session });
  onCrashPoint('events');
  const place = { chain: lease.chainId, group: document.group, at: document.at };
  await applyEffects(collections, effectsOf(place, group, tables), onCrashPoint, session);
  return { kind: 'appended', headWanted: head.wantedBy !== null };
}

/** Moves the head to where it will be, and answers where it was. */
async function touchHead(
  { collections }: AppendTools,
  append: Append,
  session: ClientSession,
): Promise<HeadDocument> {
  const { lease, options, nowMs } = append;
  const filter = { _id: lease.chainId, fence: lease.fence };
  const head = await collections.head.findOneAndUpdate(
    filter,
    { $inc: { rev: 1 } },
    { session, returnDocument: 'after' },
  );
  if (!isNext(head, append)) throw new Refused({ kind: 'fenced' });
  const { group, at, lastSeq: seq, lastHash: hash } = groupDocument(head, append);
  const renewed = { ...head, leaseUntil: renewedUntil(head, nowMs + options.ttlMs) };
  const { fence, holder, leaseUntil, wantedBy } = options.release ? releaseLease(head) : renewed;
  const $set = { seq, hash, group, at, fence, holder, leaseUntil, wantedBy };
  await collections.head.updateOne(filter, { $set }, { session });
  return head;
}

async function writeChanges(
  tools: AppendTools,
  { group: { changes }, lease }: Append,
  { group, isAgain, session }: Attempt & { readonly group: number },
): Promise<TableEffects | undefined> {
  if (changes.length === 0) return undefined;
  const { collections, forms, onCrashPoint } = tools;
  const isInTurn = groupTakesTurn(tools, changes);
  const changeNo = isInTurn ? await takeTurn(tools, session) : undefined;
  const place = { chain: lease.chainId, changeNo, group };
  const plan = await planTables({ ...place, changes, collections, forms, session });
  if (plan.kind === 'stale') throw new Refused(plan);
  const options = { changeNo, isAgain, onCrashPoint, session };
  await writeTables(collections, plan.tables.inTurn, options);
  await writeTables(collections, plan.tables.inChain, options);
  return plan.tables;
}

/** Groups that change state take turns: reads of a snapshot alone would allow write skew. */
async function takeTurn({ collections }: AppendTools, session: ClientSession): Promise<number> {
  const state = await collections.state.findOneAndUpdate(
    { _id: 'changes' },
    { $inc: { no: 1 } },
    { session, returnDocument: 'after', upsert: true },
  );
  return state?.no ?? 0;
}
