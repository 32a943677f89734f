/**
 * Which lists a call screens against: the codes of interface.md 2.2, the sources behind them, and
 * the identity of the set in force (decisions 2.1, 2.10).
 */
import { DomainError } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { sha256Hex } from '#platform/crypto';
import { isSourceSeen, SOURCE_IDS } from '#slices/ingestion';
import type { ListVersion } from '#slices/lists';
import type { ListInForce, ListsState } from './ports.ts';

/** Codes of the customers' interface. A source id is accepted as its own code. */
export const LIST_CODES: Readonly<Record<string, readonly string[]>> = {
  BCT_LOCAL: ['BCT_TN'],
  EU: ['EU_CFSP'],
  HMT: ['HMT_OFSI'],
  OFAC: ['OFAC_SDN', 'OFAC_CONSOLIDATED'],
  UN: ['UN_SC'],
};

interface Asked {
  /** The sandbox sees the synthetic list too. */
  readonly sandbox: boolean;
  /** JSON pointer of the member that holds the codes, for the error. */
  readonly pointer: string;
  /** Sources that the tenant's policy leaves out. */
  readonly off?: readonly string[] | undefined;
}

/**
 * The lists of one call; without codes, all that is in force. An unknown code is refused
 * (`list-unknown`). So are a published list that could not be loaded here, a code without any list
 * in force (`list-unavailable`), and one that the policy leaves out (`list-disabled-by-policy`): an
 * answer that left a list out would look like CLEAR. A code with several sources (OFAC) means those
 * of them that were ever imported.
 */
export function selectLists<Index>(
  state: ListsState<Index>,
  codes: readonly string[] | undefined,
  asked: Asked,
): readonly ListInForce<Index>[] {
  const key = JSON.stringify([asked.sandbox, codes, asked.off]);
  const known = selections.get(state)?.get(key);
  if (known !== undefined) return known as readonly ListInForce<Index>[];
  const selected = select(state, codes, asked);
  remember(state, key, selected);
  return selected;
}

/** One array per choice, so that its identity (`listSetOf`) is computed once per publication. */
type Selections = Map<string, readonly ListInForce<unknown>[]>;
const selections = new WeakMap<object, Selections>();
const SELECTIONS_MAX = 64;

function remember<Index>(
  state: ListsState<Index>,
  key: string,
  selected: readonly ListInForce<Index>[],
): void {
  const known = selections.get(state) ?? new Map();
  if (known.size < SELECTIONS_MAX) known.set(key, selected);
  selections.set(state, known);
}

/** The same rules, for versions that are published and perhaps not loaded anywhere. */
export function selectVersions(
  published: readonly ListVersion[],
  codes: readonly string[] | undefined,
  asked: Asked,
): readonly ListVersion[] {
  const lists = published.map((version) => ({ version }));
  return select({ lists, unloaded: [] }, codes, asked).map(({ version }) => version);
}

/** Lists with or without their indexes. */
interface Selectable<List> {
  readonly lists: readonly List[];
  readonly unloaded: readonly string[];
}
type OfVersion = Pick<ListInForce<unknown>, 'version'>;

function select<List extends OfVersion>(
  state: Selectable<List>,
  codes: readonly string[] | undefined,
  asked: Asked,
): readonly List[] {
  const { off = [] } = asked;
  const isVisible = (source: string): boolean =>
    isSourceSeen(source, asked.sandbox) && !off.includes(source);
  const lists = state.lists.filter((list) => isVisible(list.version.sourceId));
  const unloaded = state.unloaded.filter(isVisible);
  if (codes !== undefined) return selectByCode({ lists, unloaded }, codes, asked);
  if (unloaded.length > 0) {
    throw new DomainError('list-unavailable', {
      detail: `published and not loaded here: ${unloaded.join(', ')}`,
      retryAfterS: 1,
    });
  }
  if (lists.length === 0) {
    throw new DomainError('list-unavailable', { detail: 'no list is in force for this tenant' });
  }
  return lists;
}

function selectByCode<List extends OfVersion>(
  { lists, unloaded }: Selectable<List>,
  codes: readonly string[],
  { off = [], pointer }: Asked,
): readonly List[] {
  const sources = sourcesOfCodes(codes, pointer);
  refuseOff(codes, off, pointer);
  const loaded = new Set<string>(lists.map((list) => list.version.sourceId));
  const absent = codes
    .map((code, position) => ({ code, position, sources: LIST_CODES[code] ?? [code] }))
    .filter(
      ({ sources }) =>
        sources.some((source) => unloaded.includes(source)) ||
        !sources.some((source) => loaded.has(source)),
    );
  if (absent.length > 0) {
    throw new DomainError('list-unavailable', {
      detail: `not loaded: ${absent.map(({ code }) => code).join(', ')}`,
      violations: absent.map(({ code, position }) => ({
        code: 'list-unavailable',
        detail: `no version of ${code} is in force`,
        pointer: `${pointer}/${position}`,
      })),
    });
  }
  return lists.filter((list) => sources.has(list.version.sourceId));
}

