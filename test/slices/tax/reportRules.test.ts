/** What a report must say beyond its schema. */
import { describe, expect, test } from 'vitest';
import { accountFindings, isIsin, type ReportedAccount } from '#slices/tax';
import { accountOf, entity, PERIOD } from './reporting.ts';

describe('rules beyond the schemas', () => {
  const context = {
    igaModel: 'model_1',
    isExchange: true,
    period: PERIOD,
    receivingCountry: 'DE',
    schema: 'crs-3.0',
  } as const;
  const person = accountOf('A').holder;
  const organisation = { ...entity.holder, residence_countries: ['DE'] };
  const good = accountOf('A', { holder: { ...person, tins: [] } });

  test.each<[string, Partial<ReportedAccount>, object]>([
    ['60000', { account_number: 'DE00', account_number_type: 'OECD601' }, {}],
    ['60001', { account_number: 'US0378331006', account_number_type: 'OECD603' }, {}],
    ['60003', { closed: true }, {}],
    ['60005', { ...entity, crs: { holder_type: 'CRS102', reportable_jurisdictions: ['DE'] } }, {}],
    ['60006', { ...entity, controlling_persons: [] }, {}],
    ['60011', {}, { receivingCountry: 'IT' }],
    [
      '60012',
      { crs: { holder_type: 'CRS102', reportable_jurisdictions: [] }, holder: organisation },
      { receivingCountry: 'FR' },
    ],
    [
      '60012',
      {
        ...entity,
        controlling_persons: [
          ...(entity.controlling_persons ?? []),
          { party: { ...person, residence_countries: ['IT'] }, roles: ['CRS801'], self_cert: true },
        ],
      },
      {},
    ],
    ['60014', { holder: { ...person, birth: { date: '1899-12-31' } } }, {}],
    ['60017', { account_number_type: 'OECD606', account_type: 'CRS1102' }, {}],
    ['60019', { account_type: 'CRS1102', equity_interest_types: ['CRS401'] }, {}],
    ['crs-missing', { self_cert: undefined as never }, {}],
    ['crs-tin', { holder: { ...person, tins: [{ country: 'DE', value: '1' }] } }, {}],
    ['chars', { account_number: 'A\u0007' }, {}],
    ['fatca-tin', { fatca: { reportable: true } }, { schema: 'fatca-2.0' }],
    [
      'fatca-owners',
      { ...entity, fatca: { holder_type: 'FATCA102', reportable: true } },
      { schema: 'fatca-2.0' },
    ],
  ])('%s is found, and nothing where all is right', (code, changes, more) => {
    const codes = (of: ReportedAccount, by: object) =>
      accountFindings(of, { ...context, ...by }).map((one) => one.code);
    expect(codes({ ...good, ...changes }, more)).toContain(code);
    expect(codes(good, {})).toEqual([]);
  });

  test('check digits of securities', () => {
    expect(isIsin('US0378331005')).toBe(true);
    expect(isIsin('US0378331006')).toBe(false);
  });
});
