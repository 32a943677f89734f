/**
 * One listed entry, whole: as a list has it now, or as it stood in one of its versions, with the
 * entries of other lists that are the same, the names of whom it is related to, and its history.
 * It is read for people who judge a hit; it writes no event.
 */
import { DomainError, type SourceId } from '#core/kernel';
import { type Clock, toTimestamp } from '#platform/clock';
import { isSourceSeen } from '#slices/ingestion';
import {
  type EntryCaller,
  type EntryThread,
  historyInPieces,
  inPresentForm,
  isDamage,
  type ListEntity,
  type ListStore,
  type ListVersion,
  programmesOf,
  type SignedVersions,
} from '#slices/lists';
import { selectLists, sourcesOfCodes } from './lists.ts';
import type { ListsState } from './ports.ts';

/** Versions that are looked back through; a list that changes daily has as many in a year. */
export const HISTORY_VERSIONS_MAX = 400;
/** Versions looked back through that cost a token, beyond those of the call itself. */
export const VERSIONS_PER_TOKEN = 50;
/** Relations whose names are looked up. */
export const NAMED_MAX = 200;
/** Milliseconds until an entry must have been read. */
const DEADLINE_MS = 10_000;
const DIGEST = /^[0-9a-f]{64}$/;

export interface EntityPorts {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly lists: Pick<ListStore, 'everyVersion' | 'findVersion' | 'listSources'>;
  readonly inForce: () => ListsState<unknown>;
  /** Refuses a version that no signed entry names. */
  readonly check: SignedVersions['checkPublished'];
  readonly thread: Pick<EntryThread, 'entities' | 'history'>;
}

export interface EntityAsk {
  readonly id: string;
  /** Code of a list, or source id; without it every list that the caller sees. */
  readonly list?: string | undefined;
  /** Label of a version, or its list_digest; without it the one in force. */
  readonly listVersion?: string | undefined;
  /** The sandbox sees the synthetic list too. */
  readonly sandbox: boolean;
  readonly caller: Pick<EntryCaller, 'signal' | 'turn'>;
  /** Takes tokens for versions that are looked back through, before they are. */
  charge(tokens: number): Promise<void>;
}

/**
 * Rejects with `not-found`, `list-unknown`, `list-unavailable`, `list-altered`, and where a thread
 * or a limit says so with `deadline-exceeded`, `engine-queue-full`, `body-aborted` or
 * `rate-limited`.
 */
export async function listedEntity(ports: EntityPorts, ask: EntityAsk): Promise<object> {
  const endsAtMs = ports.clock.monotonicMs() + DEADLINE_MS;
  const reading: Reading = {
    by: () => ({
      ...ask.caller,
      deadlineMs: Math.max(0, endsAtMs - ports.clock.monotonicMs()),
    }),
    charge: ask.charge,
  };
  for (const version of await versionsAsked(ports, ask)) {
    await ports.check(version);
    const [entity] = await readable(() => ports.thread.entities(version, [ask.id], reading.by()));
    if (entity !== undefined) return presentEntity({ ...ports, ...reading }, version, entity);
  }
  throw new DomainError('not-found');
}

/** One call: whose it is, until when now, and what it costs. */
interface Reading extends Pick<EntityAsk, 'charge'> {
  by(): EntryCaller;
}
type ReadPorts = EntityPorts & Reading;

async function versionsAsked(
  { inForce, lists }: EntityPorts,
  { list, listVersion, sandbox }: EntityAsk,
): Promise<readonly ListVersion[]> {
  const asked = list === undefined ? undefined : [list];
  if (listVersion === undefined) {
    const chosen = selectLists(inForce(), asked, { pointer: '/list', sandbox });
    return chosen.map(({ version }) => version);
  }
  const codes = asked && sourcesOfCodes(asked, '/list');
  const known = (await lists.listSources()).map(({ sourceId }) => sourceId);
  const sources = known.filter(
    (source) => isSourceSeen(source, sandbox) && (codes?.has(source) ?? true),
  );
  const found = await Promise.all(sources.map((source) => named(lists, source, listVersion)));
  return found.filter((version) => version !== undefined);
}

