/** Programmes of entities, whichever release wrote the line. */
import { describe, expect, test } from 'vitest';
import { canonicalJson } from '#platform/canonicalJson';
import { entityLine, inPresentForm, type ListEntity, programmesOf } from '#slices/lists';
import { LineComparison, programmesMember } from '../../../src/slices/lists/programmes.ts';
import { listEntity } from './listEntity.ts';

const lineOf = (entity: ListEntity) => entityLine(Buffer.from(canonicalJson(entity)));
const properties = { gender: ['male'], programs: ['SDGT', 'IRAN'] };
const former = listEntity('a', { properties });
const present = listEntity('a', {
  programmes: ['IRAN', 'SDGT'],
  properties: { gender: ['male'] },
});

test('the member is sorted, holds each once, and is absent where there are none', () => {
  expect(programmesMember(['b', 'a', 'b'])).toEqual({ programmes: ['a', 'b'] });
  expect(programmesMember([])).toEqual({});
});

test('they are read of either form', () => {
  expect(programmesOf(present)).toEqual(['IRAN', 'SDGT']);
  expect(programmesOf(former)).toEqual(['SDGT', 'IRAN']);
  expect(programmesOf(listEntity('a'))).toEqual([]);
});

test('a former line in the present form is what a reader gives today', () => {
  expect(inPresentForm(former)).toEqual(present);
  expect(inPresentForm(present)).toBe(present);
  const own = listEntity('a', { programmes: ['X'], properties });
  expect(inPresentForm(own)).toBe(own);
});

describe('two lines of an entity', () => {
  const seen = { first_seen_at: '2020-01-01', last_seen_at: '2026-02-02' };
  test.each<[string, ListEntity, ListEntity, string]>([
    ['the same', present, present, 'none'],
    ['seen at other times', { ...present, ...seen }, present, 'none'],
    ['of a former release', present, former, 'form'],
    ['of a former release, seen at other times', { ...present, ...seen }, former, 'form'],
    ['with another programme', { ...present, programmes: ['IRAN'] }, former, 'content'],
    ['with another name', { ...present, akas: ['B'] }, former, 'content'],
    ['that lost its programmes', listEntity('a'), former, 'content'],
    ['with its first programme', present, listEntity('a'), 'content'],
    ['of today, then of before', former, present, 'content'],
  ])('%s', (_what, next, before, difference) => {
    expect(new LineComparison().of(lineOf(next), lineOf(before))).toBe(difference);
  });
});
