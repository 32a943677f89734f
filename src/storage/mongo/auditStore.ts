/**
 * AuditStore on MongoDB. A chain's groups are documents that hold their events; one event is
 * projected out of its group on the server. Every filter starts from a chain.
 */
import type { AuditStore, Checkpoint, IdempotencyRecord, SealedEvent } from '#core/audit';
import type { ChainId, ScreeningId } from '#core/kernel';
import type { Clock, EpochMs } from '#platform/clock';
import { HeadWatch } from '../headWatch.ts';
import { PAGE_ROWS_MAX } from '../limits.ts';
import type { AppendTools } from './append.ts';
import { appendGroup } from './appendGroup.ts';
import { auditSearch } from './auditSearch.ts';
import { chainHead } from './chainHead.ts';
import type { Collections, GroupDocument } from './collections.ts';
import { padId } from './effects.ts';
import { rollForward } from './rollForward.ts';

/** Groups fetched at once while a page of events fills up. */
const GROUPS_PER_BATCH = 16;

export function auditStore(tools: AppendTools): AuditStore {
  const { clock } = tools;
  return {
    ...leases(tools),
    appendGroup: (lease, group, options) =>
      appendGroup(tools, { lease, group, options, nowMs: clock.now() }),
    ...events(tools.collections),
    ...erasure(tools),
    ...idempotency(tools.collections),
    ...checkpoints(tools.collections, clock),
  };
}

function leases(tools: AppendTools) {
  const { clock } = tools;
  const heads = chainHead(tools.collections);
  const watch = new HeadWatch(clock);
  const takeHead: AuditStore['takeHead'] = async (ask) => {
    const sessions = tools.hasTransactions ? tools.sessions : undefined;
    const taken = await heads.takeLease(ask, { nowMs: clock.now(), sessions, watch });
    if (taken === undefined) return undefined;
    const head = tools.hasTransactions
      ? await heads.findOrInsert(ask.chainId)
      : await rollForward(tools, ask.chainId);
    // Lost again already: the next append would find out, this is cheaper.
    if (head.fence !== taken.fence) return undefined;
    return { ...taken, chainId: ask.chainId, head: { seq: head.seq, hash: head.hash } };
  };
  const releaseHead: AuditStore['releaseHead'] = async ({ chainId, fence }) => {
    await heads.release(chainId, fence);
    await tools.sessions.end(chainId);
  };
  return { takeHead, releaseHead, head: heads.read };
}

function events(collections: Collections) {
  const readEvents: AuditStore['readEvents'] = async ({ action, chainId, fromSeq, limit }) => {
    const count = Math.min(limit, PAGE_ROWS_MAX);
    const groups = collections.group
      .find({
        chain: chainId,
        ...(action !== undefined && { 'events.action': action }),
        lastSeq: { $gte: fromSeq },
      })
      .sort({ lastSeq: 1 })
      .batchSize(GROUPS_PER_BATCH);
    const found: GroupDocument['events'][number][] = [];
    for await (const group of groups) {
      found.push(
        ...group.events.filter(
          (event) => event.seq >= fromSeq && (action === undefined || event.action === action),
        ),
      );
      if (found.length >= count) break;
    }
    return withOpen(collections, chainId, found.slice(0, count));
  };

  const storedAt = async (chainId: ChainId, seq: number): Promise<GroupDocument['events']> => {
    const group = await collections.group.findOne(
      { chain: chainId, lastSeq: { $gte: seq }, firstSeq: { $lte: seq } },
      { sort: { lastSeq: 1 }, projection: { events: { $elemMatch: { seq } } } },
    );
    return group?.events ?? [];
  };

  const findBySeq: AuditStore['findBySeq'] = async (chainId, seq) =>
    (await withOpen(collections, chainId, await storedAt(chainId, seq)))[0];

  const findByEventId: AuditStore['findByEventId'] = async (chainId, eventId) => {
    const group = await collections.group.findOne(
      { chain: chainId, 'events.eventId': eventId },
      { projection: { events: { $elemMatch: { eventId } } } },
    );
    return (await withOpen(collections, chainId, group?.events ?? []))[0];
  };

  const search = auditSearch(collections, {
    storedAt,
    withOpen: (chainId, found) => withOpen(collections, chainId, found),
  });
  return {
    ...search,
    ...screeningsOf(collections),
    findByEventId,
    findBySeq,
    lastEntries: lastEntriesOf(collections),
    readEvents,
  };
}

