/** A worker's own port: it lives, it can work or says why not, and its figures. */
import { afterEach, expect, test } from 'vitest';
import { createLog } from '#platform/log';
import { createMetrics } from '#platform/metrics';
import { openProbes, type Probes, type ProbesOptions } from '../../../src/app/worker/probes.ts';

let probes: Probes | undefined;
afterEach(() => probes?.close());

async function asked(path: string, given: Partial<ProbesOptions> = {}, init: RequestInit = {}) {
  const metrics = createMetrics({ processFigures: false });
  metrics.counter({ help: 'h', name: 'things_total' }).inc(3);
  probes = await openProbes({
    host: '127.0.0.1',
    isDraining: () => false,
    log: createLog({ level: 'error', process: 'test' }),
    metrics,
    port: 0,
    readiness: async () => undefined,
    ...given,
  });
  const response = await fetch(`http://127.0.0.1:${probes.port}${path}`, init);
  return { status: response.status, text: await response.text() };
}

test('it lives, whatever it can do', async () => {
  const unready = { readiness: async () => 'the store does not answer' };
  expect((await asked('/healthz', unready)).status).toBe(200);
});

test('it is ready, or says why not', async () => {
  expect((await asked('/readyz')).status).toBe(200);
  await probes?.close();
  const reply = await asked('/readyz', { readiness: async () => 'the store does not answer' });
  expect(reply).toMatchObject({ status: 503, text: expect.stringContaining('the store does not') });
  await probes?.close();
  expect(await asked('/readyz', { isDraining: () => true })).toMatchObject({ status: 503 });
});

test('its figures are there, and nothing else', async () => {
  expect((await asked('/metrics')).text).toContain('things_total 3');
  await probes?.close();
  expect((await asked('/v1/anything')).status).toBe(404);
  await probes?.close();
  expect((await asked('/metrics', {}, { body: 'x', method: 'POST' })).status).toBe(404);
});

test('a port that is taken is said', async () => {
  await asked('/healthz');
  const port = probes?.port ?? 0;
  await expect(
    openProbes({
      host: '127.0.0.1',
      isDraining: () => false,
      log: createLog({ level: 'error', process: 'test' }),
      metrics: createMetrics({ processFigures: false }),
      port,
      readiness: async () => undefined,
    }),
  ).rejects.toMatchObject({ code: 'EADDRINUSE' });
});
