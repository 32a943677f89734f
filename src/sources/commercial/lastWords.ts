/**
 * Of each id that a vendor's delta names, its last word: what one line changes a later one may
 * delete, and the other way round. So nothing is handed on before the last line; entities wait as
 * lines that are laid down, and some 100 bytes of each id stay in memory.
 */
import type { ListEntity, ListSink } from '#domain/lists';
import { LineSpool, linesOf } from '../lineSpool.ts';

export class LastWords {
  readonly #spool: LineSpool;
  /** Number of the last word; negative where it removes. */
  readonly #last = new Map<string, number>();
  #count = 0;

  constructor(scratchFolder: string | undefined) {
    this.#spool = new LineSpool(scratchFolder);
  }

  entity(entity: ListEntity): void {
    this.#count++;
    this.#last.set(entity.ftm_id, this.#count);
    this.#spool.add(Buffer.from(JSON.stringify(entity)), this.#count);
  }

  removed(id: string): void {
    this.#count++;
    this.#last.set(id, -this.#count);
  }

  /** To be awaited from time to time, as LineSpool's. */
  settle(): Promise<void> {
    return this.#spool.settle();
  }

  async deliver(sink: ListSink): Promise<void> {
    for await (const block of this.#spool.blocks()) {
      for (const { line, number } of linesOf(block)) {
        const entity = JSON.parse(line.toString()) as ListEntity;
        if (this.#last.get(entity.ftm_id) === number) sink.entity(entity);
      }
      await sink.ready?.();
    }
    for (const [id, number] of this.#last) if (number < 0) sink.removed(id);
  }

  close(): Promise<void> {
    return this.#spool.close();
  }
}
