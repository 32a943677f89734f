/** `tax demo`, `tax ffi import` and `tax giin` as they are typed, and what a worker does then. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { TenantId } from '#core/kernel';
import { DEMO_GIIN } from '#slices/tax';
import { openWorker } from '../../../src/app/worker/openWorker.ts';
import { runCommandLine } from '../../../src/cli/commandLine.ts';
import type { CliProcess } from '../../../src/slices/processes.ts';
import { openRealGateway, type RealGateway } from '../../api/realGateway.ts';
import { surroundings } from '../../cli/surroundings.ts';
import { hasRedis, type RealRedis, realRedis } from '../../redis/realRedis.ts';
import { quietLog } from '../../workers/quietWorker.ts';

const WAIT = { interval: 50, timeout: 30_000 };

describe.skipIf(!hasRedis)('tax at the command line', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tax-demo-'));
  let gateway: RealGateway;
  let redis: RealRedis;
  let worker: Awaited<ReturnType<typeof openWorker>>;
  let tenantId: TenantId;
  beforeAll(async () => {
    gateway = await openRealGateway('node:http');
    redis = await realRedis();
    worker = await openWorker(gateway.installation, {
      address: { socketPath: redis.socketPath },
      log: quietLog,
      redis: await redis.connect('background'),
    });
    tenantId = await gateway.tenant('sandbox');
  });
  afterAll(async () => {
    await worker?.stop();
    await gateway?.close();
    await redis?.close();
    rmSync(folder, { recursive: true });
  });

  async function run(...words: readonly string[]) {
    let [err, out] = ['', ''];
    const streams = {
      err: { write: (text: string) => (err += text) },
      out: { write: (text: string) => (out += text) },
    };
    const open = async () => gateway.process as unknown as CliProcess;
    const code = await runCommandLine(['tax', ...words], streams, surroundings({ open }));
    return { code, err, out };
  }
  const demo = async (...more: readonly string[]) => {
    const made = await run('demo', '--tenant', tenantId, '--json', ...more);
    expect(made).toMatchObject({ code: 0, err: '' });
    return (JSON.parse(made.out) as { declaration_id: string }).declaration_id;
  };
  const comesTo = async (id: string, expected: object) => {
    const officer = await gateway.caller(tenantId, 'compliance_officer');
    await vi.waitFor(async () => {
      const shown = await officer.get(`/v1/tcr/declarations/${id}`);
      expect(shown.json(), shown.text).toMatchObject(expected);
    }, WAIT);
  };

  test('a sandbox goes from invented accounts to an accepted declaration', async () => {
    await comesTo(await demo('--period', '2021'), {
      account_count: 200,
      outcome: 'clean',
      status: 'accepted',
      test: true,
    });
    await comesTo(await demo('--period', '2022', '--fault', '8007'), {
      outcome: 'record_errors',
      status: 'accepted',
    });
    await comesTo(await demo('--period', '2023', '--fault', 'NDC'), { status: 'rejected' });
    const listed = await run('declarations', '--tenant', tenantId);
    expect(listed.out.match(/accepted/g)).toHaveLength(2);
  });

  test('a second one reports another year, and a year is reported once', async () => {
    const years = async () => {
      const officer = await gateway.caller(tenantId, 'compliance_officer');
      const ids = [await demo(), await demo()];
      const shown = await Promise.all(ids.map((id) => officer.get(`/v1/tcr/declarations/${id}`)));
      return shown.map((one) => one.json<{ reporting_period: string }>().reporting_period);
    };
    const last = new Date(gateway.installation.clock.now()).getUTCFullYear() - 1;
    const [first, second] = await years();
    expect(first).toBe(`${last}`);
    expect(Number(second)).toBeLessThan(last);
    const again = await run('demo', '--tenant', tenantId, '--period', '2021');
    expect([again.code, again.err]).toEqual([2, expect.stringContaining('not reported, got 2021')]);
  });

  test('a live tenant has none, and a fault is a code of the IRS', async () => {
    const live = await run('demo', '--tenant', await gateway.tenant('live'));
    expect([live.code, live.err]).toEqual([2, expect.stringContaining('expected a sandbox')]);
    const odd = await run('demo', '--tenant', tenantId, '--fault', 'NVF');
    expect([odd.code, odd.err]).toEqual([2, expect.stringContaining('--fault')]);
  });

  test('the FFI list is brought in, and a number is looked up', async () => {
    const giin = ['giin', '--tenant', tenantId, DEMO_GIIN];
    expect(await run(...giin)).toMatchObject({ code: 1, out: 'LE TN, no_list\n' });
    const file = join(folder, 'ffi.csv');
    writeFileSync(file, `GIIN,FINm,CountryNm\n${DEMO_GIIN},"Banque, S.A.",TUNISIA\n`);
    const today = new Date(gateway.installation.clock.now()).toISOString().slice(0, 10);
    const brought = await run('ffi', 'import', '--tenant', tenantId, '--published', today, file);
    expect(brought).toMatchObject({ code: 0, out: `FFI list of ${today}: 1 numbers\n` });
    expect(await run(...giin)).toMatchObject({ code: 0, out: 'LE TN, listed\n' });
    const other = ['giin', '--tenant', tenantId, '98Q96C.00000.LE.788'];
    expect(await run(...other)).toMatchObject({ code: 1, out: 'LE TN, not_listed\n' });
    // Without a tenant the form alone is read, and no store is opened.
    expect(await run('giin', DEMO_GIIN)).toMatchObject({ code: 0, out: 'LE TN\n' });
    writeFileSync(file, 'GIIN\nO\n');
    const wrong = await run('ffi', 'import', '--tenant', tenantId, '--published', today, file);
    expect([wrong.code, wrong.err]).toEqual([4, expect.stringContaining('line 2')]);
  });
});
