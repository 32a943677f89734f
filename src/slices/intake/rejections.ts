/** Rows that are not screened, and the file that tells the bank which ones and why. */
import { csvCell } from '#platform/csv/csvCell';

export type RejectionReason =
  | 'quotes-unbalanced'
  | 'record-too-long'
  | 'field-count'
  | 'unreadable-characters'
  | 'attribute-missing'
  | 'attribute-invalid'
  | 'duplicate-external-id';

export interface Rejection {
  /** First line of the row, from 1; for a subject in JSON its place in `subjects`, from 1. */
  readonly line: number;
  readonly reason: RejectionReason;
  /** What was expected and what was found, without values. */
  readonly detail: string;
  /** Absent where it could not be read. */
  readonly externalId?: string;
}

/** `rejected.csv`, in pieces: RFC 4180, UTF-8, and no cell that a spreadsheet would execute. */
export async function* writeRejections(
  rejections: AsyncIterable<readonly Rejection[]>,
): AsyncGenerator<string> {
  yield 'line,reason,detail,external_id\r\n';
  for await (const some of rejections) {
    if (some.length > 0) yield some.map(rejectionLine).join('');
  }
}

function rejectionLine({ line, reason, detail, externalId }: Rejection): string {
  return `${line},${reason},${csvCell(detail)},${csvCell(externalId ?? '')}\r\n`;
}
