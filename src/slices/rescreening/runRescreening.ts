/**
 * A run in a worker: customers are walked through in the order of their ids, in chunks. For each it
 * is asked whether a changed entry is near, by an exact index of those entries alone, or whether
 * one of his own hits has changed; only then is he screened on the whole lists, by the normal
 * screening. A chunk is one commit: its entry with the Merkle root, screenings with news and their
 * messages, what was found, and how far the run is. A worker that dies leaves nothing of it, and
 * the next one does the same chunk again; what is there already is found by its key.
 */
import { type EventDraft, entry } from '#core/audit';
import { type BusEvent, chainOf, type TableChange, type TenantId } from '#core/kernel';
import { type Hold, WorkLost } from '#core/work';
import type { EpochMs } from '#platform/clock';
import {
  completedEvent,
  registerChanges,
  registerRows,
  type ScreenedQuery,
  screeningDraft,
} from '#slices/screening';
import { type CustomerLeaf, leavesOf } from './chunkLeaves.ts';
import { CHUNK_CHANGES_MAX, CHUNK_CUSTOMERS } from './limits.ts';
import { policyDigestOf, runMembers } from './planRuns.ts';
import { entryName, type RescreeningPorts, type RunLists } from './ports.ts';
import { subjectDigest } from './registerSubjects.ts';
import { currentSightings, type News, newsOf } from './sightings.ts';
import {
  coverageTable,
  type MonitoredSubject,
  monitoredTable,
  type RescreeningRun,
  rescreenedTable,
  runTable,
  type Sighting,
  sightingTable,
} from './tables.ts';

/** A run that a worker has. */
export type RunHold = Pick<
  Hold<RescreeningRun, 'tenantId' | 'runId'>,
  'expected' | 'record' | 'replace' | 'signal'
>;

const PAGE = 500;
/** Customers that are compared at once: as many as keep the engine's threads busy. */
const AT_ONCE = 16;

/** Works a run off, from where it stands. Throws WorkLost where another worker has it. */
export async function runRescreening(ports: RescreeningPorts, hold: RunHold): Promise<void> {
  if (hold.record.status !== 'running') throw new WorkLost('the run has ended');
  const lists = await ports.open(hold.record);
  try {
    for (let isDone = false; !isDone; ) {
      hold.signal.throwIfAborted();
      isDone = await runChunk(ports, hold, lists);
    }
  } finally {
    lists.release();
  }
  await complete(ports, hold);
}

interface Chunk {
  readonly leaves: CustomerLeaf[];
  readonly news: News[];
  readonly screened: MonitoredSubject[];
  screenings: number;
  /** Changes that its commit has. */
  changes: number;
  from: string | undefined;
  to: string | undefined;
}

/** One chunk; true where no customer is left. */
async function runChunk(ports: RescreeningPorts, hold: RunHold, lists: RunLists): Promise<boolean> {
  const chunk: Chunk = {
    changes: 0,
    from: undefined,
    leaves: [],
    news: [],
    screened: [],
    screenings: 0,
    to: undefined,
  };
  let isDone = false;
  let isFull = false;
  while (!isDone && !isFull && chunk.leaves.length < CHUNK_CUSTOMERS) {
    hold.signal.throwIfAborted();
    const after = chunk.to ?? hold.record.after;
    const page = await customersAfter(ports, hold.record, after);
    const known = await currentSightings(ports, hold.record.tenantId, page);
    isDone = page.length < PAGE;
    for (let from = 0; from < page.length; from += AT_ONCE) {
      const some = page.slice(from, from + AT_ONCE);
      const found = await Promise.all(
        some.map((customer) => lookAt(ports, hold.record, { customer, known, lists })),
      );
      const left = some.findIndex((customer, place) => !take(chunk, customer, found[place]));
      if (left < 0) continue;
      // What does not fit comes again, with the next chunk.
      isDone = false;
      isFull = true;
      break;
    }
  }
  if (chunk.leaves.length > 0) await commitChunk(ports, hold, chunk);
  return isDone;
}

async function customersAfter(
  { tables }: Pick<RescreeningPorts, 'tables'>,
  { mode, tenantId }: RescreeningRun,
  after: string | undefined,
): Promise<readonly MonitoredSubject[]> {
  const walk =
    mode === 'new'
      ? { equal: { isDue: true, tenantId }, index: 'due' }
      : { equal: { state: 'active', tenantId }, index: 'byState' };
  const { records } = await tables.page(monitoredTable, {
    ...walk,
    limit: PAGE,
    ...(after !== undefined && { after: [after, tenantId, after] }),
  });
  return records;
}

interface LookedAt {
  readonly leaf: CustomerLeaf;
  readonly isScreened: boolean;
  readonly news: News | undefined;
}

