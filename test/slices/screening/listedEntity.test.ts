/** One listed entry, whole, through a gateway on both adapters. */
import { Readable } from 'node:stream';
import type { Static } from 'typebox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KEY_ROLES } from '#core/identity';
import { importList } from '#slices/ingestion';
import { LIST_FORMAT } from '#slices/lists';
import { compileSchema } from '../../../src/api/validate.ts';
import { EntityResult } from '../../../src/slices/screening/edge/entitySchemas.ts';
import { roles } from '../../../src/slices/screening/roles.ts';
import { createListReaders } from '../../../src/sources/index.ts';
import { TECHNOLOGIES } from '../../api/http/adapters.ts';
import {
  type Answer,
  type Caller,
  openRealGateway,
  type RealGateway,
} from '../../api/realGateway.ts';
import { hasRedis } from '../../redis/realRedis.ts';
import { countryTable } from '../../sources/countries.ts';
import { importPorts } from '../ingestion/runParts.ts';

type Entry = Static<typeof EntityResult>;
const violationsOf = compileSchema(EntityResult);
const PATH = '/v1/sanctions/entities';

function entryOf(answer: Answer): Entry {
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  const entry = answer.json<Entry>();
  expect(violationsOf(entry)).toEqual([]);
  return entry;
}

/** A further version of the shipped list, of two entities. */
async function publish(gateway: RealGateway, akas: readonly string[]): Promise<void> {
  const entities = [
    {
      akas,
      associations: [
        { label: 'wife', strength: 1, target_ftm_id: 'demo-b', type: 'FAMILY' },
        { label: 'linked to', strength: 0.5, target_ftm_id: 'nobody', type: 'BUSINESS' },
      ],
      categories: ['SAN'],
      ftm_id: 'demo-a',
      primary_name: 'Ottoline Brackwater',
      programmes: ['X'],
      schema: 'Person',
    },
    { categories: ['PEP'], ftm_id: 'demo-b', primary_name: 'Bela Quorum', schema: 'Person' },
  ];
  const head = {
    $schema: LIST_FORMAT,
    entity_count: 2,
    release_date: '2026-01-02',
    source: 'DEMO',
  };
  const text = [head, ...entities].map((line) => `${JSON.stringify(line)}\n`).join('');
  const reader = createListReaders(countryTable).get('DEMO');
  if (reader === undefined) throw new Error('no reader of DEMO');
  await importList({
    actor: 'cli:test',
    allow: { older: false, shrink: true },
    ports: importPorts(gateway.installation),
    read: Readable.from([Buffer.from(text)]),
    reader,
    sourceId: 'DEMO',
  });
  await gateway.refreshLists();
}

describe.skipIf(!hasRedis).each(TECHNOLOGIES)('a listed entry over %s', (technology) => {
  let gateway: RealGateway;
  let bank: Caller;
  beforeAll(async () => {
    gateway = await openRealGateway(technology);
    bank = await gateway.caller(await gateway.tenant('sandbox'), 'agent_l1');
  });
  afterAll(() => gateway?.close());

  test('is answered whole, as it is and as it stood', async () => {
    const shipped = entryOf(await bank.get(`${PATH}/demo-p-0001`));
    expect(shipped).toMatchObject({
      entity: { identifiers: { Passport: 'ZZ0000001' }, programmes: ['DEMO-ASSET-FREEZE'] },
      ftm_id: 'demo-p-0001',
      in_force: true,
      list: 'DEMO',
      list_version: 'v2026-01-01.a',
      sources: [{ evidence: [], ftm_id: 'demo-p-0001', list: 'DEMO', reason: null }],
    });
    expect(shipped.history).toMatchObject([{ change: 'added', list_version: 'v2026-01-01.a' }]);

    await publish(gateway, ['First']);
    await publish(gateway, ['Second']);
    const now = entryOf(await bank.get(`${PATH}/demo-a`));
    expect(now).toMatchObject({
      entity: { akas: ['Second'], programmes: ['X'], properties: {} },
      history: [
        { change: 'updated', list_version: 'v2026-01-02.b', members: ['akas'] },
        { change: 'added', list_version: 'v2026-01-02.a', members: null },
      ],
      history_from: 'v2026-01-01.a',
      in_force: true,
      relations: [
        { label: 'wife', target_ftm_id: 'demo-b', target_primary_name: 'Bela Quorum' },
        { strength: 0.5, target_ftm_id: 'nobody', target_primary_name: null },
      ],
    });
    const then = entryOf(await bank.get(`${PATH}/demo-a?list_version=v2026-01-02.a`));
    expect(then).toMatchObject({ entity: { akas: ['First'] }, in_force: false });
    expect(then.history).toHaveLength(1);
    const digest = entryOf(await bank.get(`${PATH}/demo-a?list_version=${then.list_digest}`));
    expect(digest.list_digest).toBe(then.list_digest);
    // Off the list now, and still there in the version that had it.
    expect((await bank.get(`${PATH}/demo-p-0001`)).problem()).toMatchObject({ code: 'not-found' });
    const gone = entryOf(
      await bank.get(`${PATH}/demo-p-0001?list_version=v2026-01-01.a&list=DEMO`),
    );
    expect(gone.in_force).toBe(false);
  });

  test('is not found where no list that the caller sees has it', async () => {
    const live = await gateway.caller(await gateway.tenant('live'), 'agent_l1');
    for (const [caller, path] of [
      [bank, 'nobody'],
      [bank, 'demo-a?list_version=v1999-01-01.a'],
      [bank, `demo-a?list_version=${'0'.repeat(64)}`],
      [live, 'demo-a?list_version=v2026-01-02.a'],
    ] as const) {
      const { code, status } = (await caller.get(`${PATH}/${path}`)).problem();
      expect([path, status, code]).toEqual([path, 404, 'not-found']);
    }
    // No list at all is in force for a live tenant here.
    expect((await live.get(`${PATH}/demo-a`)).problem()).toMatchObject({
      code: 'list-unavailable',
    });
    expect((await bank.get(`${PATH}/demo-a?list=NOPE`)).problem()).toMatchObject({
      code: 'list-unknown',
    });
    expect((await bank.get(`${PATH}/demo-a?list=UN`)).problem()).toMatchObject({
      code: 'list-unavailable',
    });
  });

  test('is for roles that screen or read the evidence', async () => {
    for (const role of KEY_ROLES) {
      const caller = await gateway.caller(bank.tenantId, role);
      const { status } = await caller.get(`${PATH}/demo-b`);
      const may = (roles.readEntities as readonly string[]).includes(role);
      expect([role, status]).toEqual([role, may ? 200 : 403]);
    }
  });

  test('writes no event', async () => {
    const before = await gateway.headSeq(bank.tenantId);
    await bank.get(`${PATH}/demo-b`);
    expect(await gateway.headSeq(bank.tenantId)).toBe(before);
  });
});
