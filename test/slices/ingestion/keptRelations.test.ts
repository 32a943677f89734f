/** What is in force of an entity's relations and papers, beside what a delta says of it. */
import { expect, test } from 'vitest';
import {
  additionLine,
  additionOf,
  keepingRelations,
} from '../../../src/slices/ingestion/keptRelations.ts';
import { listEntity, towards } from '../lists/listEntity.ts';

test('another number of a kind stands beside the former ones, a known one does not', () => {
  const former = listEntity('a', { identifiers: { passport: 'P1', 'passport (2)': 'P3' } });
  const next = listEntity('a', { identifiers: { passport: 'P2', 'passport (2)': 'P3', tax: 'T' } });
  expect(keepingRelations(next, former, []).identifiers).toEqual({
    passport: 'P1',
    'passport (2)': 'P2',
    'passport (3)': 'P3',
    tax: 'T',
  });
});

test('properties are kept by name, all others are what the delta says', () => {
  const former = listEntity('a', { properties: { positions: ['Old'], topics: ['sanction'] } });
  const next = listEntity('a', { properties: { positions: ['New'] } });
  expect(keepingRelations(next, former, ['positions']).properties).toEqual({
    positions: ['New', 'Old'],
  });
});

test('of relations of one kind to one party the strongest counts, then the first label', () => {
  const former = listEntity('a', {
    associations: [towards('b', { label: 'l', strength: 0.5 }), towards('c', { label: 'l' })],
  });
  const next = listEntity('a', {
    associations: [towards('b', { label: 'm' }), towards('c', { label: 'k' }), towards('c')],
  });
  expect(keepingRelations(next, former, []).associations).toEqual([
    towards('b', { label: 'm' }),
    towards('c', { label: 'k' }),
  ]);
});

test('an addition is told from an entity by its line', () => {
  const addition = { addresses: ['A'], associations: [], identifiers: {}, properties: {} };
  expect(additionOf(Buffer.from(additionLine(addition)))).toEqual(addition);
  expect(additionOf(Buffer.from(JSON.stringify(listEntity('a'))))).toBeUndefined();
});

test('programmes of a separate record stand beside those in force, in either form', () => {
  const former = listEntity('a', { programmes: ['B'] });
  expect(keepingRelations(listEntity('a', { programmes: ['A'] }), former, []).programmes).toEqual([
    'A',
    'B',
  ]);
  expect(keepingRelations(listEntity('a'), former, []).programmes).toEqual(['B']);
  expect(keepingRelations(former, listEntity('a'), [])).toEqual(
    expect.objectContaining({ programmes: ['B'] }),
  );
  expect(keepingRelations(listEntity('a'), listEntity('a'), [])).not.toHaveProperty('programmes');
});
