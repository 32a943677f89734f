/**
 * A version's entities as the engine takes them, read from its bundle: what is screened is what was
 * signed. All of them, or a few without reading the others where the bundle allows it.
 */
import type { BlobStore, PutBlob } from '#core/blobs';
import { DomainError } from '#core/kernel';
import { BaseLines, type BasePorts } from './baseLines.ts';
import { type IndexableEntity, toIndexEntity } from './indexEntity.ts';
import type { StoredBundle } from './ports.ts';
import { WantedLines } from './sortedLines.ts';
import { readDelta, versionLines } from './versionLines.ts';

/** Batches by id. Throws `list-damaged`, perhaps only at the end. */
export function versionEntities(
  bundle: StoredBundle,
  blobs: Pick<BlobStore, 'open'>,
  put?: PutBlob,
): AsyncGenerator<readonly IndexableEntity[]> {
  return entitiesIn(versionLines(bundle, blobs, put));
}

export interface EntitiesOf {
  readonly bundle: StoredBundle;
  /**
   * Result of the put, for a bundle that was put a moment ago. Absent: it is read as any other
   * blob.
   */
  readonly put?: PutBlob;
}

export interface ChosenPorts extends BasePorts {
  readonly blobs: Pick<BlobStore, 'get' | 'open' | 'openRanges'>;
}

/** Batches by id. Throws `list-damaged`, also at the end if one of `ids` does not exist. */
export async function* chosenEntities(
  ports: ChosenPorts,
  of: EntitiesOf,
  ids: ReadonlySet<string>,
): AsyncGenerator<readonly IndexableEntity[]> {
  let count = 0;
  for await (const entities of entitiesIn(linesOf(ports, of, ids))) {
    count += entities.length;
    yield entities;
  }
  if (count === ids.size) return;
  const detail = `expected ${ids.size} entities, read ${count} again`;
  throw new DomainError('list-damaged', { detail });
}

async function* entitiesIn(
  batches: AsyncIterable<readonly Buffer[]>,
): AsyncGenerator<readonly IndexableEntity[]> {
  for await (const lines of batches) {
    yield lines.map(toIndexEntity);
  }
}

async function* linesOf(
  ports: ChosenPorts,
  { bundle, put }: EntitiesOf,
  ids: ReadonlySet<string>,
): AsyncGenerator<readonly Buffer[]> {
  const { blobs } = ports;
  const { bundleBase } = bundle;
  if (bundleBase === undefined) {
    const wanted = new WantedLines(ids);
    for await (const lines of versionLines(bundle, blobs, put)) yield wanted.of(lines);
    return;
  }
  const { changes } = await readDelta(bundle, blobs, put);
  const sorted = [...ids].sort();
  if (sorted.every((id) => changes.has(id))) {
    yield sorted.flatMap((id) => changes.get(id) ?? []);
    return;
  }
  // The delta's base is later than the version since which `ids` changed.
  const base = await BaseLines.open(bundleBase, ports);
  try {
    yield* base.linesOf(sorted, changes);
  } finally {
    await base.close();
  }
}

/** An index as an engine makes it: in shared memory, or to be copied there. */
export type IndexBytes = SharedArrayBuffer | Uint8Array;

export function sharedBytes(bytes: IndexBytes): SharedArrayBuffer {
  if (bytes instanceof SharedArrayBuffer) return bytes;
  const copy = new SharedArrayBuffer(bytes.length);
  new Uint8Array(copy).set(bytes);
  return copy;
}
