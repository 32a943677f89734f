/**
 * An entity of a delta whose publisher lists relations, addresses and documents apart from the
 * entities. Those in force are kept beside the delta's statements (reader.ts, keepsRelations); its
 * statements about entities that it does not name are added to those in force.
 */
import { canonicalJson } from '#platform/canonicalJson';
import { type Association, type ListEntity, programmesMember } from '#slices/lists';
import type { EntityAddition } from './reader.ts';

const ADDITION_HEAD = Buffer.from('{"addition":');
/** A key of `identifiers` that is not the first one of its kind: `passport (2)`. */
const NUMBERED = / \(\d+\)$/;

/** An addition as a line of the spool, which no entity's line begins like. */
export const additionLine = (addition: EntityAddition): string => canonicalJson({ addition });

/** The addition of a line; undefined for the line of an entity. */
export function additionOf(line: Buffer): EntityAddition | undefined {
  if (!line.subarray(0, ADDITION_HEAD.length).equals(ADDITION_HEAD)) return undefined;
  return (JSON.parse(line.toString()) as { readonly addition: EntityAddition }).addition;
}

export const enlarged = (former: ListEntity, addition: EntityAddition): ListEntity =>
  keepingRelations({ ...former, ...addition }, former, Object.keys(former.properties ?? {}));

/** In the order in which a full list of such a publisher comes: each of its sets sorted. */
export function keepingRelations(
  entity: ListEntity,
  former: ListEntity,
  keptProperties: readonly string[],
): ListEntity {
  const kept = Object.entries(former.properties ?? {}).filter(([name]) =>
    keptProperties.includes(name),
  );
  const properties = bothOf(Object.fromEntries(kept), entity.properties ?? {});
  return {
    ...entity,
    addresses: joined(former.addresses, entity.addresses),
    associations: strongest([...former.associations, ...entity.associations]),
    identifiers: joinedIdentifiers(former.identifiers, entity.identifiers),
    ...programmesMember([...(former.programmes ?? []), ...(entity.programmes ?? [])]),
    ...(Object.keys(properties).length > 0 && { properties }),
  };
}

type Texts = readonly string[];
type Identifiers = ListEntity['identifiers'];

const joined = (former: Texts, next: Texts): Texts => [...new Set([...former, ...next])].sort();

function bothOf(
  former: Readonly<Record<string, Texts>>,
  next: Readonly<Record<string, Texts>>,
): Record<string, Texts> {
  const names = new Set([...Object.keys(former), ...Object.keys(next)]);
  return Object.fromEntries(
    [...names].map((name) => [name, joined(former[name] ?? [], next[name] ?? [])]),
  );
}

/** Another number of a kind gets a key of its own: the former one is not known to be wrong. */
function joinedIdentifiers(former: Identifiers, next: Identifiers): Identifiers {
  const byKind = new Map<string, Set<string>>();
  for (const [key, value] of [...Object.entries(former), ...Object.entries(next)]) {
    const kind = key.replace(NUMBERED, '');
    byKind.set(kind, (byKind.get(kind) ?? new Set()).add(value));
  }
  const numbered = [...byKind].flatMap(([kind, values]) =>
    [...values].sort().map((value, at) => [at === 0 ? kind : `${kind} (${at + 1})`, value]),
  );
  return Object.fromEntries(numbered) as Identifiers;
}

/** If several relations of one kind lead to one party, the strongest counts, as in a full list. */
function strongest(all: readonly Association[]): readonly Association[] {
  const byParty = new Map<string, Association>();
  for (const one of all) {
    const key = canonicalJson([one.target_ftm_id, one.type]);
    const known = byParty.get(key);
    if (known === undefined || isStronger(one, known)) byParty.set(key, one);
  }
  return [...byParty.values()].sort(byTarget);
}

const isStronger = (a: Association, b: Association): boolean =>
  a.strength === b.strength ? a.label < b.label : a.strength > b.strength;

const byTarget = (a: Association, b: Association): number =>
  compareText(a.target_ftm_id, b.target_ftm_id) || compareText(a.type, b.type);

const compareText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
