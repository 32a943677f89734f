/** What links two lists goes on to the next version of one of them, on a real store. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { entry } from '#core/audit';
import { PLATFORM_CHAIN } from '#core/kernel';
import { type ImportPorts, importList } from '#slices/ingestion';
import type { ListEntity } from '#slices/lists';
import {
  carryResolution,
  readResolution,
  resolutionTable,
  resolvedListStore,
  resolveInForce,
  signedResolutions,
} from '#slices/resolution';
import type { OpenInstallation } from '../../../src/app/installation.ts';
import { openAt } from '../ingestion/listPublisher.ts';
import { reader } from '../ingestion/release.ts';
import { importPorts } from '../ingestion/runParts.ts';
import { listEntity } from '../lists/listEntity.ts';

let folder: string;
let installation: OpenInstallation;
let ports: ImportPorts;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'carry-'));
  installation = await openAt(folder, 'test');
  ports = importPorts(installation);
});

afterAll(async () => {
  await installation.close();
  rmSync(folder, { recursive: true });
});

const person = (ftm_id: string, primary_name: string, born: string, akas: string[] = []) =>
  listEntity(ftm_id, {
    akas,
    dates_of_birth: [born],
    primary_name,
    primary_name_folded: primary_name.toLowerCase(),
  });
const IVAN = ['Ivan Ivanovich Petrov', '1970-02-03'] as const;
const OLGA = ['Olga Maximova Orlova', '1981-04-05'] as const;

async function publish(sourceId: string, entities: readonly ListEntity[], of = ports) {
  const file = { entities, notes: {}, releaseDate: '2026-01-01' };
  const read = (async function* () {
    yield Buffer.from(JSON.stringify(file));
  })();
  return importList({ actor: 'cli:test', ports: of, read, reader, sourceId });
}

const lists = () => resolvedListStore(installation.storage.tables);
const signed = () => signedResolutions({ ...installation, audit: installation.storage.audit });
const resolve = () => resolveInForce({ ...ports, lists: lists(), signed: signed() });

async function inForce() {
  const pointer = await lists().findResolution();
  const bytes = await ports.blobs.get(pointer?.blob ?? '');
  if (pointer === undefined || bytes === undefined) throw new Error('nothing is resolved');
  const { links } = readResolution(bytes);
  return { linked: links.map(({ a, b }) => `${a.ftm_id} ${b.ftm_id}`).sort(), pointer };
}

test('links of what a version leaves as it was hold from its first moment on', async () => {
  await publish('UN_SC', [person('un-1', ...IVAN), person('un-2', ...OLGA)]);
  await publish('EU_CFSP', [person('eu-1', ...IVAN), person('eu-2', ...OLGA)]);
  expect(await resolve()).toEqual({ links: 2, status: 'resolved' });

  const next = [person('eu-1', ...IVAN), person('eu-2', ...OLGA, ['Olga Orlova'])];
  const { version } = await publish('EU_CFSP', next);
  const carried = await inForce();
  expect(carried.linked).toEqual(['eu-1 un-1']);
  expect(carried.pointer).toMatchObject({ isCarried: true, version: 2 });
  expect(carried.pointer.lists).toContainEqual([
    'EU_CFSP',
    version.listDigest,
    version.contentDigest,
  ]);
  const sealed = await installation.storage.audit.readEvents({
    chainId: PLATFORM_CHAIN,
    fromSeq: 1,
    limit: 1_000,
  });
  const published = sealed
    .map(({ body }) => JSON.parse(body) as Record<string, unknown>)
    .findLast(({ action }) => action === 'SANCTIONS_LIST_PUBLISHED');
  expect(published?.resolution).toBe(carried.pointer.blob);

  expect(await resolve()).toEqual({ links: 2, status: 'resolved' });
  expect((await inForce()).pointer).not.toHaveProperty('isCarried');
  expect((await resolve()).status).toBe('current');
});

test('two versions in a row carry on what both left as it was', async () => {
  await publish('EU_CFSP', [person('eu-1', ...IVAN), person('eu-2', ...OLGA, ['A B'])]);
  await publish('EU_CFSP', [person('eu-1', ...IVAN), person('eu-2', ...OLGA, ['C D'])]);
  expect((await inForce()).linked).toEqual(['eu-1 un-1']);
  expect(await resolve()).toMatchObject({ links: 2 });
});

test('a resolution that came in between is the one that is carried on', async () => {
  let isFirst = true;
  const carryOver: ImportPorts['carryOver'] = async (of) => {
    const carried = await ports.carryOver?.(of);
    if (isFirst) {
      isFirst = false;
      const { pointer } = await inForce();
      const resolution = { ...pointer, version: pointer.version + 1 };
      const event = entry(ports, {
        action: 'SANCTIONS_LISTS_RESOLVED',
        actor: 'system',
        members: {},
        severity: 'INFO',
        target: 'resolution',
      });
      const change = resolutionTable.insert(resolution);
      await ports.commit(PLATFORM_CHAIN, { bus: [], changes: [change], events: [event] });
    }
    return carried;
  };
  const { pointer } = await inForce();
  const next = [person('eu-1', ...IVAN), person('eu-2', ...OLGA, ['E F'])];
  const { status } = await publish('EU_CFSP', next, { ...ports, carryOver });
  expect(status).toBe('success');
  expect((await inForce()).pointer).toMatchObject({
    isCarried: true,
    version: pointer.version + 2,
  });
});

test('links of entities that were only seen again hold', async () => {
  await publish('EU_CFSP', [person('eu-1', ...IVAN), person('eu-2', ...OLGA)]);
  await resolve();
  const later = [person('eu-1', ...IVAN), person('eu-2', ...OLGA, ['A B'])].map((one) => ({
    ...one,
    last_seen_at: '2026-01-02',
  }));
  await publish('EU_CFSP', later);
  expect((await inForce()).linked).toContain('eu-1 un-1');
  await resolve();
});

test('a resolution that is damaged holds up no list', async () => {
  const damaged: ImportPorts = {
    ...ports,
    carryOver: (of) =>
      carryResolution(
        {
          blobs: { ...ports.blobs, get: async () => Buffer.from('{"$schema":"another"}\n') },
          lists: lists(),
        },
        of,
      ),
  };
  const before = (await inForce()).pointer;
  const next = [person('eu-1', ...IVAN), person('eu-2', ...OLGA, ['G H'])];
  expect((await publish('EU_CFSP', next, damaged)).status).toBe('success');
  expect((await inForce()).pointer).toEqual(before);
  expect(await resolve()).toMatchObject({ status: 'resolved' });
});

test('nothing is carried for a list that was not resolved, nor of one that is', async () => {
  await publish('HMT_OFSI', [person('gb-1', ...IVAN)]);
  const { pointer } = await inForce();
  await publish('HMT_OFSI', [person('gb-1', ...IVAN, ['X Y'])]);
  expect((await inForce()).pointer).toEqual(pointer);
  expect(await resolve()).toMatchObject({ status: 'resolved' });
});
