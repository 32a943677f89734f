/** Transactions from CSV: the header, each row, and files that are not what they say. */
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { CSV_COLUMNS, type ReadTransactions, readTransactions } from '#slices/monitoring';
import { csvTransactions } from '../../../src/slices/monitoring/csvTransactions.ts';
import { CONTEXT } from './messages.ts';

const HEADER =
  'tx_id,occurred_at,amount,currency,direction,account_id,creditor_name,creditor_account';
const row = (id: string, amount = '10') =>
  `${id},2026-03-05,${amount},EUR,debit,A-1,"VELMORANI, T.",DE89370400440532013000`;

async function* pieces(bytes: Buffer, size = 7): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function all(parts: AsyncIterable<ReadTransactions>) {
  const refusals: ReadTransactions['refusals'][number][] = [];
  const transactions: ReadTransactions['transactions'][number][] = [];
  for await (const part of parts) {
    refusals.push(...part.refusals);
    transactions.push(...part.transactions);
  }
  return { refusals, transactions };
}
const read = (text: string) =>
  all(readTransactions('csv_service', pieces(Buffer.from(text)), CONTEXT));

describe('a file', () => {
  test('gives a record for each row, plain or gzip', async () => {
    const text = [HEADER, row('T-1'), row('T-2', '10.5')].join('\r\n');
    const plain = await read(text);
    expect(plain.refusals).toEqual([]);
    expect(plain.transactions).toMatchObject([
      {
        index: 0,
        transaction: {
          amount: '10.00',
          creditor: { account: { iban: 'DE89370400440532013000' }, name: 'VELMORANI, T.' },
          precision: 'day',
          tx_id: 'T-1',
        },
      },
      { index: 1, transaction: { amount: '10.50', tx_id: 'T-2' } },
    ]);
    const packed = readTransactions('csv_service', pieces(gzipSync(text)), CONTEXT);
    expect(await all(packed)).toEqual(plain);
  });

  test('says which row and column is wrong, and takes the others', async () => {
    const text = [HEADER, row('T-1', '1,5').replace('1,5', '"1,5"'), row('T-2'), 'T-3,x'].join(
      '\n',
    );
    const { refusals, transactions } = await read(text);
    expect(transactions.map(({ index }) => index)).toEqual([1]);
    expect(refusals).toMatchObject([
      { code: 'format', index: 0, line: 2, pointer: '/amount' },
      { code: 'field-count', index: 2, line: 4, pointer: '' },
    ]);
  });

  test('may have each of the columns', async () => {
    const { refusals } = await read(`${CSV_COLUMNS.join(',')}\n`);
    expect(refusals).toEqual([]);
  });

  test.each([
    ['no header', row('T-1')],
    ['an unknown column', `${HEADER},nickname\n`],
    ['a column twice', `${HEADER},creditor_name\n`],
    ['a required column that is missing', 'tx_id,amount\n'],
    ['nothing', ''],
  ])('with %s is refused', async (_, text) => {
    await expect(read(text)).rejects.toMatchObject({ code: 'csv-invalid' });
  });

  test('has a bound of rows', async () => {
    const text = [HEADER, row('T-1'), row('T-2')].join('\n');
    const bounded = csvTransactions(pieces(Buffer.from(text)), CONTEXT, { max: 1 });
    await expect(all(bounded)).rejects.toMatchObject({ code: 'body-too-large' });
  });
});
