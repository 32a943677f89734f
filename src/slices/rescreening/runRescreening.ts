/**
 * A run in a worker: customers are walked through in the order of their ids, in chunks. For each it
 * is asked whether a changed entry is near, by an exact index of those entries alone, or whether
 * one of his own hits has changed; only then is he screened on the whole lists, by the normal
 * screening. A chunk is one commit: its entry with the Merkle root, screenings with news and their
 * messages, what was found, and how far the run is. A worker that dies leaves nothing of it, and
 * the next one does the same chunk again; what is there already is found by its key.
 */
import { overwrite } from '#core/audit';
import { WorkLost } from '#core/work';
import type { CustomerLeaf } from './chunkLeaves.ts';
import { type Chunk, commitChunk, emptyChunk, type RunHold } from './commitChunk.ts';
import { complete, failRun } from './endRun.ts';
import { CHUNK_CHANGES_MAX, CHUNK_CUSTOMERS } from './limits.ts';
import { isDoubtful, type NextCustomer, nextCustomers } from './nextCustomers.ts';
import { findCoverage } from './planRuns.ts';
import { entryName, type RescreeningPorts, type RunLists } from './ports.ts';
import { currentSightings, type News, newsOf } from './sightings.ts';
import { knownDigest, SignedRegister } from './signedRegister.ts';
import { runRefusal } from './signedRuns.ts';
import { isDue, type KnownHits, type RescreeningRun, type Sighting } from './tables.ts';

/** Customers that are compared at once: as many as keep the engine's threads busy. */
const AT_ONCE = 16;
const CHUNK_TRIES_MAX = 5;

/** What a walk through the customers has in hand. */
interface Walk {
  readonly hold: RunHold;
  readonly lists: RunLists;
  readonly register: SignedRegister;
}

/** Works a run off, from where it stands. Throws WorkLost where another worker has it. */
export async function runRescreening(ports: RescreeningPorts, hold: RunHold): Promise<void> {
  const { record: run } = hold;
  if (run.status !== 'running') throw new WorkLost('the run has ended');
  const { tenantId } = run;
  const refusal = await ports.entries.settled(tenantId, async () => {
    const found = await runRefusal(ports.entries, run);
    return { found, isRefused: found !== undefined };
  });
  // The next look begins another one, from what was signed.
  if (refusal !== undefined) return failRun(ports, hold, 'state-altered');
  const coverage = await findCoverage(ports, tenantId);
  const register = new SignedRegister(ports, { coverage, tenantId });
  const lists = await ports.open(run);
  try {
    for (let isDone = false; !isDone; ) {
      hold.signal.throwIfAborted();
      // A customer may be changed while his chunk is looked at: then it is looked at once more.
      isDone = await overwrite(() => runChunk(ports, { hold, lists, register }), {
        triesMax: CHUNK_TRIES_MAX,
      });
    }
  } finally {
    lists.release();
  }
  await complete(ports, hold);
}

/** One chunk; true where no customer is left. */
async function runChunk(ports: RescreeningPorts, walk: Walk): Promise<boolean> {
  const { hold, lists, register } = walk;
  const { record: run } = hold;
  const chunk = emptyChunk();
  let isDone = false;
  let isFull = false;
  while (!isDone && !isFull && chunk.leaves.length < CHUNK_CUSTOMERS) {
    hold.signal.throwIfAborted();
    const after = chunk.to ?? run.after;
    const { customers, isLast } = await nextCustomers(ports, { after, register, run });
    const known = await currentSightings(ports, run.tenantId, customers);
    chunk.forged.push(...known.forged);
    isDone = isLast;
    for (let from = 0; from < customers.length; from += AT_ONCE) {
      const some = customers.slice(from, from + AT_ONCE);
      const looked = await Promise.all(
        some.map((next) => lookAt(ports, run, { known: known.sightings, lists, next })),
      );
      const left = some.findIndex((next, place) => !take(chunk, next, looked[place]));
      if (left < 0) continue;
      // What does not fit comes again, with the next chunk.
      isDone = false;
      isFull = true;
      break;
    }
  }
  if (chunk.to !== undefined) await commitChunk(ports, hold, chunk);
  return isDone;
}

