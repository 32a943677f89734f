/**
 * The facts of a version once all its lines were seen: its two digests (versions.ts), its counts,
 * and the table of its lines. A sink, since on a large list it runs beside the merge that makes the
 * lines.
 */
import type { PieceSink } from '#platform/sinkAside';
import { entityLine } from './entityLine.ts';
import { LineColumnsWriter, type LineDigests } from './lineColumns.ts';

const LINE_FEED = 0x0a;

export type ContentFacts = LineDigests;

/** Takes pieces of whole lines. */
class ContentDigests implements PieceSink<ContentFacts> {
  readonly #columns = new LineColumnsWriter();

  add(piece: Uint8Array): void {
    const lines = Buffer.from(piece.buffer, piece.byteOffset, piece.length);
    let start = 0;
    for (let end = lines.indexOf(LINE_FEED); end >= 0; end = lines.indexOf(LINE_FEED, start)) {
      this.#columns.add(entityLine(lines.subarray(start, end)));
      start = end + 1;
    }
  }

  finish(): ContentFacts {
    return this.#columns.finish();
  }

  buffersOf({ columns }: ContentFacts): ArrayBuffer[] {
    const chunks = columns ? [...columns.leaves, ...columns.facts, ...columns.rows] : [];
    return chunks.map(({ buffer }) => buffer).filter((buffer) => buffer instanceof ArrayBuffer);
  }
}

export const makeContentDigests = (): PieceSink<ContentFacts> => new ContentDigests();
