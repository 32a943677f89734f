/**
 * The same person on several lists: links between entries of different sources, by identifiers and
 * by strong agreement, never by a name alone. Deterministic: a function of the lists' content.
 *
 * 1. An equal identifier links two entries of one kind without a conflict. A registry's number (the
 * Security Council's, IMO, LEI, another list's own id) does so by itself. A paper's number
 * (passport, national id, tax or register number), and one that a text states, needs a shared word
 * of a name as well: numbers are mistyped, and papers are passed on.
 *
 * 2. Two persons with one full date of birth and one name (resolveNames.ts) are linked where there
 * is no conflict of gender, nationality or any date, and neither has a second such partner on the
 * other's list.
 *
 * Links are taken in that order. A link is dropped where, through links taken before, it would
 * bring together two entries that conflict, or two of one list that no identifier joins:
 * consequences of links follow the same rules as links.
 *
 * Bounds: a key that more than BLOCK_MAX entries share identifies no one.
 */
import { setImmediate } from 'node:timers/promises';
import type { ListEntity } from '#slices/lists';
import type { ApartPair, EntityReference, ResolvedList } from './ports.ts';
import type { EntityLink, ListResolution } from './resolution.ts';
import { blockKeys, fullDates, hash48, KeyCounter } from './resolveBlocks.ts';
import { conflictOf, strictConflictOf } from './resolveConflicts.ts';
import { type Facts, factsOf, shareNameWord } from './resolveFacts.ts';
import { isSameName } from './resolveNames.ts';

/** Entries of one key; an identifier of more than a few is none. */
const BLOCK_MAX = 400;
const IDENTIFIER_BLOCK_MAX = 20;
/** Pairs between two breaths of the process, which renews leases meanwhile. */
const COMPARED_AT_ONCE = 2_000;

export interface ListToResolve {
  readonly list: ResolvedList;
  /** Passes every entity to `onEntity`. It is called twice, and must pass the same ones. */
  readonly read: (onEntity: (entity: ListEntity) => void) => Promise<void>;
}

export interface ResolveOptions {
  /**
   * Identifiers that are left out, by their kind: for a measurement of the rule on what it cannot
   * see.
   */
  readonly withoutKinds?: readonly string[];
  /** Pairs that a person has separated, against all other evidence (separateEntries.ts). */
  readonly apart?: readonly ApartPair[];
}

export async function resolveLists(
  lists: readonly ListToResolve[],
  options: ResolveOptions = {},
): Promise<ListResolution> {
  const sorted = [...lists].sort((a, b) => (a.list[0] < b.list[0] ? -1 : 1));
  const facts = await gather(sorted, options);
  const isApart = apartIn(facts, options.apart ?? []);
  const clusters = new Clusters(facts, isApart);
  const links: EntityLink[] = [];
  const pairs = [...identifierPairs(facts), ...(await namePairs(facts, isApart))];
  for (const pair of pairs) {
    if (clusters.join(pair)) links.push(toLink(facts, pair));
  }
  return { links, lists: sorted.map(({ list }) => list) };
}

type IsApart = (a: number, b: number) => boolean;

/** By their positions in the facts. */
function apartIn(facts: readonly Facts[], pairs: readonly ApartPair[]): IsApart {
  const positions = new Map(facts.map(({ ftmId, source }, index) => [`${source}:${ftmId}`, index]));
  const positionOf = ({ ftm_id, source }: EntityReference) => positions.get(`${source}:${ftm_id}`);
  const apart = new Set(
    pairs.flatMap(({ a, b }) => {
      const [x, y] = [positionOf(a), positionOf(b)];
      return [`${x} ${y}`, `${y} ${x}`];
    }),
  );
  return (a, b) => apart.has(`${a} ${b}`);
}

/** Facts of the entities that share a key with another list, in the lists' order. */
async function gather(
  lists: readonly ListToResolve[],
  { withoutKinds = [] }: ResolveOptions,
): Promise<readonly Facts[]> {
  const factsFrom = (source: string, entity: ListEntity): Facts | undefined => {
    const facts = factsOf(source, entity);
    if (facts === undefined || withoutKinds.length === 0) return facts;
    const isKept = (key: string): boolean => !withoutKinds.includes(key.split(':')[0] ?? '');
    return { ...facts, identifiers: facts.identifiers.filter(({ key }) => isKept(key)) };
  };
  const counter = new KeyCounter();
  for (const [index, { list, read }] of lists.entries()) {
    await read((entity) => {
      const facts = factsFrom(list[0], entity);
      if (facts) for (const key of blockKeys(facts)) counter.add(key, index);
    });
  }
  const shared = counter.shared();
  const gathered: Facts[] = [];
  for (const { list, read } of lists) {
    await read((entity) => {
      const facts = factsFrom(list[0], entity);
      if (!facts) return;
      for (const key of blockKeys(facts)) {
        if (!shared.has(hash48(key))) continue;
        gathered.push(facts);
        return;
      }
    });
  }
  return gathered.sort(bySourceAndId);
}

interface Pair {
  /** Positions in the facts, the lower one first. */
  readonly a: number;
  readonly b: number;
  readonly reason: EntityLink['reason'];
  readonly evidence: readonly string[];
}

/**
 * Registries, what texts state of them, papers; then by key and place: the order in which links are
 * taken.
 */
