/**
 * Which entries of different lists are one and the same: links with their reasons, computed from
 * the lists in force (resolveLists.ts), stored as an immutable blob and named by its digest.
 *
 * A link holds only while both of its lists are the versions that it was computed from, so that a
 * list that moved on takes its links with it until they are computed anew. Nothing is rewritten:
 * without the resolution every entry is a hit of its own again.
 *
 * JSON lines: `{"$schema", "lists": [[source, list_digest, content_digest], …], "rules"}`, then one
 * link a line, sorted, each as JCS.
 */
import { DomainError } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import type { EntityReference, ResolutionPointer, ResolvedList } from './ports.ts';

export const RESOLUTION_SCHEMA = 'urn:compliance-platform:list-resolution:v1';
/**
 * Version of the rules in resolveLists: it changes whenever the same lists would be linked
 * otherwise.
 */
export const RESOLUTION_RULES = 1;

export interface EntityLink {
  /** Before `b` by source, then by id. */
  readonly a: EntityReference;
  readonly b: EntityReference;
  readonly reason: 'identifier' | 'name-and-date-of-birth';
  /** Equal facts: `passport:AB123456`, or the day and both names. */
  readonly evidence: readonly string[];
}

export interface ListResolution {
  /** By source. */
  readonly lists: readonly ResolvedList[];
  readonly links: readonly EntityLink[];
}

export function writeResolution(resolution: ListResolution): Buffer {
  const header = {
    $schema: RESOLUTION_SCHEMA,
    lists: [...resolution.lists].sort(bySource),
    rules: RESOLUTION_RULES,
  };
  const links = resolution.links.map((link) => canonicalJson(link)).sort();
  return Buffer.from(`${[canonicalJson(header), ...links].join('\n')}\n`);
}

/** Throws DomainError `blob-damaged`. The bytes are checked against their address before. */
export function readResolution(bytes: Uint8Array): ListResolution {
  const lines = Buffer.from(bytes).toString().split('\n');
  if (lines.pop() !== '') throw damaged('cut within a line');
  const [header, ...links] = lines.map((line) => parse(line));
  if (header?.$schema !== RESOLUTION_SCHEMA) throw damaged(`expected ${RESOLUTION_SCHEMA}`);
  const lists = header.lists as readonly ResolvedList[];
  return { links: links as unknown as EntityLink[], lists };
}

/** Whether a resolution is of this set of lists: the same set needs no new one. */
export const isResolutionOf = (
  pointer: Pick<ResolutionPointer, 'lists'> | undefined,
  lists: readonly ResolvedList[],
): boolean =>
  pointer !== undefined &&
  canonicalJson([...pointer.lists].sort(bySource)) === canonicalJson([...lists].sort(bySource));

/** For a screening: which entries are one. */
export interface Clusters {
  readonly digest: string;
  /** Undefined for an entry that stands alone. */
  find(entity: EntityReference): Membership | undefined;
  /** The other entries of its cluster; for one entry now and then. */
  others(entity: EntityReference): readonly EntityReference[];
}

export interface Membership {
  readonly cluster: number;
  /** Why it belongs there: of the first of its links. */
  readonly reason: EntityLink['reason'];
  readonly evidence: readonly string[];
}

/** Only the links between lists whose version in force is the resolved one. */
export function clustersOf(
  resolution: ListResolution,
  context: { readonly digest: string; readonly inForce: readonly ResolvedList[] },
): Clusters {
  const inForce = new Set(context.inForce.map((list) => canonicalJson(list)));
  const valid = new Set(
    resolution.lists.filter((list) => inForce.has(canonicalJson(list))).map(([source]) => source),
  );
  const parents = new Map<string, string>();
  const first = new Map<string, EntityLink>();
  const rootOf = (key: string): string => {
    const parent = parents.get(key) ?? key;
    return parent === key ? key : rootOf(parent);
  };
  for (const link of resolution.links) {
    if (!valid.has(link.a.source) || !valid.has(link.b.source)) continue;
    for (const end of [link.a, link.b]) if (!first.has(keyOf(end))) first.set(keyOf(end), link);
    parents.set(rootOf(keyOf(link.b)), rootOf(keyOf(link.a)));
  }
  const memberships = new Map<string, Membership>();
  const numbers = new Map<string, number>();
  for (const [key, { evidence, reason }] of first) {
    const root = rootOf(key);
    const cluster = numbers.get(root) ?? numbers.size;
    numbers.set(root, cluster);
    memberships.set(key, { cluster, evidence, reason });
  }
  const find = (entity: EntityReference) => memberships.get(keyOf(entity));
  const others = (entity: EntityReference): readonly EntityReference[] => {
    const cluster = find(entity)?.cluster;
    if (cluster === undefined) return [];
    return [...memberships].flatMap(([key, one]) =>
      one.cluster === cluster && key !== keyOf(entity) ? [referenceOf(key)] : [],
    );
  };
  return { digest: context.digest, find, others };
}

const keyOf = ({ ftm_id, source }: EntityReference): string => `${source}\u0000${ftm_id}`;
function referenceOf(key: string): EntityReference {
  const [source = '', ftm_id = ''] = key.split('\u0000');
  return { ftm_id, source };
}

const bySource = (a: ResolvedList, b: ResolvedList): number => (a[0] < b[0] ? -1 : 1);

function parse(line: string): Record<string, unknown> {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch (cause) {
    throw damaged('a line that is not JSON', cause);
  }
}

const damaged = (what: string, cause?: unknown): DomainError =>
  new DomainError('blob-damaged', { cause, detail: `resolution: ${what}` });
