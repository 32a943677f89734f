/** Counts the rows of a CSV from its pieces. */
import { CsvSplitter } from '#platform/csv/csvSplitter';
import { WholeLines } from '#platform/csv/wholeLines';
import type { PieceSink } from '#platform/sinkAside';
import type { SubjectAttribute } from './attributes.ts';
import { CsvTable } from './csvTable.ts';

export interface CountedCsv {
  readonly rows: number;
  readonly columns: readonly SubjectAttribute[];
}

class RowCounter extends CsvTable {
  countUnseen(records: number): boolean {
    return this.columns !== undefined && this.takes(records);
  }

  protected row(): void {
    // Counted already.
  }

  protected rejected(): void {
    // Counted already.
  }
}

/** Throws `csv-invalid` or `body-too-large` early. */
export function makeRowCount(rowsMax: number): PieceSink<CountedCsv> {
  const counter = new RowCounter(rowsMax);
  const lines = new WholeLines();
  const splitter = new CsvSplitter(counter);
  const push = (piece: Buffer | undefined): void => {
    if (piece !== undefined && piece.length > 0) splitter.push(piece);
  };
  return {
    // Copied: a piece stands in memory that is used again.
    add: (piece) => push(lines.take(Buffer.from(piece))),
    finish() {
      push(lines.rest());
      splitter.finish();
      return { columns: counter.columnsFound(), rows: counter.rows };
    },
  };
}