/** A code with several sources is refused for one of them: the others alone would look like all. */
function refuseOff(codes: readonly string[], off: readonly string[], pointer: string): void {
  const named = codes.flatMap((code, position) =>
    (LIST_CODES[code] ?? [code]).some((source) => off.includes(source)) ? [{ code, position }] : [],
  );
  if (named.length === 0) return;
  throw new DomainError('list-disabled-by-policy', {
    detail: `left out by the policy: ${named.map(({ code }) => code).join(', ')}`,
    violations: named.map(({ code, position }) => ({
      code: 'list-disabled-by-policy',
      detail: `the policy leaves ${code} out`,
      pointer: `${pointer}/${position}`,
    })),
  });
}

/** Rejects with `list-unknown`. */
export function sourcesOfCodes(codes: readonly string[], pointer: string): ReadonlySet<string> {
  requireKnown(codes, pointer);
  return new Set(codes.flatMap((code) => LIST_CODES[code] ?? [code]));
}

/** Positions of codes that name no list and no source. */
export const unknownCodes = (codes: readonly string[]): readonly number[] =>
  codes.flatMap((code, position) =>
    Object.hasOwn(LIST_CODES, code) || SOURCE_IDS.includes(code) ? [] : [position],
  );

const CODES = [...Object.keys(LIST_CODES), ...SOURCE_IDS];
/** What was expected there. */
export const EXPECTED_CODES = `expected one of ${CODES.join(', ')}`;

function requireKnown(codes: readonly string[], pointer: string): void {
  const unknown = unknownCodes(codes);
  if (unknown.length === 0) return;
  throw new DomainError('list-unknown', {
    detail: `unknown list code; ${EXPECTED_CODES}`,
    violations: unknown.map((position) => ({
      code: 'unknown-list',
      detail: EXPECTED_CODES,
      pointer: `${pointer}/${position}`,
    })),
  });
}

/** A list as an event names it: enough to find its snapshot again for replay. */
export interface ListReference {
  readonly content_digest: string;
  /** Address of the index that was asked; absent in events of a former release. */
  readonly index?: string;
  readonly list_digest: string;
  readonly list_version: string;
  /** Address of what the index has changed since, where there is something. */
  readonly overlay?: string;
  readonly source: string;
}

export interface ListSet {
  /**
   * SHA-256 hex of JCS({lists: [[source, list_digest, content_digest], …], resolution}), sorted by
   * source; `resolution` is the digest that says which entries are one, or null.
   */
  readonly listVersion: string;
  /** Absent: of a former release, the digest of the lists alone. */
  readonly listVersionV?: typeof LIST_VERSION_V;
  readonly references: readonly ListReference[];
}

/** How `list_version` is made since the resolution is part of it (decisions 2.10). */
export const LIST_VERSION_V = 2;

const sets = new WeakMap<
  readonly ListInForce<unknown>[],
  { readonly set: ListSet; readonly resolution: string | undefined }
>();

/** The identity of a set of lists; computed once for a set that does not change. */
export function listSetOf(
  lists: readonly ListInForce<unknown>[],
  resolution: string | undefined,
): ListSet {
  const known = sets.get(lists);
  if (known !== undefined && known.resolution === resolution) return known.set;
  const versions = lists.map((list) => list.version);
  const set = listSetOfVersions(versions, resolution);
  sets.set(lists, { resolution, set });
  return set;
}

/** @param resolution its digest; undefined where each entry stands alone */
export function listSetOfVersions(
  of: readonly ListVersion[],
  resolution: string | undefined,
): ListSet {
  const versions = [...of].sort(bySource);
  const lists = versions.map((list) => [list.sourceId, list.listDigest, list.contentDigest]);
  return {
    listVersion: sha256Hex(canonicalJson({ lists, resolution: resolution ?? null })),
    listVersionV: LIST_VERSION_V,
    references: versions.map((list) => ({
      content_digest: list.contentDigest,
      index: list.snapshotBlob,
      list_digest: list.listDigest,
      list_version: list.listVersion,
      ...(list.overlayBlob !== undefined && { overlay: list.overlayBlob }),
      source: list.sourceId,
    })),
  };
}

const bySource = (a: ListVersion, b: ListVersion): number => (a.sourceId < b.sourceId ? -1 : 1);
