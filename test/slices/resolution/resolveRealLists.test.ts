/**
 * The rule measured on real lists: UN of 2018 against UK of 2020, without the Security Council's
 * numbers, which then say what was right. Where TEST_DATA_DIR points at them.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { readWholeList } from '#slices/ingestion';
import type { CountryTable, ListEntity } from '#slices/lists';
import { type EntityLink, resolveLists } from '#slices/resolution';
import table from '../../../config/tables/countries.json' with { type: 'json' };
import { createListReaders } from '../../../src/sources/index.ts';

const dataFolder = process.env.TEST_DATA_DIR;
if (!dataFolder) console.warn('SKIPPED: resolving real lists (TEST_DATA_DIR is not set)');

const FILES = {
  HMT_OFSI: 'lists/uk/ConList_2020-04-27.csv.xz',
  UN_SC: 'lists/un/consolidated_2018-08-24.xml.xz',
};
const readers = createListReaders(table as CountryTable);

async function read(source: keyof typeof FILES): Promise<readonly ListEntity[]> {
  const file = join(dataFolder ?? '', FILES[source]);
  const xz = spawn('xz', ['-dc', file], { stdio: ['ignore', 'pipe', 'inherit'] });
  const reader = readers.get(source);
  if (!reader) throw new Error(`no reader of ${source}`);
  return (await readWholeList(reader, xz.stdout, { sourceId: source })).entities;
}

const referencesOf = ({ identifiers }: ListEntity): string[] =>
  Object.entries(identifiers)
    .filter(([key]) => key.startsWith('UN reference'))
    .map(([, value]) => value.toUpperCase());

describe.skipIf(!dataFolder)('UN of 2018 and UK of 2020', () => {
  let un: readonly ListEntity[] = [];
  let uk: readonly ListEntity[] = [];
  let links: readonly EntityLink[] = [];

  beforeAll(async () => {
    [un, uk] = await Promise.all([read('UN_SC'), read('HMT_OFSI')]);
    const lists = Object.entries({ HMT_OFSI: uk, UN_SC: un }).map(([source, entities]) => ({
      list: [source, 'd', 'c'] as const,
      read: async (onEntity: (entity: ListEntity) => void) => entities.forEach(onEntity),
    }));
    ({ links } = await resolveLists(lists, { withoutKinds: ['un', 'unsc'] }));
  });

  test('of the links whose right answer is known, 98 in 100 are right', () => {
    const ukById = new Map(uk.map((entity) => [entity.ftm_id, entity]));
    const judged = links.flatMap(({ a, b }) => {
      const entity = ukById.get(a.ftm_id);
      const references = entity ? referencesOf(entity) : [];
      // `un-QDi.080`; a UK entry without a number says nothing.
      return references.length === 0 ? [] : [references.includes(b.ftm_id.slice(3).toUpperCase())];
    });
    const right = judged.filter(Boolean).length;
    expect(judged.length).toBeGreaterThan(250);
    // The others are typing errors in the UK's numbers, and persons whom the UN lists twice.
    expect(right / judged.length).toBeGreaterThan(0.98);
  });

  test('every pair with an equal full date of birth is found', () => {
    const unByReference = new Map(
      un.map((entity) => [entity.ftm_id.slice(3).toUpperCase(), entity]),
    );
    const found = new Set(links.map(({ a, b }) => `${a.ftm_id} ${b.ftm_id}`));
    const isFull = (date: string) => date.length === 10 && !date.endsWith('-01-01');
    const missed = uk.flatMap((entity) =>
      referencesOf(entity).flatMap((reference) => {
        const other = unByReference.get(reference);
        if (other?.schema !== 'Person' || entity.schema !== 'Person') return [];
        const days = other.dates_of_birth.filter(isFull);
        if (!days.some((day) => entity.dates_of_birth.includes(day))) return [];
        return found.has(`${entity.ftm_id} ${other.ftm_id}`) ? [] : [entity.primary_name];
      }),
    );
    expect(missed).toEqual([]);
  });
});
