/**
 * Finishes groups whose document is written and whose effects are not, or not all: the second half
 * of appendByIntent. The writer itself runs it, the process that takes the head after the writer
 * died, and the next one that changes state. Several may do it at once; every step can be repeated.
 */
import assert from 'node:assert/strict';
import type { ChainId } from '#core/kernel';
import type { AppendTools } from './append.ts';
import { chainHead } from './chainHead.ts';
import type { GroupDocument, HeadDocument } from './collections.ts';
import { applyEffects } from './effects.ts';
import { applyFormerChanges } from './formerWrites.ts';
import { writeTables } from './tableWrites.ts';

type Tools = Pick<AppendTools, 'collections' | 'onCrashPoint'>;

/** Without the events, which may be megabytes. */
const PLACE = { projection: { events: 0 } } as const;

/** Brings the chain's head to its last group and answers it. */
export async function rollForward(tools: Tools, chainId: ChainId): Promise<HeadDocument> {
  const { collections, onCrashPoint } = tools;
  const heads = chainHead(collections);
  for (let isBehind = false; ; isBehind = true) {
    const head = await heads.findOrInsert(chainId);
    const next = await collections.group.findOne({ chain: chainId, group: head.group + 1 }, PLACE);
    if (next === null) {
      if (isBehind) await removeIntents(tools, head);
      return head;
    }
    await applyGroup(tools, next);
    const { group, lastSeq: seq, lastHash: hash, at } = next;
    await collections.head.updateOne(
      { _id: chainId, group: group - 1 },
      { $set: { group, seq, hash, at } },
    );
    onCrashPoint('head');
  }
}

async function applyGroup(tools: Tools, group: GroupDocument): Promise<void> {
  const { collections, onCrashPoint } = tools;
  // State first, and in the installation's order: this group's changes may stand on another's.
  if (group.changeNo !== undefined) await rollChangesForward(tools);
  onCrashPoint('changes');
  assert(group.intent !== undefined, 'a group ahead of its head was written by intent');
  const intent = await collections.intent.findOne({ _id: group.intent });
  // Gone only after the head has moved past the group: another process has just finished it.
  if (intent === null) return;
  const { tables } = intent;
  if (tables !== undefined) await writeTables(collections, tables.inChain, { onCrashPoint });
  await applyEffects(collections, intent, onCrashPoint);
}

/** Applies every committed change that is not applied yet; answers the number of the last. */
export async function rollChangesForward({ collections, onCrashPoint }: Tools): Promise<number> {
  for (;;) {
    const changed = (await collections.state.findOne({ _id: 'changes' }))?.no ?? 0;
    const next = await collections.group.findOne({ changeNo: changed + 1 }, PLACE);
    if (next === null) return changed;
    const intent = await collections.intent.findOne({ _id: next.intent ?? '' });
    const changeNo = changed + 1;
    if (intent !== null) await applyFormerChanges(collections, intent, changeNo);
    const inTurn = intent?.tables?.inTurn;
    if (inTurn !== undefined) await writeTables(collections, inTurn, { changeNo, onCrashPoint });
    onCrashPoint('writes');
    await collections.state.updateOne(
      { _id: 'changes' },
      { $max: { no: changed + 1 } },
      { upsert: true },
    );
  }
}

/**
 * Removes the intents of completed groups. One for the next group may belong to a live writer, and
 * one that lost its race can no longer be named by any group.
 */
async function removeIntents(
  { collections, onCrashPoint }: Tools,
  head: HeadDocument,
): Promise<void> {
  await collections.intent.deleteMany({ chain: head._id, group: { $lte: head.group } });
  onCrashPoint('intent-removed');
}

/** At the start: finishes what an earlier process left, also one without transactions. */
export async function rollAllForward(tools: Tools): Promise<void> {
  const chains = await tools.collections.intent.distinct('chain');
  for (const chain of chains) await rollForward(tools, chain as ChainId);
}