function identifierPairs(facts: readonly Facts[]): Pair[] {
  const blocks = new Map<string, number[]>();
  for (const [index, { identifiers }] of facts.entries()) {
    for (const { key } of identifiers) addTo(blocks, key, index);
  }
  const registries: Pair[] = [];
  const stated: Pair[] = [];
  const papers: Pair[] = [];
  for (const key of [...blocks.keys()].sort()) {
    const block = blocks.get(key) ?? [];
    if (block.length > IDENTIFIER_BLOCK_MAX) continue;
    for (const [a, b] of pairsOf(block)) {
      const [x, y] = [facts[a], facts[b]];
      // Two of one list are joined by what the list itself calls one, and by nothing else.
      if (!x || !y || x.source === y.source || conflictOf(x, y) !== undefined) continue;
      const pair: Pair = { a, b, evidence: [key], reason: 'identifier' };
      const count = Number(isRegistry(x, key)) + Number(isRegistry(y, key));
      if (count === 2) registries.push(pair);
      else if (shareNameWord(x, y)) (count === 1 ? stated : papers).push(pair);
    }
  }
  return [...registries, ...stated, ...papers];
}

/** Whether the key is an identifier of the entity from a registry. */
const isRegistry = ({ identifiers }: Facts, key: string): boolean =>
  identifiers.some((one) => one.key === key && one.strength === 'registry');

async function namePairs(facts: readonly Facts[], isApart: IsApart): Promise<Pair[]> {
  const blocks = new Map<string, number[]>();
  for (const [index, person] of facts.entries()) {
    if (person.kind !== 'person') continue;
    for (const key of blockKeys(person)) if (!key.includes(':')) addTo(blocks, key, index);
  }
  const pairs = new Map<string, Pair>();
  let compared = 0;
  for (const block of blocks.values()) {
    if (block.length > BLOCK_MAX) continue;
    for (const [a, b] of pairsOf(block)) {
      if (++compared % COMPARED_AT_ONCE === 0) await setImmediate();
      const key = `${a} ${b}`;
      if (pairs.has(key) || isApart(a, b)) continue;
      const pair = comparePersons(facts, a, b);
      if (pair) pairs.set(key, pair);
    }
  }
  return withoutRivals(facts, [...pairs.values()]).sort((x, y) => x.a - y.a || x.b - y.b);
}

function comparePersons(facts: readonly Facts[], a: number, b: number): Pair | undefined {
  const [x, y] = [facts[a], facts[b]];
  if (!x || !y || x.source === y.source) return undefined;
  const day = fullDates(x).find((date) => y.dates.includes(date));
  if (day === undefined || strictConflictOf(x, y) !== undefined) return undefined;
  for (const name of x.names) {
    const same = y.names.find((other) => isSameName(name, other));
    if (!same) continue;
    const evidence = [day, name.join(' '), same.join(' ')];
    return { a, b, evidence, reason: 'name-and-date-of-birth' };
  }
  return undefined;
}

/** A person with two partners on one list has none there: one of them is wrong. */
function withoutRivals(facts: readonly Facts[], pairs: readonly Pair[]): Pair[] {
  const counts = new Map<string, number>();
  const sideKeys = ({ a, b }: Pair): [string, string] => [
    `${a} ${facts[b]?.source}`,
    `${b} ${facts[a]?.source}`,
  ];
  for (const pair of pairs) {
    for (const key of sideKeys(pair)) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return pairs.filter((pair) => sideKeys(pair).every((key) => counts.get(key) === 1));
}

/** All links so far; a link is taken only where its clusters agree as a whole. */
class Clusters {
  readonly #facts: readonly Facts[];
  readonly #isApart: IsApart;
  readonly #members: (readonly number[])[];

  constructor(facts: readonly Facts[], isApart: IsApart) {
    this.#facts = facts;
    this.#isApart = isApart;
    this.#members = facts.map((_, index) => [index]);
  }

  join({ a, b, reason }: Pair): boolean {
    const left = this.#members[a] ?? [];
    const right = this.#members[b] ?? [];
    // One already: a second reason is no second link.
    if (left === right) return false;
    const fits = left.every((x) => right.every((y) => this.#agree(x, y, reason)));
    if (!fits) return false;
    const all = [...left, ...right];
    for (const index of all) this.#members[index] = all;
    return true;
  }

  #agree(a: number, b: number, reason: EntityLink['reason']): boolean {
    const [x, y] = [this.#facts[a], this.#facts[b]];
    if (!x || !y || this.#isApart(a, b)) return false;
    if (reason === 'identifier') {
      return conflictOf(x, y) === undefined && (x.source !== y.source || shareIdentifier(x, y));
    }
    return strictConflictOf(x, y) === undefined && x.source !== y.source;
  }
}

function shareIdentifier(a: Facts, b: Facts): boolean {
  const keys = new Set(a.identifiers.map(({ key }) => key));
  return b.identifiers.some(({ key }) => keys.has(key));
}

function toLink(facts: readonly Facts[], { a, b, evidence, reason }: Pair): EntityLink {
  const end = (index: number) => ({
    ftm_id: facts[index]?.ftmId ?? '',
    source: facts[index]?.source ?? '',
  });
  return { a: end(a), b: end(b), evidence, reason };
}

function addTo(blocks: Map<string, number[]>, key: string, index: number): void {
  const block = blocks.get(key);
  if (block) block.push(index);
  else blocks.set(key, [index]);
}

function pairsOf(block: readonly number[]): [number, number][] {
  return block.flatMap((a, index) => block.slice(index + 1).map((b): [number, number] => [a, b]));
}

function bySourceAndId(a: Facts, b: Facts): number {
  if (a.source !== b.source) return a.source < b.source ? -1 : 1;
  return a.ftmId < b.ftmId ? -1 : 1;
}
