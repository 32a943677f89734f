/**
 * A made-up world of lists and customers: somebody is hit where his name is on a list. Screenings
 * are counted, workers are killed at any commit, and the same lists can be walked through anew.
 */
import type { Json } from '#core/audit';
import { allRecords, type SourceId, type TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { systemRandom, uuidV7 } from '#platform/random';
import { alertTable } from '#slices/alerts';
import type { PinnedList } from '#slices/batches';
import type { Subject } from '#slices/intake';
import {
  coverageTable,
  enrolmentTable,
  entryName,
  monitoredTable,
  planRuns,
  type RescreeningPorts,
  type RescreeningRun,
  rescreenedTable,
  runRescreening,
  runTable,
  type Sighting,
  type SignedEntries,
  SignedSightings,
  sightingTable,
} from '#slices/rescreening';
import type { Hit, ScreenedQuery, ScreeningSettings } from '#slices/screening';
import { registeredHitTable, registeredScreeningTable } from '#slices/screening';
import { modelHouse } from '../../storage/modelHouse.ts';

export const TENANT = '0190aaaa-0000-7000-8000-00000000000a' as TenantId;
export const START = Date.UTC(2026, 0, 5, 12) as EpochMs;
const SOURCE = 'OFAC_SDN' as SourceId;

/** Entries by id: a name, and what else identifies the party. */
export type List = ReadonlyMap<string, { readonly name: string; readonly identity: string }>;

export class Killed extends Error {}

export const customer = (number: number, name = `name ${number % 97}`): Subject => ({
  external_id: `C-${number}`,
  full_name: name,
});

export function openWorld() {
  const house = modelHouse([
    alertTable,
    coverageTable,
    enrolmentTable,
    monitoredTable,
    registeredHitTable,
    registeredScreeningTable,
    rescreenedTable,
    runTable,
    sightingTable,
  ]);
  const versions: List[] = [new Map()];
  const publishedAt: EpochMs[] = [START];
  const blobs = new Map<string, Buffer>();
  let now: EpochMs = START;
  let screened = 0;
  let killIn = Number.POSITIVE_INFINITY;
  const pinned = (): PinnedList => {
    const label = `v${versions.length}`;
    return {
      content_digest: label,
      list_digest: label,
      list_version: label,
      published_at: publishedAt.at(-1) ?? START,
      source: SOURCE,
    };
  };
  const entries: SignedEntries = {
    async *read(_, { action, fromSeq, toSeq = Number.MAX_SAFE_INTEGER }) {
      for (const [place, draft] of house.events.entries()) {
        const seq = place + 1;
        if (draft.action !== action || seq < fromSeq || seq > toSeq) continue;
        yield { entry: { ...draft.members, seq }, seq };
      }
    },
    settled: async (_, look) => (await look()).found,
    since: async () => 1,
  };
  const listOf = (label: string): List => versions[Number(label.slice(1)) - 1] ?? new Map();
  const ports: RescreeningPorts = {
    blobs: {
      get: async (address) => blobs.get(address),
      put: async (bytes) => {
        const address = `blob-${blobs.size}`;
        blobs.set(address, Buffer.from(bytes as Uint8Array));
        return { address } as never;
      },
    },
    clock: { now: () => now },
    entries,
    commit: async (...given) => {
      killIn -= 1;
      // Half of the kills are right before the commit, half right after it.
      if (killIn === 0) throw new Killed('before');
      const done = await house.commit(...given);
      if (killIn === -1) throw new Killed('after');
      return done;
    },
    identityOf: async (run, entries) =>
      entries.map(({ ftmId }) => {
        const entry = listOf(run.listsPinned[0]?.list_version ?? '').get(ftmId);
        return entry && `${entry.name}/${entry.identity}`;
      }),
    open: async (run) => openRun(run),
    pin: async () => ({
      isWanted: true,
      listVersion: pinned().list_version,
      listsPinned: [pinned()],
      sandbox: false,
      settings: {} as ScreeningSettings,
    }),
    random: systemRandom,
    sightings: new SignedSightings(entries),
    tables: house.tables,
  };

  function openRun(run: RescreeningRun) {
    const [list] = run.listsPinned;
    const entries = listOf(list?.list_version ?? '');
    const before = list?.since && listOf(list.since.list_version);
    const changed = [...new Set([...entries.keys(), ...(before?.keys() ?? [])])].filter((id) => {
      const [one, other] = [entries.get(id), before?.get(id)];
      return one?.name !== other?.name || one?.identity !== other?.identity;
    });
    const near = new Set(changed.map((id) => entries.get(id)?.name));
    return {
      changed: new Set(changed.map((ftmId) => entryName({ ftmId, source: SOURCE }))),
      isNear: before && (async ({ full_name }: Pick<Subject, 'full_name'>) => near.has(full_name)),
      release: () => undefined,
      screen: async (subject: Subject) => {
        screened += 1;
        return screeningOf(subject, entries);
      },
    };
  }

  let onKill = async (): Promise<void> => {};
  return {
    blobs,
    house,
    ports,
    /** Happens after the next kill. */
    onKill: (step: () => Promise<void>) => {
      onKill = step;
    },
    screened: () => screened,
    moveTo: (at: number) => {
      now = at as EpochMs;
    },
    publish: (list: List): void => {
      versions.push(list);
      publishedAt.push(now);
    },
    /** The worker dies at the n-th commit from now on: before it, or after it. */
    killAt(commits: number, isAfter = false): void {
      killIn = isAfter ? commits - 1 : commits;
    },
    /** Runs until nothing is left to do, with a new worker after each kill; answers the kills. */
    async settle(): Promise<number> {
      let kills = 0;
      for (;;) {
        try {
          await planRuns(ports);
          const { records } = await house.tables.page(runTable, {
            equal: { isOpen: true },
            index: 'open',
            limit: 10,
          });
          const [run] = records;
          if (run === undefined) return kills;
          await runRescreening(ports, holdOf(run));
        } catch (error) {
          if (!(error instanceof Killed)) throw error;
          kills += 1;
          killIn = Number.POSITIVE_INFINITY;
          await onKill();
          onKill = async () => {};
        }
      }
    },
    async sightings(): Promise<readonly Sighting[]> {
      return allRecords(house.tables, sightingTable, { index: 'key' });
    },
  };
}

/** The lease is the store's; here one worker after the other has the run. */
function holdOf(taken: RescreeningRun) {
  let record = taken;
  return {
    expected: runTable.expect({ runId: taken.runId, tenantId: taken.tenantId }, {}),
    get record() {
      return record;
    },
    replace: (next: RescreeningRun) => {
      record = next;
    },
    signal: new AbortController().signal,
  };
}

function screeningOf(subject: Subject, entries: List): ScreenedQuery {
  const hits = [...entries]
    .filter(([, { name }]) => name === subject.full_name)
    .map(([ftmId, { name }]) => ({
      directScore: 1,
      ftm_id: ftmId,
      primary_name: name,
      source_lists_hits: [{ list: SOURCE }],
      typology: 'MATCH_DIRECT_SANCTIONS',
    }));
  return {
    query: { names: [subject.full_name], variants: [] },
    record: {
      members: { subject_key: subject.external_id } as Readonly<Record<string, Json>>,
      verdict: {
        decision: hits.length > 0 ? 'MATCH_DIRECT_SANCTIONS' : 'CLEAR',
        hits: hits as unknown as readonly Hit[],
        listVersion: 'v',
        policyVersion: 1,
        references: [],
        rerankerVersion: '1.1.0',
        screeningId: uuidV7(START, systemRandom),
        thresholds: {},
        weights: {},
      },
    },
  };
}
