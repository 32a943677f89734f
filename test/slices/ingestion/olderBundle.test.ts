/** Bundles of one release date, carried into an installation in the wrong order. */
import { expect, test } from 'vitest';
import { listEntity } from '../lists/listEntity.ts';
import { MemoryStore } from './memoryPorts.ts';
import { entitiesOf, release, source } from './release.ts';

const MORNING = '2026-01-01T06:00:00.000Z';
const NOON = '2026-01-01T12:00:00.000Z';
const bundle = (bundledAt: string, names: readonly string[]) => ({
  entities: names.map((name) => listEntity(name)),
  file: { bundledAt },
});

test('the former one is not taken after the later one, unless somebody says so', async () => {
  const store = new MemoryStore();
  const morning = bundle(MORNING, ['a']);
  await release(store, morning);
  await release(store, bundle(NOON, ['a', 'b']));
  expect(source(store).active?.bundledAt).toBe(NOON);
  const allow = { older: false, shrink: true };
  await expect(release(store, { ...morning, allow })).rejects.toMatchObject({
    code: 'list-stale',
    message: `bundle: expected one fetched at ${NOON} or later, got ${MORNING}`,
  });
  expect(await entitiesOf(store)).toHaveLength(2);
  await release(store, { ...morning, allow: { older: true, shrink: true } });
  expect(await entitiesOf(store)).toHaveLength(1);
});

test('a list that was fetched here is no bundle, and takes any of its date', async () => {
  const store = new MemoryStore();
  await release(store, { entities: [listEntity('a')] });
  await release(store, bundle(MORNING, ['a', 'b']));
  await release(store, { entities: [listEntity('a'), listEntity('b'), listEntity('c')] });
  expect(source(store).active).not.toHaveProperty('bundledAt');
  await expect(release(store, bundle(MORNING, ['a', 'b', 'c', 'd']))).resolves.toBeDefined();
});