function screeningsOf(
  collections: Collections,
): Pick<AuditStore, 'findByScreening' | 'findByScreenings'> {
  const findByScreening: AuditStore['findByScreening'] = async (chainId, screeningId) => {
    const group = await collections.group.findOne(
      { chain: chainId, 'events.screeningId': screeningId },
      { projection: { events: { $elemMatch: { screeningId } } } },
    );
    return (await withOpen(collections, chainId, group?.events ?? []))[0];
  };

  const findByScreenings: AuditStore['findByScreenings'] = async (chainId, screeningIds) => {
    const asked = new Set<string>(screeningIds);
    const groups = collections.group
      .find({ chain: chainId, 'events.screeningId': { $in: [...asked] } })
      .project<Pick<GroupDocument, 'events'>>({ events: 1 })
      .batchSize(GROUPS_PER_BATCH);
    const found: GroupDocument['events'][number][] = [];
    // One by one: a group may have seven megabytes of other events.
    for await (const { events } of groups) {
      found.push(
        ...events.filter(({ screeningId }) => screeningId !== undefined && asked.has(screeningId)),
      );
    }
    return byScreening(await withOpen(collections, chainId, found));
  };

  return { findByScreening, findByScreenings };
}

function lastEntriesOf(collections: Collections): AuditStore['lastEntries'] {
  const lastOf = async (chain: ChainId, target: string) => {
    const group = await collections.group.findOne(
      { chain, 'events.target': target },
      { sort: { lastSeq: -1 } },
    );
    return group?.events.findLast((event) => event.target === target);
  };
  return async ({ chainId, targets }) => {
    const found = await Promise.all(targets.map((target) => lastOf(chainId, target)));
    const events = await withOpen(
      collections,
      chainId,
      found.filter((event) => event !== undefined),
    );
    const bySeq = new Map(events.map((event) => [event.seq, event]));
    return found.map((event) => event && bySeq.get(event.seq));
  };
}

const byScreening = (events: readonly SealedEvent[]): ReadonlyMap<ScreeningId, SealedEvent> =>
  new Map(events.flatMap((one) => (one.screeningId ? [[one.screeningId, one] as const] : [])));

async function withOpen(
  collections: Collections,
  chain: ChainId,
  found: readonly GroupDocument['events'][number][],
): Promise<SealedEvent[]> {
  if (found.length === 0) return [];
  // Each by its number: between two entries of one action there may be a million screenings.
  const seqs = found.map(({ seq }) => seq);
  const documents = await collections.open.find({ chain, seq: { $in: seqs } }).toArray();
  const openOf = new Map(documents.map(({ seq, open }) => [seq, open]));
  return found.map(({ actor: _, target: __, ...event }) => {
    const open = openOf.get(event.seq);
    return open === undefined ? event : { ...event, open };
  });
}

function erasure(tools: AppendTools): Pick<AuditStore, 'eraseOpen'> {
  return {
    async eraseOpen(chainId, seq) {
      // An intent may still hold a copy that has not been applied.
      if (!tools.hasTransactions) await rollForward(tools, chainId);
      const { modifiedCount } = await tools.collections.open.updateOne(
        { _id: `${chainId}/${padId(seq)}`, chain: chainId, open: { $exists: true } },
        { $unset: { open: true } },
      );
      return modifiedCount === 1;
    },
  };
}

function idempotency({ idempotency: records }: Collections) {
  const findIdempotency: AuditStore['findIdempotency'] = async (scope, notBefore) => {
    const found = await records.findOne({ _id: scope, createdAt: { $gte: notBefore } });
    if (found === null) return undefined;
    const { _id, fingerprint, createdAt, answer } = found;
    return {
      scope: _id,
      fingerprint,
      createdAt: createdAt as EpochMs,
      answer: JSON.parse(answer) as IdempotencyRecord['answer'],
    };
  };
  const purgeIdempotency: AuditStore['purgeIdempotency'] = async (createdBefore) => {
    const { deletedCount } = await records.deleteMany({ createdAt: { $lt: createdBefore } });
    return deletedCount;
  };
  return { findIdempotency, purgeIdempotency };
}

function checkpoints({ checkpoint: saved, head }: Collections, clock: Clock) {
  const saveCheckpoint: AuditStore['saveCheckpoint'] = async (checkpoint) => {
    const { tenant_id: chain, seq } = checkpoint;
    const last = await saved.findOne({ chain, seq }, { sort: { savedAt: -1 } });
    const savedAt = Math.max(clock.now(), (last?.savedAt ?? 0) + 1);
    await saved.insertOne({ chain, seq, document: JSON.stringify(checkpoint), savedAt });
    await head.updateOne({ _id: chain }, { $max: { checkpointSeq: seq } });
  };
  const latestCheckpoint: AuditStore['latestCheckpoint'] = async (chain) => {
    const found = await saved.findOne({ chain }, { sort: { seq: -1, savedAt: -1 } });
    return found === null ? undefined : (JSON.parse(found.document) as Checkpoint);
  };
  const listChains: AuditStore['listChains'] = async (which) => {
    const ahead = { $expr: { $gt: ['$seq', '$checkpointSeq'] } };
    const heads = await head
      .find({ seq: { $gt: 0 }, ...(which === 'past-checkpoint' && ahead) })
      .sort({ _id: 1 })
      .toArray();
    return heads.map(({ _id, seq, hash, checkpointSeq }) => ({
      chainId: _id as ChainId,
      head: { seq, hash },
      checkpointSeq,
    }));
  };
  return { saveCheckpoint, latestCheckpoint, listChains };
}
