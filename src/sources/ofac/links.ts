/**
 * Relations that OFAC states by a name alone: in remarks, and as the owner of a ship or the operator
 * of an aircraft. They are resolved by the published name; what names nobody, or several, is kept.
 */
import type { Association } from '#domain/lists';
import { compare, distinct } from '../entityParts.ts';
import type { Properties } from '../properties.ts';
import { AMBIGUOUS, type RelationNames } from './relationNames.ts';
import type { RemarkLink } from './remarks.ts';

/** The facts that name somebody, by their property. */
const NAMING = [
  ['aircraft_operator', 'Aircraft Operator'],
  ['vessel_owner', 'Vessel Owner'],
] as const;

/** Of remarks, and of the facts that `properties` holds. */
export function linksOf(
  fromRemarks: readonly RemarkLink[],
  properties: Properties,
): readonly RemarkLink[] {
  let links = fromRemarks;
  for (const [property, label] of NAMING) {
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
  const unresolved = new Set<string>();
  for (const { label, name } of links) {
    const uid = context.names.find(name);
    if (uid === undefined || uid === AMBIGUOUS) {
      const text = `${label}: ${name}`;
      if (!unresolved.has(text)) {
        context.note(uid === undefined ? 'relation-unresolved' : 'relation-ambiguous');
      }
      unresolved.add(text);
      continue;
    }
    const target_ftm_id = `ofac-${uid}`;
    if (target_ftm_id === context.ftmId) continue;
    const type = label === 'Linked To' ? 'BUSINESS' : 'OWNER';
    associations.push({ label, strength: 1, target_ftm_id, type });
  }
  return { associations: strongest(associations), unresolved: distinct(unresolved) };
}

/** One per target and label, as strong as the strongest; sorted by both. */
export function strongest(associations: readonly Association[]): readonly Association[] {
  if (associations.length < 2) return associations;
  const byKey = new Map<string, Association>();
  for (const association of associations) {
    const key = `${association.target_ftm_id} ${association.label}`;
    const known = byKey.get(key);
    if (!known || known.strength < association.strength) byKey.set(key, association);
  }
  return [...byKey].sort(([a], [b]) => compare(a, b)).map(([, association]) => association);
}
