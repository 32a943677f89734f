/** `batch erase --subject`: every batch of the tenant has a receipt, whatever becomes of others. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DomainError } from '#core/kernel';
import { openProcess } from '../../../../src/app/process.ts';
import { runCommandLine } from '../../../../src/cli/commandLine.ts';
import { startBatchRunner } from '../../../../src/slices/batches/edge/jobs.ts';
import type { CliProcess } from '../../../../src/slices/processes.ts';
import { surroundings } from '../../../cli/surroundings.ts';
import { quietLog } from '../../../workers/quietWorker.ts';
import { BatchHouse } from '../batchHouse.ts';
import { type BatchParts, openBatches } from '../workParts.ts';

const EXTERNAL_ID = 'canary-0815';

let house: BatchHouse;
let parts: BatchParts;
let opened: Awaited<ReturnType<typeof openCommandLine>>;
let runner: ReturnType<typeof startBatchRunner>;
const start = () =>
  startBatchRunner({
    holder: 'test/one/0/0',
    log: quietLog,
    pollMs: 20,
    ports: parts.ports,
  });
const openCommandLine = async () =>
  openProcess<CliProcess>(house.installation, { wake: async () => undefined });
beforeAll(async () => {
  house = await BatchHouse.open();
  parts = await openBatches(house.installation);
  opened = await openCommandLine();
  runner = start();
});
afterAll(async () => {
  await runner.close();
  await opened.close();
  await parts.close();
  await house.close();
});

async function* csv(...rows: readonly string[]): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`external_id,full_name,type\n${rows.join('\n')}\n`);
}

async function erase(tenant: string, process: object = {}) {
  let [out, err] = ['', ''];
  const words = ['--tenant', tenant, '--subject', EXTERNAL_ID, '--reason', 'asked', '--json'];
  const code = await runCommandLine(
    ['batch', 'erase', ...words],
    {
      err: { write: (text: string) => (err += text) },
      out: { write: (text: string) => (out += text) },
    },
    surroundings({ open: async () => ({ ...opened.process, ...process }) }),
  );
  return { batches: out === '' ? undefined : JSON.parse(out).batches, code, err };
}

test('each batch has a receipt: rejected rows, one that runs, one that is refused', async () => {
  const refused = await house.completed(
    await house.submit({
      csv: csv(`${EXTERNAL_ID},,individual`, 'c-1,Anne,individual'),
      subjects: 0,
    }),
  );
  const { tenantId } = refused;
  const whole = await house.completed(
    await house.submit({ csv: csv(`${EXTERNAL_ID},Bea,individual`), subjects: 0, tenantId }),
  );
  await runner.close();
  const running = await house.submit({ subjects: 3, tenantId });
  const { audit } = house.installation;
  const commit: typeof audit.commit = async (chainId, of) => {
    const text = JSON.stringify(of);
    if (text.includes(whole.batchId)) throw new DomainError('state-conflict', { detail: 'busy' });
    if (text.includes(refused.batchId)) throw new Error('away');
    return audit.commit(chainId, of);
  };

  const broken = await erase(tenantId, { audit: { commit } });
  expect(broken.code).toBe(70);
  expect(broken.batches).toEqual([
    { batch_id: running.batchId, ordinals: [], state: 'pending' },
    { batch_id: whole.batchId, detail: 'busy', ordinals: [0], state: 'conflict' },
  ]);
  const first = await erase(tenantId);
  expect([first.code, first.err]).toEqual([4, '']);
  expect(first.batches).toMatchObject([
    { batch_id: running.batchId, ordinals: [], state: 'pending' },
    { batch_id: whole.batchId, ordinals: [0], state: 'erased' },
    { batch_id: refused.batchId, ordinals: [], state: 'erased' },
  ]);
  const again = await erase(tenantId);
  expect([again.code, again.batches]).toMatchObject([4, [{ state: 'pending' }]]);

  runner = start();
  await house.completed(running);
  expect(await erase(tenantId)).toMatchObject({ batches: undefined, code: 3 });
});
