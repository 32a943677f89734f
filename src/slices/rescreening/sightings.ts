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
  isDue,
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
  /** Those of them that nobody was told of before. */
  readonly told: readonly Sighting[];
  /** Ids of rows of them that nobody signed, or that were taken away. */
  readonly forged: readonly string[];
  /** Hits of a customer who is the same, whose entry is there no more, or is another one. */
  readonly gone: readonly Sighting[];
  /** Hits that stand under another key now. */
  readonly replaced: readonly Sighting[];
}

/** Hits that customers of one page have, by the customer's id, and rows that nobody signed. */
export async function currentSightings(
  ports: Pick<RescreeningPorts, 'entries' | 'sightings' | 'tables'>,
  tenantId: TenantId,
  page: readonly { readonly subjectId: string }[],
): Promise<{
  readonly sightings: ReadonlyMap<string, readonly Sighting[]>;
  readonly forged: readonly string[];
}> {
  const found: Sighting[] = [];
  const [first, last] = [page[0], page.at(-1)];
  if (first === undefined || last === undefined) return { forged: [], sightings: new Map() };
  let after: readonly (string | number | boolean)[] | undefined;
  do {
    const got = await ports.tables.page(sightingTable, {
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
  const { forged, good } = await asSigned(ports, tenantId, found);
  return { forged, sightings: Map.groupBy(good.values(), ({ subjectId }) => subjectId) };
}

interface SignedFindings {
  readonly good: ReadonlyMap<string, Sighting>;
  /** Ids of rows that are not what their last entry made them, or that are gone. */
  readonly forged: readonly string[];
  /** Ids of findings that stand, by their entries, whether or not there is a row. */
  readonly standing: ReadonlySet<string>;
}

/** These rows as entries tell them; `ids` of others whose rows are not there. */
async function asSigned(
  { entries, sightings, tables }: Pick<RescreeningPorts, 'entries' | 'sightings' | 'tables'>,
  tenantId: TenantId,
  rows: readonly Sighting[],
  ids: readonly string[] = [],
): Promise<SignedFindings> {
  let known = new Map(rows.map((one) => [one.sightingId, one]));
  let isFirst = true;
  const all = [...new Set([...known.keys(), ...ids])];
  return entries.settled(tenantId, async () => {
    if (!isFirst && all.length > 0) {
      const keys = all.map((sightingId) => ({ sightingId, tenantId }));
      const found = await tables.findMany(sightingTable, keys);
      known = new Map(found.map((one) => [one.sightingId, one]));
    }
    isFirst = false;
    const signed = await sightings.of(tenantId);
    const good = new Map([...known].filter(([, one]) => !signed.refuses(one)));
    const forged = all.filter(
      (id) => !good.has(id) && (known.has(id) || signed.told.placeOf(id) !== undefined),
    );
    const standing = all.filter((id) => {
      return good.get(id)?.isCurrent ?? signed.told.isCurrent(id);
    });
    return { found: { forged, good, standing: new Set(standing) }, isRefused: forged.length > 0 };
  });
}

/** What a finding is known by. */
type SightingKey = Pick<
  Sighting,
  'entityDigest' | 'ftmId' | 'source' | 'subjectDigest' | 'subjectId' | 'tenantId' | 'typology'
>;

/** Follows from what was found: whoever changes that in a row changes its id. */
export function sightingIdOf(of: SightingKey): string {
  const { entityDigest, ftmId, source, subjectDigest, subjectId, tenantId, typology } = of;
  const key = { entityDigest, ftmId, source, subjectDigest, subjectId, tenantId, typology };
  return sha256Hex(`sighting-v1\0${canonicalJson(key)}`);
}

/** The hits of a screening under their keys. */
async function seenIn(
  ports: RescreeningPorts,
  run: RescreeningRun,
  { customer, screened }: Pick<ScreenedCustomer, 'customer' | 'screened'>,
): Promise<readonly Sighting[]> {
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
  return entries.map((one, place): Sighting => {
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
      sightingId: sightingIdOf(key),
      version: 1,
    };
  });
}

/** Hits that he had, and that the screening has not under the same key. */
function endedBy(
  { customer, had, screened }: ScreenedCustomer,
  seen: readonly Sighting[],
): Pick<News, 'gone' | 'replaced'> {
  const ids = new Set(seen.map(({ sightingId }) => sightingId));
  const hit = new Set(seen.map(entryName));
  // What is excluded is there, and is decided.
  const left = new Set(
    (screened.record.verdict.suppressed ?? []).map(({ ftm_id, source }) =>
      entryName({ ftmId: ftm_id, source }),
    ),
  );
  const ended = had.filter((one) => !ids.has(one.sightingId) && !left.has(entryName(one)));
  const isGone = (one: Sighting): boolean =>
    !hit.has(entryName(one)) && one.subjectDigest === subjectDigest(customer);
  return { gone: ended.filter(isGone), replaced: ended.filter((one) => !isGone(one)) };
}

/** A customer who was screened whole. */
interface ScreenedCustomer {
  readonly customer: MonitoredSubject;
  readonly had: readonly Sighting[];
  readonly screened: ScreenedQuery;
}

/** Undefined where the screening says what is known. */
export async function newsOf(
  ports: RescreeningPorts,
  run: RescreeningRun,
  of: ScreenedCustomer,
): Promise<News | undefined> {
  const { customer, screened } = of;
  const seen = await seenIn(ports, run, of);
  const rows = seen.length === 0 ? [] : await ports.tables.findMany(sightingTable, seen);
  const known = new Map(rows.map((one) => [one.sightingId, one]));
  const seenIds = seen.map(({ sightingId }) => sightingId);
  const { forged, good, standing } = await asSigned(ports, customer.tenantId, rows, seenIds);
  const isTold = new Set(isDue(customer) ? customer.known?.entries : []);
  const fresh = seen
    .filter(({ sightingId }) => good.get(sightingId)?.isCurrent !== true)
    .map((one) => ({
      ...one,
      // Its event has the scores, and its alert the decision.
      ...(isTold.has(entryName(one)) &&
        customer.known?.screeningId && { screeningId: customer.known.screeningId }),
      version: (known.get(one.sightingId)?.version ?? 0) + 1,
    }));
  // A finding stands by its entry, though its row was taken away.
  const told = fresh.filter((one) => !isTold.has(entryName(one)) && !standing.has(one.sightingId));
  const { gone, replaced } = endedBy(of, seen);
  if (fresh.length + gone.length + replaced.length === 0) return undefined;
  return {
    forged,
    fresh,
    gone,
    replaced,
    screened: withFresh(screened, { customer, run, told }),
    told,
  };
}

/** The screening with what its event says of the run, and which entries are new. */
function withFresh(
  screened: ScreenedQuery,
  of: {
    readonly customer: MonitoredSubject;
    readonly run: RescreeningRun;
    readonly told: readonly Sighting[];
  },
): ScreenedQuery {
  const { customer, run, told } = of;
  const { record } = screened;
  const isNew = new Set(told.map(entryName));
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
