/**
 * Method and path to a target, compiled once: a map for paths without parameters, a trie of
 * segments for the others. No regular expression is run to find a route.
 *
 * A literal segment wins over a parameter. Parameters are kept by position, because two methods of
 * one path may name the same segment differently ({id}, {case_id}).
 * Paths are compared as received: a trailing slash or an encoded letter is another path.
 */
import assert from 'node:assert/strict';

export interface RouteEntry<Target> {
  readonly method: string;
  readonly path: string;
  readonly target: Target;
}

export interface Router<Target> {
  /** Every method of the path, or undefined where there is no such path. */
  find(path: string): PathMatch<Target> | undefined;
}

export interface PathMatch<Target> {
  readonly methods: ReadonlyMap<string, Target>;
  readonly values: readonly string[];
}

interface Node<Target> {
  readonly literals: Map<string, Node<Target>>;
  parameter: Node<Target> | undefined;
  methods: Map<string, Target> | undefined;
}

const NO_VALUES: readonly string[] = [];

export function createRouter<Target>(entries: readonly RouteEntry<Target>[]): Router<Target> {
  const root = newNode<Target>();
  const literalPaths = new Map<string, Map<string, Target>>();
  for (const entry of entries) {
    const node = entry.path
      .slice(1)
      .split('/')
      .reduce(descend<Target>, root);
    node.methods ??= new Map();
    assert(!node.methods.has(entry.method), `${entry.method} ${entry.path}: described twice`);
    node.methods.set(entry.method, entry.target);
    if (!entry.path.includes('{')) literalPaths.set(entry.path, node.methods);
  }
  return {
    find(path) {
      const methods = literalPaths.get(path);
      if (methods !== undefined) return { methods, values: NO_VALUES };
      return search(root, path.slice(1).split('/'), 0);
    },
  };
}

/** Names of the parameters of a path, in order: `/v1/a/{id}` has `id`. */
export function parameterNames(path: string): string[] {
  return path
    .split('/')
    .filter((segment) => segment.startsWith('{'))
    .map((segment) => segment.slice(1, -1));
}

function newNode<Target>(): Node<Target> {
  return { literals: new Map(), methods: undefined, parameter: undefined };
}

function descend<Target>(node: Node<Target>, segment: string): Node<Target> {
  if (segment.startsWith('{')) {
    node.parameter ??= newNode();
    return node.parameter;
  }
  const next = node.literals.get(segment) ?? newNode<Target>();
  node.literals.set(segment, next);
  return next;
}

/** Goes back to the parameter where the literal leads nowhere; depth is bounded by the trie's. */
function search<Target>(
  node: Node<Target>,
  segments: readonly string[],
  at: number,
): { methods: Map<string, Target>; values: string[] } | undefined {
  const segment = segments[at];
  if (segment === undefined) {
    return node.methods === undefined ? undefined : { methods: node.methods, values: [] };
  }
  const literal = node.literals.get(segment);
  const found = literal && search(literal, segments, at + 1);
  if (found !== undefined) return found;
  if (node.parameter === undefined || segment === '') return undefined;
  const below = search(node.parameter, segments, at + 1);
  below?.values.unshift(segment);
  return below;
}
