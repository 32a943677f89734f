/** `transactions check` and `transactions ingest`, as they are typed. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCommandLine } from '../../../src/cli/commandLine.ts';
import type { CliProcess } from '../../../src/slices/processes.ts';
import { openRealGateway, type RealGateway } from '../../api/realGateway.ts';
import { surroundings } from '../../cli/surroundings.ts';
import { hasRedis } from '../../redis/realRedis.ts';
import { mt103, pacs008 } from './messages.ts';

const folder = mkdtempSync(join(tmpdir(), 'transactions-'));
afterAll(() => rmSync(folder, { recursive: true }));

const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

async function run(words: readonly string[], open?: () => Promise<CliProcess>) {
  let [err, out] = ['', ''];
  const streams = {
    err: { write: (text: string) => (err += text) },
    out: { write: (text: string) => (out += text) },
  };
  const given = surroundings(open === undefined ? {} : { open });
  const code = await runCommandLine(['transactions', ...words], streams, given);
  return { code, err, out };
}

describe('transactions check', () => {
  const check = (path: string, format: string, ...more: string[]) =>
    run(['check', path, '--format', format, ...more]);

  test('says what would be taken, and shows the records', async () => {
    const path = file('a.xml', pacs008());
    const { code, out } = await check(path, 'iso20022_pacs008', '--own-bic', 'AAAAGB2L', '--show');
    expect(code).toBe(0);
    expect(out).toContain('1 transactions, 0 refused');
    expect(out).toContain('"direction":"debit"');
  });

  test('names what would be refused, with its line, and exits 1', async () => {
    const path = file('a.fin', `${mt103()}${mt103({ '71A': 'ALL' })}`);
    const { code, out } = await check(path, 'swift_mt103');
    expect(code).toBe(1);
    expect(out).toMatch(/1 transactions, 1 refused\n {2}1 \(line \d+\) \/71A format: expected OUR/);
  });

  test('refuses a format and a zone that nobody knows', async () => {
    const path = file('b.xml', pacs008());
    expect((await check(path, 'xml')).err).toContain('--format: expected one of json_service');
    const zone = await check(path, 'iso20022_pacs008', '--zone', 'Paris');
    expect([zone.code, zone.err]).toEqual([2, expect.stringContaining('--zone')]);
  });
});

describe.skipIf(!hasRedis)('transactions ingest', () => {
  let gateway: RealGateway;
  beforeAll(async () => {
    gateway = await openRealGateway('node:http');
  });
  afterAll(() => gateway.close());

  test('takes a file into the log of a tenant, and once', async () => {
    const tenantId = await gateway.tenant('sandbox');
    const open = async () => gateway.process as unknown as CliProcess;
    const path = file('c.fin', mt103());
    const words = ['ingest', path, '--tenant', tenantId, '--format', 'swift_mt103'];
    const first = await run(words, open);
    expect([first.code, first.out]).toEqual([0, expect.stringContaining('1 taken, 0 known')]);
    expect((await run(words, open)).out).toContain('0 taken, 1 known, 0 refused');
    const reader = await gateway.caller(tenantId, 'auditor');
    const { data } = (await reader.get('/v1/aml/transactions')).json<{ data: unknown[] }>();
    expect(data).toMatchObject([{ source_format: 'swift_mt103', tseq: 1 }]);
    const stranger = '0190ffff-0000-7000-8000-00000000000f';
    expect((await run(words.with(3, stranger), open)).code).toBe(3);
    expect((await run(words.with(5, 'csv_service'), open)).err).toContain('missing: tx_id');
  });
});
