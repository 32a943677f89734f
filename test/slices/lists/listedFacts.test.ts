/** Facts beside hits: read once, of the versions that are named, and never guessed. */
import { expect, test } from 'vitest';
import { DomainError } from '#core/kernel';
import {
  createFactsOf,
  type EntryFacts,
  FACTS_UNKNOWN,
  factsOf,
  type ListedEntry,
  type ListVersion,
} from '#slices/lists';
import { listEntity } from './listEntity.ts';

const entry = (id: string, source = 'DEMO', list_version = 'v1'): ListedEntry => ({
  content_digest: 'c',
  id,
  list_digest: 'l',
  list_version,
  source,
});
const factsNamed = (id: string): EntryFacts => factsOf(listEntity(id, { akas: [`aka ${id}`] }));

function partsOf(of: { fail?: () => Error | undefined; check?: () => Promise<void> } = {}) {
  const asked: string[] = [];
  const told: string[] = [];
  const factsOf = createFactsOf({
    check: of.check ?? (async () => undefined),
    lists: {
      findVersion: async ({ listVersion, sourceId }) =>
        ({ contentDigest: 'c', listDigest: 'l', listVersion, sourceId }) as ListVersion,
    },
    onUnreadable: (version) => void told.push(version),
    thread: {
      facts: async ({ sourceId }: Partial<ListVersion>, ids) => {
        asked.push(`${sourceId}: ${ids.join(' ')}`);
        const error = of.fail?.();
        if (error !== undefined) throw error;
        return ids.map((id) => (id === 'nobody' ? undefined : factsNamed(id)));
      },
    },
  } as Parameters<typeof createFactsOf>[0]);
  const facts = (entries: readonly ListedEntry[]) =>
    factsOf(entries, { lane: 'answers', turn: 'tenant' });
  return { asked, facts, told };
}

test('the order is that of the entries; each version is asked once', async () => {
  const { asked, facts } = partsOf();
  const found = await facts([entry('a'), entry('b', 'UN_SC'), entry('c'), entry('nobody')]);
  expect(found).toEqual([factsNamed('a'), factsNamed('b'), factsNamed('c'), FACTS_UNKNOWN]);
  expect(asked).toEqual(['DEMO: a c nobody', 'UN_SC: b']);
});

test('what is known is not read again, of this version alone', async () => {
  const { asked, facts } = partsOf();
  await facts([entry('a')]);
  await facts([entry('a'), entry('b')]);
  await facts([entry('a', 'DEMO', 'v2')]);
  expect(asked).toEqual(['DEMO: a', 'DEMO: b', 'DEMO: a']);
});

test('more hits than are kept, and old ones beside many new ones, are all known', async () => {
  const { facts } = partsOf();
  await facts([entry('old')]);
  const many = Array.from({ length: 4_100 }, (_, at) => entry(`n${at}`));
  const found = await facts([entry('old'), ...many]);
  expect(found.filter((one) => one === FACTS_UNKNOWN)).toEqual([]);
  expect([found[0], found[1], found.at(-1)]).toEqual(['old', 'n0', 'n4099'].map(factsNamed));
});

test('a version that is gone is told to the operator, and read once it is back', async () => {
  let isGone = true;
  const gone = new DomainError('list-damaged', { detail: 'gone' });
  const { facts, told } = partsOf({ fail: () => (isGone ? gone : undefined) });
  expect(await facts([entry('a')])).toEqual([FACTS_UNKNOWN]);
  expect(told).toEqual(['DEMO v1']);
  isGone = false;
  expect(await facts([entry('a')])).toEqual([factsNamed('a')]);
});

test('digests that no version has are not known either', async () => {
  const { asked, facts, told } = partsOf();
  expect(await facts([{ ...entry('a'), content_digest: 'other' }])).toEqual([FACTS_UNKNOWN]);
  expect([asked, told]).toEqual([[], ['DEMO v1']]);
});

test('a store that is away, and a version that was altered, are errors', async () => {
  const away = partsOf({ fail: () => new Error('away') });
  await expect(away.facts([entry('a')])).rejects.toThrow('away');
  const altered = new DomainError('list-altered', { detail: 'DEMO v1' });
  const forged = partsOf({ check: () => Promise.reject(altered) });
  await expect(forged.facts([entry('a')])).rejects.toMatchObject({ code: 'list-altered' });
  expect(forged.asked).toEqual([]);
});

test('identifiers without numbers, the first twenty names, programmes of either form', () => {
  const names = Array.from({ length: 30 }, (_, at) => `Name ${at}`);
  const entity = listEntity('a', {
    akas: names,
    identifiers: { passport: 'P1', 'passport (2)': 'P2', tax_id: 'T' },
    properties: { programs: ['SDGT'] },
  });
  expect(factsOf(entity)).toEqual({
    akas: names.slice(0, 20),
    citizenships: [],
    countries: [],
    dates_of_birth: [],
    identifiers: ['passport', 'tax_id'],
    programmes: ['SDGT'],
  });
  expect(Object.keys(factsOf(entity))).toEqual(Object.keys(FACTS_UNKNOWN));
});
