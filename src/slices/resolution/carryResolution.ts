/**
 * Carries the resolution in force over to the next version of one of its lists, in the very commit
 * that puts the version in force. Links between entries that the version leaves unchanged still
 * hold. Changed entries stand alone until the lists are resolved anew (resolveInForce.ts), which a
 * carried resolution requests.
 */
import type { BlobStore } from '#core/blobs';
import { DomainError } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import type { CarriedOver, ImportPorts } from '#slices/ingestion';
import { isDamage, type ListChanges, type ListVersion } from '#slices/lists';
import type { ResolutionPointer, ResolutionStore } from './ports.ts';
import { type EntityLink, readResolution, writeResolution } from './resolution.ts';
import { resolvedList } from './resolveInForce.ts';
import { resolutionTable } from './tables.ts';

export interface CarryPorts {
  readonly blobs: Pick<BlobStore, 'get' | 'put'>;
  readonly lists: Pick<ResolutionStore, 'findResolution'>;
}

/** Undefined where nothing is resolved, the former version was not, or too much has changed. */
export async function carryResolution(
  { blobs, lists }: CarryPorts,
  { changes, former, version }: Parameters<NonNullable<ImportPorts['carryOver']>>[0],
): Promise<CarriedOver | undefined> {
  const pointer = await lists.findResolution().catch(unlessAltered);
  const changed = changedIds(changes);
  if (pointer === undefined || former === undefined || changed === undefined) return undefined;
  if (!isOf(pointer, former)) return undefined;
  const links = await linksOf(pointer, blobs);
  if (links === undefined) return undefined;
  const { sourceId } = version;
  const isChanged = ({ ftm_id, source }: EntityLink['a']): boolean =>
    source === sourceId && changed.has(ftm_id);
  const next = {
    links: links.filter(({ a, b }) => !isChanged(a) && !isChanged(b)),
    lists: pointer.lists.map((list) => (list[0] === sourceId ? resolvedList(version) : list)),
  };
  const { address } = await blobs.put(writeResolution(next));
  const resolution: ResolutionPointer = {
    ...pointer,
    blob: address,
    isCarried: true,
    lists: next.lists,
    version: pointer.version + 1,
  };
  return { change: resolutionTable.insert(resolution), resolution: address };
}

/** Undefined where they cannot be read: derived data never holds up a list. */
async function linksOf(
  { blob }: ResolutionPointer,
  blobs: CarryPorts['blobs'],
): Promise<readonly EntityLink[] | undefined> {
  try {
    const bytes = await blobs.get(blob);
    return bytes && readResolution(bytes).links;
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  }
}

/** It is made anew then, from the lists (resolveInForce.ts). */
function unlessAltered(error: unknown): undefined {
  if (error instanceof DomainError && error.code === 'list-altered') return undefined;
  throw error;
}

const isOf = ({ lists }: ResolutionPointer, version: ListVersion): boolean =>
  lists.some((list) => canonicalJson(list) === canonicalJson(resolvedList(version)));

/** Undefined: too many to be known one by one. */
function changedIds({ touched }: ListChanges): ReadonlySet<string> | undefined {
  if (touched === undefined) return undefined;
  return new Set(touched.filter(({ op }) => op !== 'seen').map(({ ftm_id }) => ftm_id));
}
