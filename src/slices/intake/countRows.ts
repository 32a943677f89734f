/**
 * Rows of a CSV, counted while it arrives. Counting takes place in a thread that all uploads share:
 * lines that are made for it, such as a quote each, cost many times as much as those of customers,
 * and whoever sends them must not hold up the requests of others.
 */
import { DomainError } from '#core/kernel';
import { SharedSinks } from '#platform/sharedSinks';
import { SinkError } from '#platform/sinkAside';
import { type CountedCsv, makeRowCount } from './countSink.ts';
import { BATCH_ROWS_MAX } from './csvTable.ts';

const counts = new SharedSinks({
  make: makeRowCount,
  threadUrl: new URL('./countThread.ts', import.meta.url),
});

/** Throws `csv-invalid` or `body-too-large` early, and what `bytes` throws. */
export async function countCsvRows(
  bytes: AsyncIterable<Uint8Array>,
  { rowsMax = BATCH_ROWS_MAX, sender = '' }: { rowsMax?: number; sender?: string } = {},
): Promise<CountedCsv> {
  const count = counts.open(rowsMax, sender);
  try {
    for await (const chunk of bytes) await count.add(chunk);
    return await count.finish();
  } catch (error) {
    throw refusalOf(error) ?? error;
  } finally {
    count.close();
  }
}

/** The refusal that crossed from the thread without its class. */
function refusalOf(error: unknown): DomainError | undefined {
  if (!(error instanceof SinkError)) return undefined;
  const { code, message } = error;
  if (code !== 'csv-invalid' && code !== 'body-too-large') return undefined;
  return new DomainError(code, { cause: error, detail: message });
}