async function lookAt(
  ports: RescreeningPorts,
  run: RescreeningRun,
  of: {
    readonly customer: MonitoredSubject;
    readonly known: ReadonlyMap<string, readonly Sighting[]>;
    readonly lists: RunLists;
  },
): Promise<LookedAt> {
  const { customer, known, lists } = of;
  const { subject, subjectId } = customer;
  const had = known.get(subjectId) ?? [];
  const leafOf = (decision: string): CustomerLeaf => ({
    decision,
    subject_digest: subjectDigest(customer),
    subject_id: subjectId,
  });
  if (subject === undefined) return { isScreened: false, leaf: leafOf('removed'), news: undefined };
  const isWhole = run.mode !== 'delta' || lists.isNear === undefined;
  const isAffected =
    isWhole ||
    had.some((one) => lists.changed.has(entryName(one))) ||
    (await lists.isNear?.(subject)) === true;
  if (!isAffected) return { isScreened: false, leaf: leafOf('unaffected'), news: undefined };
  const screened = await lists.screen(subject);
  if (screened === undefined) {
    return { isScreened: true, leaf: leafOf('unscreened'), news: undefined };
  }
  const news = await newsOf(ports, run, { customer, had, screened });
  return { isScreened: true, leaf: leafOf(screened.record.verdict.decision), news };
}

/** False where the chunk is full: a commit has room for so many changes. */
function take(chunk: Chunk, customer: MonitoredSubject, found: LookedAt | undefined): boolean {
  if (found === undefined) return false;
  const { isScreened, leaf, news } = found;
  const changes = chunk.changes + changesOf(customer, found);
  if (changes > CHUNK_CHANGES_MAX && chunk.leaves.length > 0) return false;
  chunk.changes = changes;
  chunk.from ??= customer.subjectId;
  chunk.to = customer.subjectId;
  chunk.leaves.push(leaf);
  if (news !== undefined) chunk.news.push(news);
  if (isScreened) chunk.screenings += 1;
  if (isScreened && customer.isNew) chunk.screened.push(customer);
  return true;
}

function changesOf({ isNew }: MonitoredSubject, { isScreened, news }: LookedAt): number {
  const own = isScreened && isNew ? 1 : 0;
  if (news === undefined) return own;
  const { fresh, gone, replaced, screened } = news;
  const { hits } = screened.record.verdict;
  const rows = hits.reduce((sum, { merged = [] }) => sum + 1 + merged.length, 1);
  return own + fresh.length + gone.length + replaced.length + rows;
}

async function commitChunk(ports: RescreeningPorts, hold: RunHold, chunk: Chunk): Promise<void> {
  const run = hold.record;
  const { tenantId } = run;
  const { news } = chunk;
  const { lines, merkleRoot } = leavesOf(chunk.leaves);
  const { address: leaves } = await ports.blobs.put(lines);
  const found = news.flatMap(({ fresh }) => fresh);
  const gone = news.flatMap((one) => one.gone);
  const next = nextOf(run, chunk, { found: found.length, gone: gone.length });
  const told = news
    .filter(({ fresh }) => fresh.length > 0)
    .map(({ screened }) => ({ draft: screeningDraft(ports, screened), ...screened.record }));
  await ports.commit(chainOf(tenantId), {
    bus: [
      ...told.map(({ verdict }) => completedEvent(tenantId, verdict)),
      ...gone.map(delistedEvent),
    ],
    changes: [
      hold.expected,
      runTable.put(next, run.version),
      chunkRow(run, chunk, { leaves, merkleRoot }),
      ...sightingChanges(found, [...gone, ...news.flatMap(({ replaced }) => replaced)]),
      ...told.flatMap((one) => rowsOf(tenantId, one)),
      ...chunk.screened.map((customer) => screenedRow(customer, run, ports.clock.now())),
    ],
    events: [
      ...told.map(({ draft }) => draft),
      entry(ports, {
        action: 'SANCTIONS_RESCREENED',
        actor: 'system:rescreening',
        members: {
          ...runMembers(run),
          chunk_no: run.counts.chunks,
          customers: chunk.leaves.length,
          found: found.length,
          gone: gone.length,
          merkle_root: merkleRoot,
        },
        target: `rescreening:${run.runId}`,
      }),
    ],
  });
  hold.replace(next);
}

function nextOf(
  run: RescreeningRun,
  chunk: Chunk,
  { found, gone }: Pick<RescreeningRun['counts'], 'found' | 'gone'>,
): RescreeningRun {
  const { counts } = run;
  return {
    ...run,
    ...(chunk.to !== undefined && { after: chunk.to }),
    counts: {
      chunks: counts.chunks + 1,
      customers: counts.customers + chunk.leaves.length,
      differences: counts.differences + (run.isCompared ? found + gone : 0),
      found: counts.found + found,
      gone: counts.gone + gone,
      screened: counts.screened + chunk.screenings,
    },
    version: run.version + 1,
  };
}

