/** Files of transactions: received whole or not at all, taken once under kills, refusals told. */
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import {
  type FileHold,
  failFile,
  orderFile,
  receiveFile,
  type TransactionFile,
  takeFile,
  transactionFilePartTable,
  transactionFileTable,
} from '#slices/monitoring';
import { openLedger, TENANT } from './ledger.ts';
import { CONTEXT } from './messages.ts';

const HEADER = 'tx_id,occurred_at,amount,currency,direction,account_id,creditor_name\n';
const rowOf = (n: number, amount = '10') =>
  `T-${n},2026-03-05T10:00:00Z,${amount},EUR,debit,A-${n % 7},Name ${n}\n`;
const fileOf = (count: number) =>
  HEADER + Array.from({ length: count }, (_, at) => rowOf(at + 1)).join('');

async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 4_096) yield bytes.subarray(at, at + 4_096);
}

class Killed extends Error {}

function openFiles() {
  const ledger = openLedger(undefined, [transactionFilePartTable]);
  let killIn = Number.POSITIVE_INFINITY;
  const ports = {
    ...ledger.ports,
    commit: (async (chainId, commit) => {
      killIn -= 1;
      if (killIn === 0) throw new Killed();
      return ledger.ports.commit(chainId, commit);
    }) as typeof ledger.ports.commit,
    settingsOf: async () => CONTEXT,
  };
  const receive = async (bytes: Uint8Array) => {
    const file = await receiveFile(ports, pieces(bytes));
    return orderFile(ports, {
      actor: 'key:1',
      file,
      requestedBy: 'key-1',
      sandbox: true,
      tenantId: TENANT,
    });
  };
  const stored = async ({ ingestId }: TransactionFile) => {
    const found = await ledger.house.tables.find(transactionFileTable, {
      ingestId,
      tenantId: TENANT,
    });
    if (found === undefined) throw new Error('the file is gone');
    return found;
  };
  /** Workers, one after the other, until the file has ended; each dies at its n-th commit. */
  const work = async (file: TransactionFile, commits = Number.POSITIVE_INFINITY) => {
    for (let deaths = 0; ; deaths++) {
      killIn = commits;
      try {
        await takeFile(ports, holdOf(await stored(file)));
        killIn = Number.POSITIVE_INFINITY;
        return { deaths, file: await stored(file) };
      } catch (error) {
        if (!(error instanceof Killed)) throw error;
      }
    }
  };
  const fail = async (file: TransactionFile) =>
    failFile(ports, holdOf(await stored(file)), 'blob-damaged');
  return { fail, ledger, receive, work };
}

/** The lease is the store's; here one worker after the other has the file. */
function holdOf(taken: TransactionFile): FileHold {
  let record = taken;
  return {
    expected: transactionFileTable.expect(
      { ingestId: taken.ingestId, tenantId: taken.tenantId },
      {},
    ),
    get record() {
      return record;
    },
    replace: (next: TransactionFile) => {
      record = next;
    },
    signal: new AbortController().signal,
  };
}

describe('a file of transactions', () => {
  test('is taken whole, plain or gzip, however often its worker dies', async () => {
    const desk = openFiles();
    const file = await desk.receive(gzipSync(fileOf(2_000)));
    const { deaths, file: ended } = await desk.work(file, 3);
    expect(deaths).toBeGreaterThan(0);
    expect(ended).toMatchObject({
      accepted: 2_000,
      duplicates: 0,
      rejected: 0,
      rows: 2_000,
      status: 'completed',
      tseqFrom: 1,
      tseqTo: 2_000,
    });
    expect(await desk.ledger.check()).toEqual({ count: 2_000, refusals: [] });
    const last = await desk.ledger.find('T-2000');
    expect(last.transaction).toMatchObject({ creditor: { name: 'Name 2000' } });
  });

  test('says what it refused, by line, column and code, and no value', async () => {
    const desk = openFiles();
    const wrong = [rowOf(2, '1.234'), 'broken\n'];
    const rows = [rowOf(1), ...wrong, rowOf(3), rowOf(1, '11'), rowOf(3)];
    const text = HEADER + rows.join('');
    const { file } = await desk.work(await desk.receive(Buffer.from(text)), 2);
    expect(file).toMatchObject({ accepted: 2, duplicates: 1, rejected: 3, rows: 6 });
    const rejected = desk.ledger.blobs.get(file.rejectedFile?.address ?? '');
    const lines = Buffer.from(rejected ?? [])
      .toString()
      .trim()
      .split('\r\n');
    expect(lines.map((line) => line.split(',').slice(0, 3))).toEqual([
      ['line', 'column', 'code'],
      ['3', 'amount', 'precision'],
      ['4', '', 'field-count'],
      ['6', 'tx_id', 'tx-conflict'],
    ]);
  });

  test('sent again is its first ingest, with no effect', async () => {
    const desk = openFiles();
    const first = await desk.receive(Buffer.from(fileOf(3)));
    await desk.work(first);
    const again = await desk.receive(Buffer.from(fileOf(3)));
    expect(again.ingestId).toBe(first.ingestId);
    expect(again.status).toBe('completed');
    expect((await desk.ledger.check()).count).toBe(3);
  });

  test('that has failed may be sent again, and is another ingest', async () => {
    const desk = openFiles();
    const first = await desk.receive(Buffer.from(fileOf(3)));
    await desk.fail(first);
    const again = await desk.receive(Buffer.from(fileOf(3)));
    expect(again.ingestId).not.toBe(first.ingestId);
    const { file } = await desk.work(again);
    expect(file).toMatchObject({ accepted: 3, status: 'completed' });
  });

  test.each([
    ['cut off', gzipSync(fileOf(500)).subarray(0, -9), 'upload-damaged'],
    ['without a header', Buffer.from(rowOf(1)), 'csv-invalid'],
    ['with an unknown column', Buffer.from('tx_id,surprise\n'), 'csv-invalid'],
    ['empty', Buffer.from(''), 'csv-invalid'],
  ])('%s leaves nothing', async (_, bytes, code) => {
    const desk = openFiles();
    await expect(desk.receive(bytes)).rejects.toMatchObject({ code });
    expect(desk.ledger.house.events).toEqual([]);
  });
});
