/**
 * Relations that OFAC states by a name alone: in remarks, and as the owner of a ship or the
 * operator of an aircraft. They are resolved by the published name; a name of no entry, or of
 * several, is kept.
 */
import type { Association } from '#slices/lists';
import { compare, distinct } from '../entityParts.ts';
import type { Properties } from '../properties.ts';
import { AMBIGUOUS, type RelationNames } from './relationNames.ts';
import type { RemarkLink } from './remarks.ts';

const LABELS = new Map<string, RemarkLink['label']>([
  ['aircraft_operator', 'Aircraft Operator'],
  ['vessel_owner', 'Vessel Owner'],
]);

/** Relations in remarks, and in the facts of `properties`. */
export function linksOf(
  fromRemarks: readonly RemarkLink[],
  properties: Properties,
): readonly RemarkLink[] {
  let links = fromRemarks;
  for (const [property, label] of LABELS) {
    const names = properties.values(property);
    if (names.length > 0) links = [...links, ...names.map((name) => ({ label, name }))];
  }
  return links;
}

export interface ResolvedLinks {
  readonly associations: readonly Association[];
  /** `Linked To: NAME`, sorted. */
  readonly unresolved: readonly string[];
}

export function resolveLinks(
  links: readonly RemarkLink[],
  context: {
    readonly ftmId: string;
    readonly names: RelationNames;
    readonly note: (kind: string) => void;
  },
): ResolvedLinks {
  const associations: Association[] = [];
  const unresolved: string[] = [];
  for (const { label, name } of links) {
    const uid = context.names.find(name);
    if (uid === undefined || uid === AMBIGUOUS) {
      context.note(uid === undefined ? 'relation-unresolved' : 'relation-ambiguous');
      unresolved.push(`${label}: ${name}`);
      continue;
    }
    const target_ftm_id = `ofac-${uid}`;
    if (target_ftm_id === context.ftmId) continue;
    const type = label === 'Linked To' ? 'BUSINESS' : 'OWNER';
    associations.push({ label, strength: 1, target_ftm_id, type });
  }
  const isSeveral = unresolved.length > 1;
  return {
    associations: strongest(associations),
    unresolved: isSeveral ? distinct(unresolved) : unresolved,
  };
}

/** One per target and label, as strong as the strongest; sorted by both. */
export function strongest(associations: readonly Association[]): readonly Association[] {
  if (associations.length < 2) return associations;
  const sorted = [...associations].sort(
    (a, b) =>
      compare(a.target_ftm_id, b.target_ftm_id) ||
      compare(a.label, b.label) ||
      b.strength - a.strength,
  );
  return sorted.filter(({ target_ftm_id, label }, index) => {
    const former = sorted[index - 1];
    return former?.target_ftm_id !== target_ftm_id || former.label !== label;
  });
}
