/**
 * Of each id that a delta names, its last word. The deltas of several releases may come as one
 * file, and then what is added by one may be changed by the next and removed by the one after it.
 *
 * What is filed for others to be joined with (an address, a relation) waits here, too, until the
 * last line: only then is it known whether it still holds. Some 200 bytes a line of a delta.
 */
import { ENTITY_SCHEMAS } from './map.ts';
import type { FtmEntity } from './record.ts';
import { JOINED_SCHEMAS } from './relations.ts';

export interface LastOp {
  readonly id: string;
  /** Of its line. */
  readonly number: number;
  /** What of it others are joined with; absent: it is removed. */
  readonly entity?: FtmEntity;
}

export class DeltaOps {
  readonly #last = new Map<string, LastOp>();

  /** `entity` is absent for a removal. */
  add(id: string, number: number, entity?: FtmEntity): void {
    // In the order of the last lines, whatever came of the same ids before.
    this.#last.delete(id);
    this.#last.set(id, { id, number, ...(entity && { entity: joinable(entity) }) });
  }

  isLast(id: string, number: number): boolean {
    return this.#last.get(id)?.number === number;
  }

  ops(): Iterable<LastOp> {
    return this.#last.values();
  }
}

/** Entities themselves are read from the spool: of them only their place counts, or their post. */
function joinable(entity: FtmEntity): FtmEntity {
  if (JOINED_SCHEMAS.has(entity.schema)) return entity;
  const { addressEntity = [], name = [] } = entity.properties;
  const properties = ENTITY_SCHEMAS.has(entity.schema)
    ? { addressEntity, ...(entity.schema === 'Position' && { name }) }
    : {};
  return { id: entity.id, properties, schema: entity.schema };
}
