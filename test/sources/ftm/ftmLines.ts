/** Lines of FtM files as tests make them, and what the reader makes of them. */
import { type EntityAddition, gathering } from '#slices/ingestion';
import type { ListEntity } from '#slices/lists';
import { ftmReader } from '../../../src/sources/ftm/reader.ts';
import { chunksOf } from '../chunks.ts';
import { countryTable } from '../countries.ts';

export type Properties = Record<string, readonly string[]>;

export const line = (
  id: string,
  schema: string,
  properties: Properties,
  more: object = {},
): string =>
  JSON.stringify({ id, caption: properties.name?.[0] ?? schema, schema, properties, ...more });

export async function readLines(
  lines: readonly string[],
  options: { scratchFolder?: string } = {},
) {
  return readText(`${lines.join('\n')}\n`, options);
}

export async function readText(text: string, options: { scratchFolder?: string } = {}) {
  const entities: ListEntity[] = [];
  const removed: string[] = [];
  const added: (readonly [string, EntityAddition])[] = [];
  const read = await ftmReader(countryTable).read(chunksOf(text, 100), {
    sourceId: 'OPEN_AGGREGATE',
    sink: gathering(entities, removed, added),
    ...options,
  });
  const byId = new Map(entities.map((entity) => [entity.ftm_id, entity]));
  return { ...read, added: new Map(added), byId, entities, removed };
}

export const PERSON = line(
  'NK-1',
  'Person',
  {
    name: ['Иван Петров', 'Ivan Petrov'],
    weakAlias: ['Vanya'],
    previousName: ['Ivan Sidorov'],
    birthDate: ['1970-02-01', '1970', 'about 1971'],
    birthPlace: ['Kazan'],
    birthCountry: ['ru'],
    nationality: ['ru', 'suhh'],
    country: ['ua-cri'],
    passportNumber: ['AB 2', 'AB 1'],
    leiCode: ['X'],
    topics: ['sanction', 'role.pep', 'crime.fin', 'fin.bank'],
    addressEntity: ['addr-1'],
    gender: ['male'],
    sourceUrl: ['https://example.org/1'],
  },
  {
    datasets: ['eu_fsf'],
    referents: ['ofac-36'],
    first_seen: '2023-04-20T18:00:25',
    last_seen: '2024-06-01T10:57:03',
    target: true,
  },
);
export const RELATIVE = line('NK-2', 'Person', {
  name: ['Anna Petrova'],
  addressEntity: ['addr-1'],
});
export const COMPANY = line('NK-3', 'PublicBody', {
  name: ['Mining Office'],
  topics: ['reg.warn'],
});
export const JOINED = [
  line('rel-1', 'Family', { person: ['NK-1'], relative: ['NK-2'], relationship: ['wife'] }),
  line('rel-2', 'Ownership', { owner: ['NK-1'], asset: ['NK-3'], percentage: ['12,5 %'] }),
  line('addr-1', 'Address', { full: ['1 Long Street, Kazan 420000'] }),
  line('pass-1', 'Passport', { holder: ['NK-1'], number: ['CD 3'], country: ['ru'] }),
  line('sanc-1', 'Sanction', { entity: ['NK-1'], authority: ['UN'], unscId: ['QDi.001'] }),
  line('occ-1', 'Occupancy', { holder: ['NK-1'], post: ['pos-1'], startDate: ['2001'] }),
  line('pos-1', 'Position', { name: ['Minister of Mines'] }),
];
