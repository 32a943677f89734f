/** The parts of an entity for an index, cut out of its line, compared with those from a parser. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson } from '#platform/canonicalJson';
import { type ListEntity, toIndexEntity } from '#slices/lists';
import { listEntity, towards } from './listEntity.ts';

const lineOf = (entity: unknown): Buffer => Buffer.from(canonicalJson(entity));

const BITS = { SAN: 1, PEP: 2, RCA: 4, SI: 8, DI: 16 } as const;
const BODIES = ['Company', 'Organization', 'LegalEntity'];

/** By the words of the format. */
function expected(entity: ListEntity) {
  const { akas, categories, citizenships, countries, ftm_id, primary_name, schema } = entity;
  const { flattened_associated_sanctioned, source_lists_hits } = entity;
  const isPerson = schema === 'Person';
  const given: Record<string, string> = JSON.parse(canonicalJson(entity.identifiers));
  const identifiers = Object.values(given);
  const bics = Object.keys(given).flatMap((kind) =>
    kind.startsWith('SWIFT/BIC') ? [given[kind]] : [],
  );
  return {
    card: canonicalJson({
      categories,
      flattened_associated_sanctioned,
      ftm_id,
      primary_name,
      schema,
      source_lists_hits,
    }),
    categories: categories.reduce((sum, category) => sum + BITS[category], 0),
    datesOfBirth: entity.dates_of_birth,
    ...genderOf(entity),
    ...(identifiers.length > 0 && { identifiers }),
    ...(bics.length > 0 && { bics }),
    id: ftm_id,
    names: [...new Set([primary_name, ...akas])],
    nationalities: isPerson ? citizenships : [...new Set([...citizenships, ...countries])],
    schema: isPerson ? 'Person' : BODIES.includes(schema) ? 'Company' : 'Other',
  };
}

function genderOf({ properties }: ListEntity) {
  const given = (properties?.gender ?? []).map((word) => word.charAt(0).toLowerCase());
  const [gender] = given;
  const isOne = given.every((one) => one === gender) && (gender === 'f' || gender === 'm');
  return isOne ? { gender } : {};
}

const MARKS = [
  '],"akas":[',
  '","primary_name_folded":"',
  '"schema":"Person","source_lists_hits":[',
  '},"last_seen_at":"',
  '"gender":["male"]',
  'a","b',
  '\\',
  '"',
  '],',
  ',',
  ']}',
  '{',
  'Ж李\u{1f600}',
  '\u0000\n\u2028',
];
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(fc.constantFrom(...MARKS), { maxLength: 3 }).map((parts) => parts.join('')),
);
const filled = text.map((part) => `x${part}`);
const texts = fc.array(text, { maxLength: 4 });
const KEYS = [
  'SWIFT/BIC',
  'SWIFT/BIC (2)',
  'akas',
  'gender',
  'schema',
  'last_seen_at',
  'source_lists_hits',
  'primary_name',
];
const key = fc.oneof(fc.constantFrom(...KEYS), filled);
const date = fc.constantFrom('2026-01-01', '2026-01-01T00:00:00Z');

const entities: fc.Arbitrary<ListEntity> = fc.record(
  {
    addresses: texts,
    akas: texts,
    associations: fc.array(
      fc.record({ label: text, target_ftm_id: filled }).map((own) => {
        const { label, target_ftm_id } = own;
        return towards(target_ftm_id, { label });
      }),
      { maxLength: 2 },
    ),
    categories: fc.subarray(['SAN', 'PEP', 'RCA', 'SI', 'DI'] as const),
    citizenships: texts,
    countries: texts,
    dates_of_birth: texts,
    first_seen_at: date,
    flattened_associated_sanctioned: fc.array(
      fc.record({
        depth: fc.constantFrom(1 as const, 2 as const),
        path_decay: fc.constantFrom(0.5, 1),
        path_types: fc.constant(['FAMILY'] as const),
        target_ftm_id: filled,
      }),
      { maxLength: 2 },
    ),
    ftm_id: filled,
    identifiers: fc.dictionary(key, text, { maxKeys: 3 }),
    last_seen_at: date,
    places_of_birth: texts,
    primary_name: filled,
    primary_name_folded: text,
    properties: fc.dictionary(key, texts, { maxKeys: 4 }),
    schema: fc.constantFrom(
      'Person',
      'Company',
      'Vessel',
      'Aircraft',
      'Organization',
      'LegalEntity',
      'Position',
    ),
    source_lists_hits: fc.array(fc.record({ added_at: date, list: text, version: text }), {
      maxLength: 2,
    }),
  },
  {
    requiredKeys: [
      'addresses',
      'akas',
      'associations',
      'categories',
      'citizenships',
      'countries',
      'dates_of_birth',
      'first_seen_at',
      'flattened_associated_sanctioned',
      'ftm_id',
      'identifiers',
      'last_seen_at',
      'places_of_birth',
      'primary_name',
      'primary_name_folded',
      'schema',
      'source_lists_hits',
    ],
  },
);

describe('an entity of an index', () => {
  test('is what a parser reads from the line, whatever its values hold', () => {
    fc.assert(
      fc.property(entities, (entity) => {
        expect(toIndexEntity(lineOf(entity))).toEqual(expected(entity));
      }),
      { numRuns: 2_000 },
    );
  });

  test('of a line with every mark as a name and as a value', () => {
    const entity = listEntity('q-1', {
      addresses: MARKS,
      akas: MARKS,
      identifiers: Object.fromEntries(MARKS.map((mark) => [mark, mark])),
      places_of_birth: MARKS,
      primary_name: MARKS.join(''),
      properties: Object.fromEntries(MARKS.map((mark) => [mark, MARKS])),
    });
    expect(toIndexEntity(lineOf(entity))).toEqual(expected(entity));
  });

  test.each([
    ['', 'an empty line'],
    ['{"addresses":[]}', 'a line without members'],
    [`${canonicalJson(listEntity('q-1'))}]`, 'a line with something behind it'],
    [canonicalJson(listEntity('q-1')).slice(0, -1), 'a line that was cut'],
    ['"q-1"', 'a string'],
  ])('%j is refused: %s', (line) => {
    expect(() => toIndexEntity(Buffer.from(line))).toThrow(
      expect.objectContaining({ code: 'list-damaged' }),
    );
  });
});
