/**
 * Which lists a call screens against: the codes of interface.md 2.2, the sources behind them, and
 * the identity of the set in force (decisions 2.1, 2.10).
 */
import { DomainError } from '#domain/kernel';
import type { ListVersion } from '#domain/lists';
import { canonicalJson } from '#platform/canonicalJson';
import { sha256Hex } from '#platform/crypto';
import type { ListInForce } from './ports.ts';

/** The synthetic list that ships; never in force for a live tenant. */
export const DEMO_SOURCE = 'DEMO';

/** Codes of the customers' interface. A source id is accepted as its own code. */
export const LIST_CODES: Readonly<Record<string, readonly string[]>> = {
  BCT_LOCAL: ['BCT_TN'],
  EU: ['EU_CFSP'],
  HMT: ['HMT_OFSI'],
  OFAC: ['OFAC_SDN', 'OFAC_CONSOLIDATED'],
  UN: ['UN_SC'],
};

/** Every source that the product knows, loaded or not. */
export const KNOWN_SOURCES: readonly string[] = [
  'BCT_TN',
  'COMMERCIAL_WATCHLIST',
  DEMO_SOURCE,
  'EU_CFSP',
  'HMT_OFSI',
  'OFAC_CONSOLIDATED',
  'OFAC_SDN',
  'OPEN_AGGREGATE',
  'UN_SC',
];

/**
 * The lists of one call. Without codes, all that is in force. An unknown code is refused
 * (`list-unknown`), a known one of which nothing is loaded too (`list-unavailable`): an answer that
 * left a list out would look like CLEAR.
 *
 * @param pointer JSON pointer of the member that holds the codes, for the error
 */
export function selectLists<Index>(
  inForce: readonly ListInForce<Index>[],
  codes: readonly string[] | undefined,
  options: { readonly sandbox: boolean; readonly pointer: string },
): readonly ListInForce<Index>[] {
  const key = `${options.sandbox}|${codes?.join(',') ?? '*'}`;
  const known = selections.get(inForce)?.get(key);
  if (known !== undefined) return known as readonly ListInForce<Index>[];
  const selected = select(inForce, codes, options);
  remember(inForce, key, selected);
  return selected;
}

function select<Index>(
  inForce: readonly ListInForce<Index>[],
  codes: readonly string[] | undefined,
  options: { readonly sandbox: boolean; readonly pointer: string },
): readonly ListInForce<Index>[] {
  const visible = inForce.filter(
    (list) => options.sandbox || list.version.sourceId !== DEMO_SOURCE,
  );
  const selected =
    codes === undefined
      ? visible
      : visible.filter((list) => sourcesOf(codes, options.pointer).has(list.version.sourceId));
  if (codes !== undefined) requireEachLoaded(codes, selected, options.pointer);
  if (selected.length === 0) {
    throw new DomainError('list-unavailable', { detail: 'no list is in force for this tenant' });
  }
  return selected;
}

/** One array per choice, so that its identity (`listSetOf`) is computed once per publication. */
type Selections = Map<string, readonly ListInForce<unknown>[]>;
const selections = new WeakMap<readonly ListInForce<unknown>[], Selections>();
const SELECTIONS_MAX = 64;

function remember<Index>(
  inForce: readonly ListInForce<Index>[],
  key: string,
  selected: readonly ListInForce<Index>[],
): void {
  const known = selections.get(inForce) ?? new Map();
  if (known.size < SELECTIONS_MAX) known.set(key, selected);
  selections.set(inForce, known);
}

function sourcesOf(codes: readonly string[], pointer: string): ReadonlySet<string> {
  const unknown = codes
    .map((code, position) => ({ code, position }))
    .filter(({ code }) => !Object.hasOwn(LIST_CODES, code) && !KNOWN_SOURCES.includes(code));
  if (unknown.length > 0) {
    const expected = `expected one of ${[...Object.keys(LIST_CODES), ...KNOWN_SOURCES].join(', ')}`;
    throw new DomainError('list-unknown', {
      detail: `unknown list code; ${expected}`,
      violations: unknown.map(({ position }) => ({
        code: 'unknown-list',
        detail: expected,
        pointer: `${pointer}/${position}`,
      })),
    });
  }
  return new Set(codes.flatMap((code) => LIST_CODES[code] ?? [code]));
}

/** A code of several sources (OFAC) is served by those that are loaded, if any is. */
function requireEachLoaded<Index>(
  codes: readonly string[],
  selected: readonly ListInForce<Index>[],
  pointer: string,
): void {
  const loaded = new Set<string>(selected.map((list) => list.version.sourceId));
  const absent = codes
    .map((code, position) => ({ code, position }))
    .filter(({ code }) => !(LIST_CODES[code] ?? [code]).some((source) => loaded.has(source)));
  if (absent.length === 0) return;
  throw new DomainError('list-unavailable', {
    detail: `not loaded: ${absent.map(({ code }) => code).join(', ')}`,
    violations: absent.map(({ code, position }) => ({
      code: 'list-unavailable',
      detail: `no version of ${code} is in force`,
      pointer: `${pointer}/${position}`,
    })),
  });
}

/** A list as an event names it: enough to find its snapshot again for replay. */
export interface ListReference {
  readonly content_digest: string;
  readonly list_digest: string;
  readonly list_version: string;
  readonly source: string;
}

export interface ListSet {
  /** SHA-256 hex of JCS([[source, list_digest, content_digest], …]), sorted by source. */
  readonly listVersion: string;
  readonly references: readonly ListReference[];
}

const sets = new WeakMap<readonly ListInForce<unknown>[], ListSet>();

/** The identity of a set of lists; computed once for a set that does not change. */
export function listSetOf(lists: readonly ListInForce<unknown>[]): ListSet {
  const known = sets.get(lists);
  if (known !== undefined) return known;
  const versions = lists.map((list) => list.version).sort(bySource);
  const triples = versions.map((list) => [list.sourceId, list.listDigest, list.contentDigest]);
  const set = {
    listVersion: sha256Hex(canonicalJson(triples)),
    references: versions.map((list) => ({
      content_digest: list.contentDigest,
      list_digest: list.listDigest,
      list_version: list.listVersion,
      source: list.sourceId,
    })),
  };
  sets.set(lists, set);
  return set;
}

const bySource = (a: ListVersion, b: ListVersion): number => (a.sourceId < b.sourceId ? -1 : 1);
