/** What one content changes of another: members alone, factors and overrides by their ids. */
import { canonicalJson } from '#platform/canonicalJson';
import { givenOf, type RiskContent } from './policyContent.ts';

/** One change; null: it is not there. */
export interface ContentChange {
  /** RFC 6901; of factors and overrides by id. */
  readonly pointer: string;
  readonly old: unknown;
  readonly new: unknown;
}

type Members = Readonly<Record<string, unknown>>;

/** In the order of the pointers. */
export function contentChanges(old: RiskContent, next: RiskContent): readonly ContentChange[] {
  const [before, after] = [old, next].map(byId) as [Members, Members];
  return Object.keys(before)
    .flatMap((name) => membersOf(name, [before[name], after[name]]))
    .filter((one) => canonicalJson(one.old as never) !== canonicalJson(one.new as never))
    .sort((one, other) => (one.pointer < other.pointer ? -1 : 1));
}

const byId = (content: RiskContent): Members => {
  const given = givenOf(content);
  const of = (all: readonly { readonly id: string }[]) =>
    Object.fromEntries(all.map((one) => [one.id, one]));
  return { ...given, factors: of(given.factors), overrides: of(given.overrides) };
};

function membersOf(name: string, [old, next]: readonly [unknown, unknown]): ContentChange[] {
  if (typeof old !== 'object') return [{ new: next, old, pointer: `/${name}` }];
  const [before, after] = [old as Members, next as Members];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].map((one) => ({
    new: ownOf(after, one),
    old: ownOf(before, one),
    pointer: `/${name}/${one.replaceAll('~', '~0').replaceAll('/', '~1')}`,
  }));
}

/** An id may be a word that every object knows, such as `constructor`. */
const ownOf = (members: Members, name: string): unknown =>
  Object.hasOwn(members, name) ? (members[name] ?? null) : null;
