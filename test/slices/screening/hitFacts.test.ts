/** What a hit shows of the listed party: of the version that its event names, whenever asked. */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SourceId } from '#core/kernel';
import { importList } from '#slices/ingestion';
import { LIST_FORMAT, listStore } from '#slices/lists';
import { createListReaders } from '../../../src/sources/index.ts';
import { TECHNOLOGIES } from '../../api/http/adapters.ts';
import { type Caller, openRealGateway, type RealGateway } from '../../api/realGateway.ts';
import { hasRedis } from '../../redis/realRedis.ts';
import { countryTable } from '../../sources/countries.ts';
import { importPorts } from '../ingestion/runParts.ts';

interface Shown {
  readonly decision: string;
  readonly hits: readonly { readonly candidate: Readonly<Record<string, unknown>> }[];
}

const NAME = 'Ottoline Brackwater';
const DEMO = 'DEMO' as SourceId;

function listOf(programmes: readonly string[]): string {
  const entity = {
    categories: ['SAN'],
    dates_of_birth: ['1961-05-14'],
    ftm_id: 'demo-x',
    identifiers: { Passport: 'X1' },
    primary_name: NAME,
    programmes,
    schema: 'Person',
  };
  const head = { $schema: LIST_FORMAT, entity_count: 1, release_date: '2026-01-02', source: DEMO };
  return `${JSON.stringify(head)}\n${JSON.stringify(entity)}\n`;
}

async function publish(gateway: RealGateway, text: string): Promise<void> {
  const reader = createListReaders(countryTable).get(DEMO);
  if (reader === undefined) throw new Error('no reader of DEMO');
  await importList({
    actor: 'cli:test',
    allow: { older: false, shrink: true },
    ports: importPorts(gateway.installation),
    read: Readable.from([Buffer.from(text)]),
    reader,
    sourceId: DEMO,
  });
  await gateway.refreshLists();
}

async function removeBlob({ installation }: RealGateway, address: string): Promise<void> {
  const directory = join(installation.config.dataDir, 'blobs');
  const files = await readdir(directory, { recursive: true, withFileTypes: true });
  const file = files.find((one) => one.isFile() && one.name === address.slice(2));
  if (file === undefined) throw new Error(`no blob ${address}`);
  await rm(join(file.parentPath, file.name));
}

describe.skipIf(!hasRedis).each(TECHNOLOGIES)('facts beside hits over %s', (technology) => {
  let gateway: RealGateway;
  let bank: Caller;
  beforeAll(async () => {
    gateway = await openRealGateway(technology);
    bank = await gateway.caller(await gateway.tenant('sandbox'), 'developer');
  });
  afterAll(() => gateway?.close());

  test('are those of the version that was screened, also where they are read anew', async () => {
    await publish(gateway, listOf(['FIRST']));
    const key = crypto.randomUUID();
    const first = await bank.screen({ name: NAME }, key);
    const { hits } = first.json<Shown>();
    expect(hits[0]?.candidate).toMatchObject({
      akas: [],
      citizenships: [],
      countries: [],
      dates_of_birth: ['1961-05-14'],
      identifiers: ['Passport'],
      programmes: ['FIRST'],
    });
    await publish(gateway, listOf(['SECOND']));
    const next = (await bank.screen({ name: NAME })).json<Shown>();
    expect(next.hits[0]?.candidate.programmes).toEqual(['SECOND']);
    // Another process, which has read nothing yet.
    const other = await openRealGateway(technology, gateway);
    try {
      const again = await bank.at(other).screen({ name: NAME }, key);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect(again.text).toBe(first.text);
    } finally {
      await other.close();
    }
  });

  test('are null where the version is gone; the verdict stands', async () => {
    await publish(gateway, listOf(['THIRD']));
    const key = crypto.randomUUID();
    const first = (await bank.screen({ name: NAME }, key)).json<Shown>();
    const { tables } = gateway.installation.storage;
    const version = (await listStore(tables).findSource(DEMO))?.active;
    await removeBlob(gateway, version?.bundleBlob ?? '');
    const other = await openRealGateway(technology, gateway);
    try {
      const again = await bank.at(other).screen({ name: NAME }, key);
      const { decision, hits } = again.json<Shown>();
      expect([again.status, decision]).toEqual([200, first.decision]);
      expect(hits[0]?.candidate).toEqual({
        ...first.hits[0]?.candidate,
        akas: null,
        citizenships: null,
        countries: null,
        dates_of_birth: null,
        identifiers: null,
        programmes: null,
      });
    } finally {
      await other.close();
    }
  });

  test('of a name that nobody on the list has are none', async () => {
    const { hits } = (await bank.screen({ name: 'Qqwyx Zzujklo' })).json<Shown>();
    expect(hits).toEqual([]);
  });
});
