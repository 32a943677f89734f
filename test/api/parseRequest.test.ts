/** Query strings and path parameters: one reading, or none. */
import { Type } from 'typebox';
import { describe, expect, test } from 'vitest';
import { DomainError } from '#core/kernel';
import { QUERY_CHARS_MAX, QUERY_PARAMETERS_MAX } from '#platform/limits';
import { compileQuery, parsePathParameters, splitQuery } from '../../src/api/parseRequest.ts';

const parse = compileQuery(
  Type.Object(
    {
      decision: Type.Optional(Type.Union([Type.Literal('CLEAR'), Type.Literal('MATCH_PEP')])),
      from: Type.Optional(Type.String({ format: 'date-time' })),
      limit: Type.Optional(Type.Integer({ maximum: 200, minimum: 1 })),
      open: Type.Optional(Type.Boolean()),
    },
    { additionalProperties: false },
  ),
);

function refused(work: () => unknown): [string, string[]] {
  try {
    work();
  } catch (error) {
    if (error instanceof DomainError) {
      return [error.code, error.violations.map(({ code, pointer }) => `${pointer} ${code}`)];
    }
    throw error;
  }
  return ['accepted', []];
}

describe('query', () => {
  test('values come in the type of their schema', () => {
    expect(parse('limit=20&open=true&decision=CLEAR&from=2026-01-01T00%3A00%3A00.000Z')).toEqual({
      decision: 'CLEAR',
      from: '2026-01-01T00:00:00.000Z',
      limit: 20,
      open: true,
    });
    expect(parse('')).toEqual({});
  });

  test('percent and plus are decoded once', () => {
    expect(splitQuery('a=%2541+b%2B&c').parameters.get('a')).toBe('%41 b+');
    expect(splitQuery('a=1&c').parameters.get('c')).toBe('');
  });

  test.each([
    ['limit=1&limit=2', 'query-invalid', '?limit repeated'],
    ['limit=1&%6Cimit=2', 'query-invalid', '?limit repeated'],
    ['limit=1&limit[]=2', 'query-invalid', '?limit[] unknown-member'],
    ['limit=0', 'limit-out-of-range', '?limit range'],
    ['limit=201', 'limit-out-of-range', '?limit range'],
    ['limit=1.5', 'query-invalid', '?limit type'],
    ['limit=1e2', 'query-invalid', '?limit type'],
    ['limit=', 'query-invalid', '?limit type'],
    ['limit=99999999999999999999', 'query-invalid', '?limit type'],
    ['open=yes', 'query-invalid', '?open type'],
    ['decision=clear', 'query-invalid', '?decision format'],
    ['from=yesterday', 'query-invalid', '?from format'],
    ['x=1', 'query-invalid', '?x unknown-member'],
    ['__proto__=1', 'query-invalid', '?__proto__ unknown-member'],
    ['constructor=1', 'query-invalid', '?constructor unknown-member'],
  ])('%s is refused', (query, code, violation) => {
    expect(refused(() => parse(query))).toEqual([code, [violation]]);
  });

  test('everything that is wrong is told at once', () => {
    expect(refused(() => parse('limit=1&limit=2&limit=3&foo=1&decision=bogus'))).toEqual([
      'query-invalid',
      ['?foo unknown-member', '?decision format', '?limit repeated'],
    ]);
    expect(refused(() => compileQuery(undefined)('x=1&y=2&x=3'))[1]).toEqual([
      '?x unknown-member',
      '?y unknown-member',
      '?x repeated',
    ]);
  });

  test.each(['a=%', 'a=%E0%A4%A', 'a=%FF', 'a=%00', '%00=1', 'a=%C0%AF', 'a=%ED%A0%80'])(
    '%s is no UTF-8',
    (query) => {
      expect(refused(() => splitQuery(query))[0]).toBe('query-invalid');
    },
  );

  test('length and number of parameters are bounded', () => {
    const long = `a=${'x'.repeat(QUERY_CHARS_MAX)}`;
    const many = Array.from({ length: QUERY_PARAMETERS_MAX + 1 }, (_, n) => `k${n}=1`).join('&');
    expect(refused(() => splitQuery(long))[0]).toBe('query-invalid');
    expect(refused(() => splitQuery(many))[0]).toBe('query-invalid');
  });

  test('an operation without parameters takes none', () => {
    expect(refused(() => compileQuery(undefined)('x=1'))).toEqual([
      'query-invalid',
      ['?x unknown-member'],
    ]);
  });
});

describe('path parameters', () => {
  const ID = '018f0000-0000-7000-8000-0000000000aa';

  test('ids are UUIDs in lower case, the rest are tokens', () => {
    expect(parsePathParameters(['case_id', 'sourceId'], [ID.toUpperCase(), 'OFAC_SDN'])).toEqual({
      case_id: ID,
      sourceId: 'OFAC_SDN',
    });
    expect(parsePathParameters(['version'], ['1.0.0'])).toEqual({ version: '1.0.0' });
    const chosen = { profile_id: 'generic-5.0', rule_id: 'TM-CASH-01' };
    expect(parsePathParameters(Object.keys(chosen), Object.values(chosen))).toEqual(chosen);
    expect(parsePathParameters(['ftm_id'], ['un-a%2Fb%20%C3%A9'])).toEqual({ ftm_id: 'un-a/b é' });
  });

  test.each([
    ['id', ''],
    ['id', '1'],
    ['id', `${ID}0`],
    ['id', `{${ID}}`],
    ['id', `${ID}\n`],
    ['runId', "' OR 1=1"],
    ['sourceId', '..'],
    ['sourceId', 'a/b'],
    ['sourceId', '$where'],
    ['rule_id', 'a/b'],
    ['version', 'x'.repeat(65)],
    ['version', '%41'],
    ['ftm_id', ''],
    ['ftm_id', '%00'],
    ['ftm_id', 'x'.repeat(257)],
  ])('{%s} of %j is refused', (name, value) => {
    const refusal = refused(() => parsePathParameters([name], [value]));
    expect(refusal).toEqual(['path-invalid', [`path:${name} format`]]);
  });

  test('every one that is wrong is told, a broken escape as such', () => {
    const values = ['%zz', '1', 'a%2Fb'];
    expect(() => parsePathParameters(['batch_id', 'runId', 'version'], values)).toThrow(
      expect.objectContaining({
        message:
          '{batch_id}: expected percent-encoded UTF-8 without NUL; {runId}: expected a UUID; ' +
          '{version}: expected 1 to 64 letters, digits, dots, hyphens or underscores',
        violations: [
          {
            code: 'format',
            detail: 'expected percent-encoded UTF-8 without NUL',
            pointer: 'path:batch_id',
          },
          { code: 'format', detail: 'expected a UUID', pointer: 'path:runId' },
          expect.objectContaining({ pointer: 'path:version' }),
        ],
      }),
    );
  });
});
