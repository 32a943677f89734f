/**
 * What is known for a report, under goAML's names of elements: a tree from which the writer takes
 * what the FIU's schema has a place for. Each value knows where in the draft it stands, so that
 * whatever is wrong or missing is told by a pointer into the draft.
 */

/** A value: several spellings of it, the best first. */
export interface Leaf {
  readonly kind: 'leaf';
  readonly texts: readonly string[];
  /** As it was written, where the spellings are others. */
  readonly given?: string;
  /** RFC 6901, into the draft; empty for what is the profile's. */
  readonly at: string;
}

/** An element that holds others. */
export interface FactNode {
  readonly kind: 'node';
  readonly at: string;
  readonly members: Readonly<Record<string, readonly Fact[]>>;
  /** Where an element that is missing would stand: from `at` on, or behind `=` in the draft. */
  readonly wanted: Readonly<Record<string, string>>;
  /** Elements that one of the members stands in where the schema has none of its own name. */
  readonly otherwise?: Readonly<Record<string, string>>;
}

/** A value, or an element that holds others. */
export type Fact = Leaf | FactNode;

type Given = string | number | boolean | undefined;

/** No value: no fact. */
export const leaf = (value: Given, at: string): readonly Leaf[] =>
  value === undefined || value === '' ? [] : [{ at, kind: 'leaf', texts: [String(value)] }];

/** Several spellings of what was written, each once. */
export const spellings = (given: string, texts: readonly string[], at: string): readonly Leaf[] => {
  const distinct = [...new Set(texts.filter((text) => text !== ''))];
  return distinct.length === 0 ? [] : [{ at, given, kind: 'leaf', texts: distinct }];
};

/** Values of an object, by the elements that they stand in. */
export const leaves = (
  of: object,
  at: string,
  names: Readonly<Record<string, string>>,
): Readonly<Record<string, readonly Leaf[]>> =>
  Object.fromEntries(
    Object.entries(names).map(([element, member]) => [
      element,
      leaf((of as Readonly<Record<string, Given>>)[member], `${at}/${member}`),
    ]),
  );

/** Without members: no fact. */
export function node(
  members: Readonly<Record<string, readonly Fact[]>>,
  of: Pick<FactNode, 'at' | 'otherwise'> & Partial<Pick<FactNode, 'wanted'>>,
): readonly FactNode[] {
  const present = Object.entries(members).filter(([, facts]) => facts.length > 0);
  if (present.length === 0) return [];
  const { wanted = {}, ...place } = of;
  return [{ ...place, kind: 'node', members: Object.fromEntries(present), wanted }];
}

/** A date as the schema has it: at midnight. */
export const dateLeaf = (date: string | undefined, at: string): readonly Leaf[] =>
  leaf(date === undefined ? undefined : `${date}T00:00:00`, at);

/** Every place of the draft that the facts were taken from. */
export function placesOf(facts: readonly Fact[]): ReadonlySet<string> {
  const places = new Set<string>();
  const walk = (fact: Fact): void => {
    if (fact.kind === 'leaf') {
      if (fact.at !== '') places.add(fact.at);
    } else for (const member of Object.values(fact.members)) member.forEach(walk);
  };
  facts.forEach(walk);
  return places;
}

/** Where an element that this one lacks would stand in the draft. */
export function wantedAt({ at, wanted }: FactNode, element: string): string {
  const place = wanted[element] ?? '';
  return place.startsWith('=') ? place.slice(1) : `${at}${place}`;
}
