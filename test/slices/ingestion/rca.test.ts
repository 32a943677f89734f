/** Related-party paths (interface.md 4.8, rule 6). */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RCA_DEFAULTS } from '#slices/ingestion';
import type { ListEntity } from '#slices/lists';
import { listEntity, towards } from '../lists/listEntity.ts';
import { flattenPaths } from './flattenPaths.ts';

const rca = { categories: ['RCA'] as const };
const short = (entities: ListEntity[], id: string, options = RCA_DEFAULTS) =>
  (flattenPaths(entities, options).get(id) ?? []).map(
    (path) => `${path.target_ftm_id} ${path.depth} ${path.path_types.join('-')} ${path.path_decay}`,
  );

describe('related parties', () => {
  test('one relation decays by its strength, two by both and the depth', () => {
    const entities = [
      listEntity('a', { ...rca, associations: [towards('b', { type: 'FAMILY', strength: 0.5 })] }),
      listEntity('b', { associations: [towards('c', { type: 'OWNER', strength: 0.3 })] }),
      listEntity('c', { categories: ['PEP'] }),
    ];
    expect(short(entities, 'a')).toEqual(['b 1 FAMILY 0.5', 'c 2 FAMILY-OWNER 0.09']);
    expect(short(entities, 'b')).toEqual(['c 1 OWNER 0.3']);
    expect(short(entities, 'c')).toEqual([]);
  });

  test('only sanctioned and exposed entities are targets, any entity is a way', () => {
    const entities = [
      listEntity('a', { ...rca, associations: [towards('b')] }),
      listEntity('b', { categories: ['SI'], associations: [towards('c'), towards('d')] }),
      listEntity('c', { categories: ['DI'] }),
      listEntity('d', { categories: ['SI', 'PEP'] }),
    ];
    expect(short(entities, 'a')).toEqual(['d 2 BUSINESS-BUSINESS 0.6']);
  });

  test('three relations are no path', () => {
    const entities = [
      listEntity('a', { ...rca, associations: [towards('b')] }),
      listEntity('b', { ...rca, associations: [towards('c')] }),
      listEntity('c', { ...rca, associations: [towards('d')] }),
      listEntity('d'),
    ];
    expect(short(entities, 'a')).toEqual([]);
  });

  test('cycles and relations to oneself are no paths', () => {
    const entities = [
      listEntity('a', { associations: [towards('a'), towards('b')] }),
      listEntity('b', { associations: [towards('a'), towards('b')] }),
    ];
    expect(short(entities, 'a')).toEqual(['b 1 BUSINESS 1']);
    expect(short(entities, 'b')).toEqual(['a 1 BUSINESS 1']);
  });

  test('a target outside of the list is none', () => {
    expect(short([listEntity('a', { associations: [towards('x')] })], 'a')).toEqual([]);
  });

  test('the best path per target and depth is kept', () => {
    const entities = [
      listEntity('a', {
        ...rca,
        associations: [
          towards('t', { strength: 0.3 }),
          towards('t', { strength: 0.5, type: 'FAMILY' }),
          towards('m', { strength: 1 }),
          towards('n', { strength: 0.5 }),
        ],
      }),
      listEntity('m', { ...rca, associations: [towards('t', { type: 'OWNER' })] }),
      listEntity('n', { ...rca, associations: [towards('t', { type: 'OWNER' })] }),
      listEntity('t'),
    ];
    expect(short(entities, 'a')).toEqual(['t 2 BUSINESS-OWNER 0.6', 't 1 FAMILY 0.5']);
  });

  test('depth decay and the number of paths are settings', () => {
    const targets = Array.from({ length: 100 }, (_, i) =>
      listEntity(`t${String(i).padStart(3, '0')}`),
    );
    const start = listEntity('a', {
      ...rca,
      associations: targets.map((one) => towards(one.ftm_id)),
    });
    const entities = [start, ...targets];
    expect(short(entities, 'a')).toHaveLength(64);
    const options = { depthDecay: [0.9, 0.5] as const, pathsMax: 2 };
    expect(short(entities, 'a', options)).toEqual(['t000 1 BUSINESS 0.9', 't001 1 BUSINESS 0.9']);
  });

  test('the order of entities and relations changes nothing', () => {
    const id = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    const edge = fc.record({
      target_ftm_id: id,
      type: fc.constantFrom('FAMILY' as const, 'OWNER' as const, 'ADDRESS' as const),
      label: fc.constant('l'),
      strength: fc.constantFrom(1, 0.5, 0.3),
    });
    const graph = fc.array(fc.array(edge, { maxLength: 6 }), { minLength: 5, maxLength: 5 });
    fc.assert(
      fc.property(graph, (edges) => {
        const entities = ['a', 'b', 'c', 'd', 'e'].map((name, index) =>
          listEntity(name, { associations: edges[index] ?? [] }),
        );
        const turned = entities
          .toReversed()
          .map((entity) => ({ ...entity, associations: entity.associations.toReversed() }));
        const sorted = (from: ListEntity[]) =>
          [...flattenPaths(from)].sort(([x], [y]) => (x < y ? -1 : 1));
        expect(sorted(turned)).toEqual(sorted(entities));
      }),
    );
  });

  test('a hub that ten thousand name costs no time', () => {
    const names = Array.from({ length: 10_000 }, (_, i) => `n${i}`);
    const hub = listEntity('hub', { associations: names.map((name) => towards(name)) });
    const around = names.map((name) => listEntity(name, { associations: [towards('hub')] }));
    const begun = performance.now();
    const paths = flattenPaths([hub, ...around.slice(0, 500)]);
    expect(paths.get('n1')).toHaveLength(64);
    expect(performance.now() - begun).toBeLessThan(5_000);
  });
});
