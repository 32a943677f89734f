/**
 * Of each id that a delta names, its last word. The deltas of several releases may come as one
 * file, and then what is added by one may be changed by the next and removed by the one after it.
 *
 * What is filed for others to be joined with (an address, a relation) waits here, too, until the
 * last line: only then is it known whether it still holds. Some 200 bytes a line of a delta.
 */
import { ENTITY_SCHEMAS } from './map.ts';
import type { FtmEntity, FtmLine } from './record.ts';
import { JOINED_SCHEMAS } from './relations.ts';

export interface LastOp {
  readonly id: string;
  /** Of its line. */
  readonly number: number;
  /** What of it others are joined with; absent: it is removed. */
  readonly entity?: FtmEntity;
  /** It was there before, though perhaps under a schema that has a place here. */
  readonly isKnown: boolean;
}

export class DeltaOps {
  readonly #last = new Map<string, LastOp>();

  /** Of a line that was read. */
  add({ entity, op }: Extract<FtmLine, { op: unknown }>, number: number): void {
    const { id } = entity;
    // In the order of the last lines, whatever came of the same ids before.
    this.#last.delete(id);
    const said = op === 'DEL' ? {} : { entity: joinable(entity) };
    this.#last.set(id, { id, isKnown: op !== 'ADD', number, ...said });
  }

  names(id: string): boolean {
    return this.#last.has(id);
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