interface LookedAt {
  /** Absent: no entry tells of him. */
  readonly leaf?: CustomerLeaf;
  readonly isScreened: boolean;
  readonly news?: News;
}

async function lookAt(
  ports: RescreeningPorts,
  run: RescreeningRun,
  of: {
    readonly next: NextCustomer;
    readonly known: ReadonlyMap<string, readonly Sighting[]>;
    readonly lists: RunLists;
  },
): Promise<LookedAt> {
  const { known, lists, next } = of;
  const { customer, digest = '', refusal, subjectId } = next;
  const leafOf = (decision: string, came?: KnownHits): CustomerLeaf => ({
    decision,
    ...(came !== undefined && { known: knownDigest(came) }),
    subject_digest: digest,
    subject_id: subjectId,
  });
  if (refusal === 'invented') return { isScreened: false };
  if (refusal !== undefined) return { isScreened: false, leaf: leafOf(refusal) };
  const had = known.get(subjectId) ?? [];
  const subject = customer?.subject;
  if (customer === undefined || subject === undefined) {
    return { isScreened: false, leaf: leafOf('removed') };
  }
  const isWhole = run.mode !== 'delta' || lists.isNear === undefined;
  const isAffected =
    isWhole ||
    had.some((one) => lists.changed.has(entryName(one))) ||
    (await lists.isNear?.(subject)) === true;
  // He may still wait: then the next run compares what he came with by this leaf.
  if (!isAffected) return { isScreened: false, leaf: leafOf('unaffected', customer.known) };
  const screened = await lists.screen(subject);
  if (screened === undefined) return { isScreened: true, leaf: leafOf('unscreened') };
  const news = await newsOf(ports, run, { customer, had, screened });
  const leaf = leafOf(screened.record.verdict.decision);
  return { isScreened: true, leaf, ...(news && { news }) };
}

/** False where the chunk is full: a commit has room for so many changes. */
function take(chunk: Chunk, next: NextCustomer, looked: LookedAt | undefined): boolean {
  if (looked === undefined) return false;
  const { customer, refusal, subjectId } = next;
  const { isScreened, leaf, news } = looked;
  const changes = chunk.changes + changesOf(next, looked);
  if (changes > CHUNK_CHANGES_MAX && chunk.leaves.length > 0) return false;
  chunk.changes = changes;
  chunk.from ??= subjectId;
  chunk.to = subjectId;
  if (leaf !== undefined) chunk.leaves.push(leaf);
  if (isDoubtful(next)) chunk.refused.push({ refusal: refusal ?? 'altered', subjectId });
  if (news !== undefined) {
    chunk.news.push(news);
    chunk.forged.push(...news.forged);
  }
  if (isScreened) chunk.screenings += 1;
  if (customer === undefined || !isDue(customer)) {
    // A customer who was never screened by himself has nothing that it could differ from.
    if (news !== undefined) chunk.differences += news.fresh.length + news.gone.length;
    return true;
  }
  if (isScreened) chunk.screened.push(customer);
  else if (refusal !== undefined) chunk.dropped.push(customer);
  return true;
}

function changesOf({ customer, refusal }: NextCustomer, { isScreened, news }: LookedAt): number {
  const isWritten = (isScreened || refusal !== undefined) && customer && isDue(customer);
  const own = isWritten ? 1 : 0;
  if (news === undefined) return own;
  const { fresh, gone, replaced, screened } = news;
  const { hits } = screened.record.verdict;
  const rows = hits.reduce((sum, { merged = [] }) => sum + 1 + merged.length, 1);
  return own + fresh.length + gone.length + replaced.length + rows;
}
