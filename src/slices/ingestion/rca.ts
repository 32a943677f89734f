/**
 * Related parties, computed when a list is published: from every entity the paths of one or two
 * relations to entities in category SAN or PEP (interface.md 4.8, rule 6).
 *
 * pathDecay = product of the relations' strengths × the decay of the depth. Relations are followed
 * as the publisher states them, from the entity that names another to the named one; a publisher of
 * symmetric relations states both. Per target and depth the best path is kept. A target outside of
 * the list does not count, since its category is not known here.
 *
 * The graph has the entities with relations and the sought ones, in typed arrays: some 40 bytes an
 * entity and 13 a relation. Bounded: at most `pathsMax` paths an entity, the strongest ones. A
 * hub's own relations are read once per entity that names it, so the cost is the sum of the named
 * entities' degrees, each cut at RELATIONS_MAX.
 */
import { roundScore } from '#platform/roundScore';
import { type Association, type AssociationType, IdTable, type RcaPath } from '#slices/lists';
import type { RelatedEntity } from './reader.ts';

export interface RcaOptions {
  /** Factor of a path of one, and of two relations. */
  readonly depthDecay: readonly [number, number];
  readonly pathsMax: number;
}

export const RCA_DEFAULTS: RcaOptions = { depthDecay: [1, 0.6], pathsMax: 64 };
/** Relations of one entity; further ones are not followed. */
const RELATIONS_MAX = 1_000;
const TYPES: readonly AssociationType[] = ['FAMILY', 'BUSINESS', 'ADDRESS', 'EMPLOYER', 'OWNER'];
const NONE: readonly RcaPath[] = [];

/** A path whose target is still a number. */
type Found = Omit<RcaPath, 'target_ftm_id'> & { readonly target: number };

/** One or two relations, by their numbers. */
interface Steps {
  readonly first: number;
  readonly second: number | undefined;
}

export class RcaGraph {
  readonly #options: RcaOptions;
  readonly #ids = new IdTable();
  /** By number of the id: 1 for a sought entity. */
  #sought = new Uint8Array(1 << 10);
  /** By number of the id: its first relation + 1; its relations stand together. */
  #firstEdge = new Uint32Array(1 << 10);
  #edgeCount = new Uint16Array(1 << 10);
  /** By number of the relation. */
  #targets = new Uint32Array(1 << 10);
  #types = new Uint8Array(1 << 10);
  #strengths = new Float64Array(1 << 10);
  #edges = 0;

  constructor(options: RcaOptions = RCA_DEFAULTS) {
    this.#options = options;
  }

  /** Every entity of the list, once. */
  add(entity: RelatedEntity): void {
    const isSought = entity.categories.includes('SAN') || entity.categories.includes('PEP');
    if (!isSought && entity.associations.length === 0) return;
    const node = this.#intern(entity.ftm_id);
    if (isSought) this.#sought[node] = 1;
    this.#firstEdge[node] = this.#edges + 1;
    this.#edgeCount[node] = Math.min(entity.associations.length, RELATIONS_MAX);
    for (const association of entity.associations.slice(0, RELATIONS_MAX))
      this.#addEdge(association);
  }

  /**
   * The paths of an entity, once all entities are added: strongest first, then by depth and target.
   */
  paths(ftmId: string): readonly RcaPath[] {
    const start = this.#ids.find(ftmId);
    if (start === undefined || this.#edgeCount[start] === 0) return NONE;
    const best = new Map<number, Found>();
    for (const first of this.#edgesOf(start)) {
      const middle = this.#target(first);
      if (middle === start) continue;
      if (this.#sought[middle] === 1) this.#keepBetter(best, { first, second: undefined });
      for (const second of this.#edgesOf(middle)) {
        const target = this.#target(second);
        // A way back, or a relation to itself, is no path.
        if (target === start || target === middle) continue;
        if (this.#sought[target] === 1) this.#keepBetter(best, { first, second });
      }
    }
    if (best.size === 0) return NONE;
    return [...best.values()]
      .map(({ target, ...path }) => ({ ...path, target_ftm_id: this.#ids.idOf(target) }))
      .sort(byStrength)
      .slice(0, this.#options.pathsMax);
  }

  #keepBetter(best: Map<number, Found>, { first, second }: Steps): void {
    const edges = second === undefined ? [first] : [first, second];
    const depth = second === undefined ? 1 : 2;
    const strength = edges.reduce((product, edge) => product * (this.#strengths[edge] ?? 0), 1);
    // Rounded like the scores that are made from it.
    const path_decay = roundScore(strength * this.#options.depthDecay[depth === 1 ? 0 : 1]);
    const target = this.#target(second ?? first);
    const key = target * 2 + depth - 1;
    const known = best.get(key);
    if (known && known.path_decay > path_decay) return;
    const path_types = edges.map((edge) => TYPES[this.#types[edge] ?? 0] ?? 'BUSINESS');
    if (known?.path_decay === path_decay && compareTypes(known, { path_types }) <= 0) return;
    best.set(key, { depth, path_decay, path_types, target });
  }

  *#edgesOf(node: number): Generator<number> {
    const first = (this.#firstEdge[node] ?? 0) - 1;
    for (let at = 0; at < (this.#edgeCount[node] ?? 0); at++) yield first + at;
  }

  #target(edge: number): number {
    return this.#targets[edge] ?? 0;
  }

  #addEdge({ strength, target_ftm_id, type }: Association): void {
    const edge = this.#edges++;
    if (edge >= this.#targets.length) {
      this.#targets = grown(this.#targets, new Uint32Array(edge * 2));
      this.#types = grown(this.#types, new Uint8Array(edge * 2));
      this.#strengths = grown(this.#strengths, new Float64Array(edge * 2));
    }
    this.#targets[edge] = this.#intern(target_ftm_id);
    this.#types[edge] = TYPES.indexOf(type);
    this.#strengths[edge] = strength;
  }

  #intern(id: string): number {
    const node = this.#ids.intern(id);
    if (node >= this.#sought.length) {
      this.#sought = grown(this.#sought, new Uint8Array(node * 2));
      this.#firstEdge = grown(this.#firstEdge, new Uint32Array(node * 2));
      this.#edgeCount = grown(this.#edgeCount, new Uint16Array(node * 2));
    }
    return node;
  }
}

function grown<T extends { set(values: T): void }>(values: T, into: T): T {
  into.set(values);
  return into;
}

/** Total on the paths of one entity, so that the order does not depend on the file's. */
function byStrength(a: RcaPath, b: RcaPath): number {
  return (
    b.path_decay - a.path_decay ||
    a.depth - b.depth ||
    compare(a.target_ftm_id, b.target_ftm_id) ||
    compareTypes(a, b)
  );
}

type Types = Pick<RcaPath, 'path_types'>;

const compareTypes = (a: Types, b: Types): number =>
  compare(a.path_types.join(), b.path_types.join());

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
