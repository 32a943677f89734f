/**
 * Related parties, worked out when a list is published: from every entity the paths of one or two
 * relations to entities in category SAN or PEP (interface.md 4.8, rule 6).
 *
 * pathDecay = product of the relations' strengths × the decay of the depth. Relations are followed
 * as the publisher states them, from the entity that names another to the one that is named; a
 * publisher of symmetric relations states both. Per target and depth the best path is kept. A
 * target outside of the list is no target: what it is, is not known here.
 *
 * Bounded: at most `pathsMax` paths an entity, the strongest ones; and a hub's own relations are
 * looked at once per entity that names it, so cost is the sum of the named entities' degrees, each
 * cut at RELATIONS_MAX.
 */
import { roundScore } from '#platform/roundScore';
import type { Association, AssociationType, ListEntity, RcaPath } from './entity.ts';

export interface RcaOptions {
  /** Factor of a path of one, and of two relations. */
  readonly depthDecay: readonly [number, number];
  readonly pathsMax: number;
}

export const RCA_DEFAULTS: RcaOptions = { depthDecay: [1, 0.6], pathsMax: 64 };
/** Of one entity; further ones are not followed. */
const RELATIONS_MAX = 1_000;

type Node = Pick<ListEntity, 'ftm_id' | 'categories' | 'associations'>;

/** Paths of every entity that has any, strongest first, then by depth and target. */
export function flattenPaths(
  entities: readonly Node[],
  options: RcaOptions = RCA_DEFAULTS,
): ReadonlyMap<string, readonly RcaPath[]> {
  const byId = new Map(entities.map((entity) => [entity.ftm_id, entity]));
  const paths = new Map<string, readonly RcaPath[]>();
  for (const entity of entities) {
    if (entity.associations.length === 0) continue;
    const found = pathsFrom(entity, byId, options);
    if (found.length > 0) paths.set(entity.ftm_id, found);
  }
  return paths;
}

function pathsFrom(start: Node, byId: ReadonlyMap<string, Node>, options: RcaOptions): RcaPath[] {
  const best = new Map<string, RcaPath>();
  for (const first of followed(start)) {
    const middle = byId.get(first.target_ftm_id);
    if (!middle || middle === start) continue;
    if (isSought(middle)) keepBetter(best, toPath([first], options));
    for (const second of followed(middle)) {
      const target = byId.get(second.target_ftm_id);
      // A way back, or a relation to itself, is no path.
      if (!target || target === start || target === middle) continue;
      if (isSought(target)) keepBetter(best, toPath([first, second], options));
    }
  }
  return [...best.values()].sort(byStrength).slice(0, options.pathsMax);
}

const followed = (node: Node): readonly Association[] => node.associations.slice(0, RELATIONS_MAX);

const isSought = (node: Node): boolean =>
  node.categories.includes('SAN') || node.categories.includes('PEP');

function toPath(
  steps: readonly [Association] | readonly [Association, Association],
  options: RcaOptions,
): RcaPath {
  const last = steps[steps.length - 1] ?? steps[0];
  const depth = steps.length === 1 ? 1 : 2;
  const strength = steps.reduce((product, step) => product * step.strength, 1);
  return {
    depth,
    // As what is made from it.
    path_decay: roundScore(strength * options.depthDecay[depth - 1 === 0 ? 0 : 1]),
    path_types: steps.map((step): AssociationType => step.type),
    target_ftm_id: last.target_ftm_id,
  };
}

function keepBetter(best: Map<string, RcaPath>, path: RcaPath): void {
  const key = `${path.depth} ${path.target_ftm_id}`;
  const known = best.get(key);
  if (!known || byStrength(path, known) < 0) best.set(key, path);
}

/** Total on the paths of one entity, so that the order does not depend on the file's. */
function byStrength(a: RcaPath, b: RcaPath): number {
  return (
    b.path_decay - a.path_decay ||
    a.depth - b.depth ||
    compare(a.target_ftm_id, b.target_ftm_id) ||
    compare(a.path_types.join(), b.path_types.join())
  );
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
