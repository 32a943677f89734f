/**
 * List entities → snapshot. Deterministic: the same entities give the same bytes on any host and in
 * any number of threads. Ids come sorted, tokens are ordered by text, and nothing depends on time
 * or on map order.
 */
import { joinParts } from './joinParts.ts';
import { buildLookups } from './lookups.ts';
import { EntityPacker } from './packedEntities.ts';
import { PartBuilder } from './partBuilder.ts';
import type { IndexEntity } from './ports.ts';
import { writeSnapshot } from './snapshotFormat.ts';
import type { SnapshotPart } from './snapshotPart.ts';
import { tokenSections } from './tokenSections.ts';

/** Entities that are packed into one batch before they are indexed. */
export const BATCH_ENTITIES = 1_000;

/**
 * The snapshot of a whole list, joined from all of its parts (at least one). The parts' arrays are
 * emptied on the way, so the caller must not read them afterwards.
 */
export function snapshotOf(parts: readonly SnapshotPart[]): SharedArrayBuffer {
  const joined = joinParts(parts);
  const tables = { ...joined, ...tokenSections(joined) };
  return writeSnapshot({ ...tables, ...buildLookups(tables) }, { isLastUse: true });
}

/**
 * Builds the snapshot (snapshotFormat.ts) of one list version. Throws an Error when ids are not
 * ascending and unique. An entity whose names all fold to nothing stays findable by its date and
 * nationality alone.
 */
export function buildSnapshot(entities: Iterable<IndexEntity>): SharedArrayBuffer {
  const assembly = new SnapshotAssembly();
  assembly.addAll(entities);
  return assembly.finish();
}

/**
 * Builds the same snapshot as buildSnapshot from a stream of batches, for lists that are never
 * whole in memory. Rejects with the same Error.
 */
export async function buildSnapshotFrom(
  batches: AsyncIterable<Iterable<IndexEntity>>,
): Promise<SharedArrayBuffer> {
  const assembly = new SnapshotAssembly();
  for await (const entities of batches) assembly.addAll(entities);
  return assembly.finish();
}

class SnapshotAssembly {
  readonly #builder = new PartBuilder();
  readonly #packer = new EntityPacker();
  #batches = 0;

  addAll(entities: Iterable<IndexEntity>): void {
    for (const entity of entities) {
      this.#packer.add(entity);
      if (this.#packer.count === BATCH_ENTITIES) this.#flush();
    }
  }

  #flush(): void {
    this.#builder.add(this.#packer.take(), this.#batches++);
  }

  finish(): SharedArrayBuffer {
    this.#flush();
    return snapshotOf([this.#builder.finish()]);
  }
}
