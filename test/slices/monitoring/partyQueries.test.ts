/** Whom a transaction names: every party and agent, and each reading of what may be a name. */
import { describe, expect, test } from 'vitest';
import { mt103Transactions } from '../../../src/slices/monitoring/mt103Transactions.ts';
import { bicsOf, partyQueries } from '../../../src/slices/monitoring/partyQueries.ts';
import { transactionOf } from './ledger.ts';
import { CONTEXT, mt103 } from './messages.ts';

const namesOf = (of: ReturnType<typeof partyQueries>) =>
  of.map(({ place, query, reading, role }) => [
    [role, place, reading].filter((one) => one !== undefined).join(' '),
    query?.name,
  ]);

describe('the parties of a transaction', () => {
  test('are compared by all that tells them from others', () => {
    const transaction = transactionOf(1, {
      creditor: {
        bic: 'DEUTDEFF',
        lei: '529900T8BM49AURSDO55',
        name: 'Velmora GmbH',
        type: 'organisation',
      },
      debtor: {
        dob: '1971-03-14',
        ids: [{ id: 'X123456' }],
        name: 'Tarek Velmorani',
        type: 'person',
      },
    });
    expect(partyQueries(transaction)).toEqual([
      {
        query: {
          dob: '1971-03-14',
          identifiers: ['X123456'],
          name: 'Tarek Velmorani',
          schema: 'Person',
          transliterations: [],
        },
        role: 'debtor',
      },
      {
        query: {
          identifiers: ['529900T8BM49AURSDO55', 'DEUTDEFF'],
          name: 'Velmora GmbH',
          schema: 'Company',
          transliterations: [],
        },
        role: 'creditor',
      },
    ]);
  });

  test('have places in their lists, and none is left out for want of a name', () => {
    const transaction = transactionOf(1, {
      creditor: {},
      debtor_agent: { bic: 'DEUTDEFF' },
      intermediaries: [{ bic: 'AAAAGB2L' }, { name: 'Bank of Somewhere' }],
      ultimate_debtor: { name: '---' },
    });
    expect(namesOf(partyQueries(transaction))).toEqual([
      ['creditor', undefined],
      ['ultimate_debtor', undefined],
      ['debtor_agent', undefined],
      ['intermediaries 0', undefined],
      ['intermediaries 1', 'Bank of Somewhere'],
    ]);
  });

  test('who has a listed BIC is compared by the name under which it is listed, too', () => {
    const transaction = transactionOf(1, {
      creditor: { bic: 'ORVAZZ2A', name: 'Trading House' },
      creditor_agent: { bic: 'ORVAZZ2A123' },
      debtor_agent: { bic: 'DEUTDEFF' },
      intermediaries: [{ bic: 'ORVAZZ2A' }],
    });
    const banks = new Map([
      ['ORVAZZ2A', ['Orvanta Bank', 'Bank Orvanta']],
      ['ORVAZZ2A123', ['Orvanta Bank']],
    ]);
    const queries = partyQueries(transaction, banks);
    expect(namesOf(queries)).toEqual([
      ['creditor 0', 'Trading House'],
      ['creditor 1', 'Orvanta Bank'],
      ['creditor 2', 'Bank Orvanta'],
      ['debtor_agent', undefined],
      ['creditor_agent', 'Orvanta Bank'],
      ['intermediaries 0 0', 'Orvanta Bank'],
      ['intermediaries 0 1', 'Bank Orvanta'],
    ]);
    expect(queries[4]?.query).toEqual({
      identifiers: ['ORVAZZ2A123'],
      name: 'Orvanta Bank',
      transliterations: [],
    });
    expect(bicsOf(transaction)).toEqual(['ORVAZZ2A', 'DEUTDEFF', 'ORVAZZ2A123', 'ORVAZZ2A']);
  });

  test('of an MT103 are read in each way that their lines allow', () => {
    const text = mt103({ '50K': '/123\r\nABDUL RAHMAN\r\nAL HAKIM\r\nSIDI BOU' });
    const { transactions } = mt103Transactions(Buffer.from(text), CONTEXT);
    const [first] = transactions;
    const debtor = first && namesOf(partyQueries(first.transaction)).slice(0, 3);
    expect(debtor).toEqual([
      ['debtor 0', 'ABDUL RAHMAN'],
      ['debtor 1', 'ABDUL RAHMAN AL HAKIM'],
      ['debtor 2', 'AL HAKIM'],
    ]);
  });
});
