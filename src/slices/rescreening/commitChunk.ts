/**
 * A chunk of a run as one commit: its entry with the Merkle root, screenings with news and their
 * messages, what was found, and how far the run is.
 */
import { type EventDraft, entry, type Json } from '#core/audit';
import { type BusEvent, chainOf, type TableChange, type TenantId } from '#core/kernel';
import type { Hold } from '#core/work';
import type { EpochMs } from '#platform/clock';
import {
  completedEvent,
  registerChanges,
  registerRows,
  type ScreenedQuery,
  screeningDraft,
} from '#slices/screening';
import { type CustomerLeaf, leavesOf } from './chunkLeaves.ts';
import { runMembers } from './planRuns.ts';
import type { RescreeningPorts } from './ports.ts';
import type { News } from './sightings.ts';
import { toldSightings } from './signedRuns.ts';
import {
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

/** Customers that were looked at together, and what is new of them. */
export interface Chunk {
  readonly leaves: CustomerLeaf[];
  readonly news: News[];
  readonly screened: MonitoredSubject[];
  /** Customers whose rows are refused, and who are not to be screened by themselves any more. */
  readonly dropped: MonitoredSubject[];
  readonly refused: { readonly refusal: string; readonly subjectId: string }[];
  /** Findings that nobody signed. */
  readonly forged: string[];
  screenings: number;
  /** What is found or gone of customers who were screened before. */
  differences: number;
  /** Changes that its commit has. */
  changes: number;
  from: string | undefined;
  to: string | undefined;
}

export const emptyChunk = (): Chunk => ({
  changes: 0,
  differences: 0,
  dropped: [],
  forged: [],
  from: undefined,
  leaves: [],
  news: [],
  refused: [],
  screened: [],
  screenings: 0,
  to: undefined,
});

/** Durable when it resolves. Rejects with StaleChange where somebody was faster. */
export async function commitChunk(
  ports: RescreeningPorts,
  hold: RunHold,
  chunk: Chunk,
): Promise<void> {
  const run = hold.record;
  const { tenantId } = run;
  const { news } = chunk;
  const { lines, merkleRoot } = leavesOf(chunk.leaves);
  const { address: leaves } = await ports.blobs.put(lines);
  const found = news.flatMap(({ fresh }) => fresh);
  const gone = news.flatMap((one) => one.gone);
  const ended = [...gone, ...news.flatMap(({ replaced }) => replaced)].map(endedSighting);
  const next = nextOf(run, chunk, { found: found.length, gone: gone.length });
  const told = news
    .filter(hasEvent)
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
      ...[...found, ...ended].map((one) => sightingTable.put(one, one.version - 1)),
      ...told.flatMap((one) => rowsOf(tenantId, one)),
      ...chunk.screened.map((customer) => screenedRow(customer, run, ports.clock.now())),
      ...chunk.dropped.map(droppedRow),
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
          from: chunk.from ?? '',
          gone: gone.length,
          leaves,
          merkle_root: merkleRoot,
          sightings: toldSightings([...found, ...ended]) as unknown as Json,
          to: chunk.to ?? '',
        },
        target: `rescreening:${run.runId}`,
      }),
      ...alteredEntries(ports, run, chunk),
    ],
  });
  hold.replace(next);
  ports.figures?.looked(chunk.leaves.length, chunk.screenings);
}

/** Whether something was found that no other screening has in its event. */
const hasEvent = ({ fresh, screened }: News): boolean =>
  fresh.some(({ screeningId }) => screeningId === screened.record.verdict.screeningId);

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
      differences: counts.differences + (run.isCompared ? chunk.differences : 0),
      found: counts.found + found,
      gone: counts.gone + gone,
      refused: (counts.refused ?? 0) + chunk.refused.length + chunk.forged.length,
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
  const { isBulk: _, known: __, ...rest } = customer;
  const next = { ...rest, isNew: false, listVersion, screenedAt, version };
  return monitoredTable.put(next, customer.version);
};

/** Not screened, since his row is not what was signed; no run of new customers has him again. */
const droppedRow = (customer: MonitoredSubject): TableChange => {
  const version = customer.version + 1;
  const { isBulk: _, ...rest } = customer;
  return monitoredTable.put({ ...rest, isNew: false, version }, customer.version);
};

const endedSighting = (one: Sighting): Sighting => ({
  ...one,
  isCurrent: false,
  version: one.version + 1,
});

/** Rows that entry names of each kind; counts are of all. */
const NAMED_MAX = 100;

/** Names what is not as it was signed: somebody has written past the service. */
function alteredEntries(
  ports: RescreeningPorts,
  run: RescreeningRun,
  { forged, refused }: Chunk,
): readonly EventDraft[] {
  if (refused.length + forged.length === 0) return [];
  const named = (refusal: string) =>
    refused.filter((one) => one.refusal === refusal).map(({ subjectId }) => subjectId);
  const kinds = { altered: named('altered'), invented: named('invented') };
  const all = { ...kinds, missing: named('missing'), sightings: [...new Set(forged)] };
  return [
    entry(ports, {
      action: 'SANCTIONS_MONITORING_ALTERED',
      actor: 'system:rescreening',
      members: {
        ...runMembers(run),
        count: refused.length + all.sightings.length,
        ...Object.fromEntries(
          Object.entries(all).map(([name, ids]) => [name, ids.slice(0, NAMED_MAX)]),
        ),
      },
      severity: 'ALERT',
      target: 'monitored_subjects',
    }),
  ];
}

const delistedEvent = ({ sightingId, tenantId }: Sighting): BusEvent => ({
  partition: tenantId,
  payload: { schema: 'sanctions.rescreening.delisted.v1', sighting_id: sightingId },
  topic: 'sanctions.rescreening.delisted',
});