const chunkRow = (
  { counts, runId, tenantId }: RescreeningRun,
  { from = '', leaves: { length: customers }, to = '' }: Chunk,
  made: { readonly leaves: string; readonly merkleRoot: string },
): TableChange =>
  rescreenedTable.insert({ ...made, chunkNo: counts.chunks, customers, from, runId, tenantId, to });

/** Rows of the register of screenings. */
const rowsOf = (
  tenantId: TenantId,
  told: ScreenedQuery['record'] & { readonly draft: EventDraft },
): readonly TableChange[] =>
  registerChanges(
    registerRows(told.verdict, {
      channel: 'rescreening',
      occurredAt: told.draft.occurredAt,
      requestedBy: 'system:rescreening',
      subjectKey: String(told.members.subject_key),
      tenantId,
    }),
  );

const screenedRow = (
  customer: MonitoredSubject,
  { listVersion }: RescreeningRun,
  screenedAt: EpochMs,
): TableChange => {
  const version = customer.version + 1;
  const next = { ...customer, isNew: false, listVersion, screenedAt, version };
  return monitoredTable.put(next, customer.version);
};

const sightingChanges = (
  found: readonly Sighting[],
  gone: readonly Sighting[],
): readonly TableChange[] => [
  ...found.map((one) => sightingTable.put(one, one.version - 1)),
  ...gone.map((one) => {
    const version = one.version + 1;
    return sightingTable.put({ ...one, isCurrent: false, version }, one.version);
  }),
];

const delistedEvent = ({ sightingId, tenantId }: Sighting): BusEvent => ({
  partition: tenantId,
  payload: { schema: 'sanctions.rescreening.delisted.v1', sighting_id: sightingId },
  topic: 'sanctions.rescreening.delisted',
});

/** The run has ended, and the next one begins with its versions. */
async function complete(ports: RescreeningPorts, hold: RunHold): Promise<void> {
  const run = hold.record;
  const { counts, tenantId } = run;
  const now = ports.clock.now();
  const coverage = await ports.tables.find(coverageTable, { register: 'subjects', tenantId });
  const ended: RescreeningRun = {
    ...run,
    endedAt: now,
    status: 'completed',
    version: run.version + 1,
  };
  const told = {
    customers: counts.customers,
    differences: counts.differences,
    found: counts.found,
    gone: counts.gone,
    screened: counts.screened,
  };
  const covered =
    coverage === undefined || run.lane === 'new'
      ? []
      : [
          coverageTable.put(
            {
              ...coverage,
              ...(run.mode === 'full' && { comparedAt: now }),
              coveredAt: now,
              lists: run.listsPinned.map(({ since: _, ...list }) => list),
              listVersion: run.listVersion,
              policyDigest: policyDigestOf(run),
              version: coverage.version + 1,
            },
            coverage.version,
          ),
        ];
  await ports.commit(chainOf(tenantId), {
    bus: [
      {
        partition: tenantId,
        payload: {
          schema: 'sanctions.rescreening.completed.v1',
          ...runMembers(run),
          ...told,
        },
        topic: 'sanctions.rescreening.completed',
      },
    ],
    changes: [hold.expected, runTable.put(ended, run.version), ...covered],
    events: [
      entry(ports, {
        action: 'SANCTIONS_RESCREENING_COMPLETED',
        actor: 'system:rescreening',
        at: now,
        members: { ...runMembers(run), ...told },
        target: `rescreening:${run.runId}`,
      }),
      ...(counts.differences > 0 ? [differentEntry(ports, run)] : []),
    ],
  });
  hold.replace(ended);
}

/** The passes between have missed something: somebody has to look why. */
const differentEntry = (ports: RescreeningPorts, run: RescreeningRun): EventDraft =>
  entry(ports, {
    action: 'SANCTIONS_RESCREENING_DIFFERENT',
    actor: 'system:rescreening',
    members: { ...runMembers(run), differences: run.counts.differences },
    severity: 'ALERT',
    target: `rescreening:${run.runId}`,
  });

/** A run that cannot go on has ended; the next look begins another one. */
export async function failRun(ports: RescreeningPorts, hold: RunHold, code: string): Promise<void> {
  const run = hold.record;
  const now = ports.clock.now();
  const version = run.version + 1;
  const failed: RescreeningRun = { ...run, endedAt: now, failure: code, status: 'failed', version };
  await ports.commit(chainOf(run.tenantId), {
    bus: [],
    changes: [hold.expected, runTable.put(failed, run.version)],
    events: [
      entry(ports, {
        action: 'SANCTIONS_RESCREENING_FAILED',
        actor: 'system:rescreening',
        at: now,
        members: { ...runMembers(run), code },
        severity: 'ALERT',
        target: `rescreening:${run.runId}`,
      }),
    ],
  });
}
