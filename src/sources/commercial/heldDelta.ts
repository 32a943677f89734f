/**
 * A vendor's delta, stored until its last line was read. Only then is the last statement about each
 * id known, and nothing is passed on before.
 */
import type { ListSink } from '#slices/ingestion';
import type { ListEntity } from '#slices/lists';
import { LastOperations } from '../lastOperations.ts';
import { LineSpool, linesOf } from '../lineSpool.ts';

export class HeldDelta {
  readonly #spool: LineSpool;
  readonly #operations = new LastOperations();
  #count = 0;

  constructor(scratchFolder: string | undefined) {
    this.#spool = new LineSpool(scratchFolder);
  }

  /** Throws DomainError `list-damaged` for a delta of too many ids, as `removed` does. */
  entity(entity: ListEntity): void {
    this.#count++;
    this.#operations.say(entity.ftm_id, this.#count, { isGone: false });
    this.#spool.add(Buffer.from(JSON.stringify(entity)), this.#count);
  }

  removed(id: string): void {
    this.#count++;
    this.#operations.say(id, this.#count, { isGone: true });
  }

  /** To be awaited now and then, as LineSpool's. */
  settle(): Promise<void> {
    return this.#spool.settle();
  }

  async deliver(sink: ListSink): Promise<void> {
    for await (const block of this.#spool.blocks()) {
      for (const { line, number } of linesOf(block)) {
        const entity = JSON.parse(line.toString()) as ListEntity;
        if (this.#operations.isLast(entity.ftm_id, number)) sink.entity(entity);
      }
      await sink.ready?.();
    }
    for (const id of this.#operations.gone()) sink.removed(id);
  }

  close(): Promise<void> {
    return this.#spool.close();
  }
}
