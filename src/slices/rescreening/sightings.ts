/**
 * What is new about a customer. A hit is known by its key: the customer and what he is, the entry
 * and what identifies it, and the typology. So the same hit is told once, and again where either
 * side has changed, or where the party was gone and is back.
 */
import type { SourceId, TenantId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { sha256Hex } from '#platform/crypto';
import { type ScreenedQuery, sourceOf } from '#slices/screening';
import { entryName, type RescreeningPorts } from './ports.ts';
import { subjectDigest } from './registerSubjects.ts';
import {
  type MonitoredSubject,
  type RescreeningRun,
  type Sighting,
  sightingTable,
} from './tables.ts';

/** What a screening of a customer has changed. */
export interface News {
  /** The screening, which says in its event which of its hits are new. */
  readonly screened: ScreenedQuery;
  readonly fresh: readonly Sighting[];
  /** Hits of a customer who is the same, whose entry is there no more, or is another one. */
  readonly gone: readonly Sighting[];
  /** Hits that stand under another key now. */
  readonly replaced: readonly Sighting[];
}

/** Hits that customers of one page have, by the customer's id. */
export async function currentSightings(
  { tables }: Pick<RescreeningPorts, 'tables'>,
  tenantId: TenantId,
  page: readonly MonitoredSubject[],
): Promise<ReadonlyMap<string, readonly Sighting[]>> {
  const found: Sighting[] = [];
  const [first, last] = [page[0], page.at(-1)];
  if (first === undefined || last === undefined) return new Map();
  let after: readonly (string | number | boolean)[] | undefined;
  do {
    const got = await tables.page(sightingTable, {
      equal: { isThere: true, tenantId },
      from: first.subjectId,
      index: 'bySubject',
      limit: 1_000,
      to: `${last.subjectId}~`,
      ...(after !== undefined && { after }),
    });
    found.push(...got.records);
    after = got.next;
  } while (after !== undefined);
  return Map.groupBy(found, ({ subjectId }) => subjectId);
}

/** Undefined where the screening says what is known. */
export async function newsOf(
  ports: RescreeningPorts,
  run: RescreeningRun,
  of: {
    readonly customer: MonitoredSubject;
    readonly had: readonly Sighting[];
    readonly screened: ScreenedQuery;
  },
): Promise<News | undefined> {
  const { customer, had, screened } = of;
  const { tenantId } = customer;
  const { record } = screened;
  const entries = record.verdict.hits.flatMap((hit) => [
    { ftmId: hit.ftm_id, source: sourceOf(hit), typology: hit.typology ?? '' },
    ...(hit.merged ?? [])
      .filter(({ typology }) => typology !== null)
      .map(({ ftm_id, source, typology }) => ({
        ftmId: ftm_id,
        source,
        typology: typology ?? '',
      })),
  ]);
  const digests = await ports.identityOf(run, entries);
  const seen = entries.map((one, place): Sighting => {
    const key = {
      entityDigest: digests[place] ?? '',
      ftmId: one.ftmId,
      source: one.source as SourceId,
      subjectDigest: subjectDigest(customer),
      subjectId: customer.subjectId,
      tenantId,
      typology: one.typology,
    };
    return {
      ...key,
      foundAt: ports.clock.now(),
      isCurrent: true,
      screeningId: record.verdict.screeningId,
      sightingId: sha256Hex(`sighting-v1\0${canonicalJson(key)}`),
      version: 1,
    };
  });
  const known = new Map(
    (seen.length === 0 ? [] : await ports.tables.findMany(sightingTable, seen)).map((one) => [
      one.sightingId,
      one,
    ]),
  );
  const fresh = seen
    .filter(({ sightingId }) => known.get(sightingId)?.isCurrent !== true)
    .map((one) => ({ ...one, version: (known.get(one.sightingId)?.version ?? 0) + 1 }));
  const ids = new Set(seen.map(({ sightingId }) => sightingId));
  const hit = new Set(seen.map(entryName));
  // What is excluded is there, and is decided.
  const left = new Set(
    (record.verdict.suppressed ?? []).map(({ ftm_id, source }) =>
      entryName({ ftmId: ftm_id, source }),
    ),
  );
  const ended = had.filter((one) => !ids.has(one.sightingId) && !left.has(entryName(one)));
  const isGone = (one: Sighting): boolean =>
    !hit.has(entryName(one)) && one.subjectDigest === subjectDigest(customer);
  const gone = ended.filter(isGone);
  const replaced = ended.filter((one) => !isGone(one));
  if (fresh.length + ended.length === 0) return undefined;
  return { fresh, gone, replaced, screened: withFresh(screened, { customer, fresh, run }) };
}

/** The screening with what its event says of the run, and which entries are new. */
function withFresh(
  screened: ScreenedQuery,
  of: {
    readonly customer: MonitoredSubject;
    readonly fresh: readonly Sighting[];
    readonly run: RescreeningRun;
  },
): ScreenedQuery {
  const { customer, fresh, run } = of;
  const { record } = screened;
  const isNew = new Set(fresh.map(entryName));
  const entries = record.verdict.hits
    .filter((hit) =>
      [{ ftmId: hit.ftm_id, source: sourceOf(hit) }, ...mergedOf(hit)].some((one) =>
        isNew.has(entryName(one)),
      ),
    )
    .map(({ ftm_id }) => ftm_id);
  const rescreening = { entries, run_id: run.runId, subject_id: customer.subjectId };
  return {
    ...screened,
    record: {
      members: { ...record.members, rescreening },
      verdict: { ...record.verdict, rescreened: { entries } },
    },
  };
}

const mergedOf = ({
  merged = [],
}: {
  readonly merged?: readonly { ftm_id: string; source: string }[];
}) => merged.map(({ ftm_id, source }) => ({ ftmId: ftm_id, source }));