async function named(
  lists: EntityPorts['lists'],
  sourceId: SourceId,
  listVersion: string,
): Promise<ListVersion | undefined> {
  if (!DIGEST.test(listVersion)) return lists.findVersion({ listVersion, sourceId });
  for await (const version of lists.everyVersion(sourceId)) {
    if (version.listDigest === listVersion) return version;
  }
  return undefined;
}

/** A version that is gone or damaged: an operator mends that, and the caller tries another. */
async function readable<Value>(read: () => Promise<Value>): Promise<Value> {
  try {
    return await read();
  } catch (cause) {
    if (!isDamage(cause)) throw cause;
    throw new DomainError('list-unavailable', { cause, detail: cause.message });
  }
}

async function presentEntity(ports: ReadPorts, version: ListVersion, entity: ListEntity) {
  const { inForce } = ports;
  const active = inForce().lists.find((list) => list.version.sourceId === version.sourceId);
  const isInForce = active?.version.listVersion === version.listVersion;
  const [relations, history] = await readable(() =>
    Promise.all([relationsOf(ports, version, entity), historyOf(ports, version, entity.ftm_id)]),
  );
  const { ftm_id } = entity;
  return {
    ftm_id,
    list: version.sourceId,
    list_version: version.listVersion,
    list_digest: version.listDigest,
    release_date: version.releaseDate,
    in_force: isInForce,
    entity: wholeEntity(entity),
    sources: sourcesOf(isInForce ? inForce() : undefined, { ftm_id, source: version.sourceId }),
    relations,
    ...history,
  };
}

/** Every member is there, whichever release wrote the line. */
function wholeEntity(entity: ListEntity): object {
  const { properties = {}, ...present } = inPresentForm(entity);
  return { ...present, programmes: programmesOf(entity), properties };
}

/** The entry itself, then those of other lists that the resolution says are the same. */
function sourcesOf(
  state: ListsState<unknown> | undefined,
  entry: { readonly ftm_id: string; readonly source: string },
): readonly object[] {
  const clusters = state?.clusters;
  const others = clusters?.others(entry) ?? [];
  return [
    { list: entry.source, ftm_id: entry.ftm_id, reason: null, evidence: [] },
    ...others.map(({ ftm_id, source }) => {
      const { evidence = [], reason = null } = clusters?.find({ ftm_id, source }) ?? {};
      return { list: source, ftm_id, reason, evidence };
    }),
  ];
}

async function relationsOf(
  { by, thread }: ReadPorts,
  version: ListVersion,
  { associations }: ListEntity,
): Promise<readonly object[]> {
  const ids = [...new Set(associations.map(({ target_ftm_id }) => target_ftm_id))];
  const asked = ids.slice(0, NAMED_MAX);
  const found = asked.length === 0 ? [] : await thread.entities(version, asked, by());
  const names = new Map(asked.map((id, at) => [id, found[at]?.primary_name]));
  return associations.map(({ label, strength, target_ftm_id, type }) => ({
    target_ftm_id,
    target_primary_name: names.get(target_ftm_id) ?? null,
    type,
    label,
    strength,
  }));
}

async function historyOf(
  { by, charge, lists, thread }: ReadPorts,
  version: ListVersion,
  id: string,
) {
  const versions: ListVersion[] = [];
  let isWhole = true;
  for await (const one of lists.everyVersion(version.sourceId)) {
    // The later ones are not how it stood then.
    if (versions.length === 0 && one.listVersion !== version.listVersion) continue;
    isWhole = versions.length < HISTORY_VERSIONS_MAX;
    if (!isWhole) break;
    versions.push(one);
  }
  await charge(Math.floor(versions.length / VERSIONS_PER_TOKEN));
  const { changes, looked } = await historyInPieces((piece) => thread.history(piece, by()), {
    id,
    isWhole,
    versions,
  });
  return {
    history: changes.flatMap(({ at, change, members }) => {
      const of = versions[at];
      if (of === undefined) return [];
      const { listVersion, publishedAt, releaseDate } = of;
      return [
        {
          list_version: listVersion,
          release_date: releaseDate,
          published_at: toTimestamp(publishedAt),
          change,
          members: members ?? null,
        },
      ];
    }),
    history_from: versions[looked - 1]?.listVersion ?? null,
  };
}
