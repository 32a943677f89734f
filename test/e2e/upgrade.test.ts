/** A release that reads another index format is started over the data of the one before it. */
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { loadConfig } from '#platform/config';
import { listStore } from '#slices/lists';
import { openInstallation } from '../../src/app/installation.ts';
import { setFormat } from '../slices/lists/setFormat.ts';
import { cleanUp, isRedisHere, newFolder, screen, startProduct } from './product.ts';

const SOON = { interval: 100, timeout: 120_000 };

describe.skipIf(!isRedisHere)('an upgrade', () => {
  afterAll(cleanUp);

  test('is ready by itself once its worker has built the indexes anew', async () => {
    const dataDir = join(newFolder(), 'data');
    const before = startProduct(dataDir);
    await before.ready();
    expect((await before.interrupt()).code).toBe(0);

    const installation = await openInstallation({
      config: loadConfig({ DATA_DIR: dataDir }),
      onWarning: () => undefined,
      processName: 'test',
    });
    const [source] = await listStore(installation.storage.tables).listSources();
    const active = source?.active;
    if (active !== undefined) await setFormat(installation, active, 1);
    await installation.close();

    const after = startProduct(dataDir);
    const first = await after.ready();
    const readiness = async () => (await fetch(`${first.origin}/readyz`)).status;
    await vi.waitUntil(async () => (await readiness()) === 200, SOON);
    expect(after.stdout).toContain('an index that could not be loaded was built from its bundle');
    const answer = await screen(first, 'Tarek Velmorani');
    expect(answer?.body.decision).toBe('MATCH_DIRECT_SANCTIONS');
  });
});
