/** MT103: every option of the parties, files, published samples, and what is refused. */
import { describe, expect, test } from 'vitest';
import { creditTransfer, mt103, pacs008, read, refusalOf } from './messages.ts';
import { dataFolder, sample } from './publishedMessages.ts';

const FORMAT = 'swift_mt103';

const only = (text: string) => {
  const { refusals, transactions } = read(FORMAT, text);
  expect(refusals).toEqual([]);
  expect(transactions).toHaveLength(1);
  return transactions[0]?.transaction;
};

describe('a message', () => {
  test('becomes one record', () => {
    expect(only(mt103())).toEqual({
      account_id: '4711',
      amount: '1000.00',
      charges: { bearer: 'SHAR' },
      creditor: {
        account: { iban: 'DE89370400440532013000' },
        address: { lines: ['BERLIN'] },
        name: 'TAREK VELMORANI',
      },
      creditor_agent: { bic: 'BBBBDEFF' },
      currency: 'EUR',
      debtor: {
        account: { other: '4711' },
        address: { lines: ['1 RUE DE LYON', '69001 LYON'] },
        name: 'ANNA MARTIN',
      },
      debtor_agent: { bic: 'AAAAGB2L' },
      direction: 'transit',
      instructed: { amount: '1100.50', currency: 'USD' },
      instructed_agent: { bic: 'BBBBDEFF' },
      instructing_agent: { bic: 'AAAAGB2L' },
      instruction_id: 'REF-1',
      occurred_at: '2026-03-05T12:00:00.000Z',
      precision: 'day',
      quality: ['address-lines-only', 'name-may-wrap'],
      references: { sender_reference: 'REF-1', service: 'CRED' },
      remittance: ['INVOICE 12'],
      tx_id: '00000000-0000-4000-b221-3244f5d5c293:AAAAGB2L:BBBBDEFF',
      uetr: '00000000-0000-4000-b221-3244f5d5c293',
      value_date: '2026-03-05',
    });
  });

  test('and the same payment as pacs.008 have one id, amount, accounts and banks', () => {
    const transaction = creditTransfer({
      Cdtr: '<Nm>TAREK VELMORANI</Nm>',
      CdtrAcct: '<Id><IBAN>DE89370400440532013000</IBAN></Id>',
      Dbtr: '<Nm>ANNA MARTIN</Nm>',
      DbtrAcct: '<Id><Othr><Id>4711</Id></Othr></Id>',
    });
    const mx = read('iso20022_pacs008', pacs008({ transaction })).transactions[0]?.transaction;
    const mt = only(mt103());
    const shared = (one: typeof mt) => ({
      account_id: one?.account_id,
      amount: one?.amount,
      charges: one?.charges,
      creditor: { ...one?.creditor, address: undefined },
      currency: one?.currency,
      debtor: { ...one?.debtor, address: undefined },
      direction: one?.direction,
      instructed: one?.instructed,
      tx_id: one?.tx_id,
      uetr: one?.uetr,
      value_date: one?.value_date,
    });
    expect(shared(mt)).toEqual(shared(mx));
  });

  test('without a UETR is known by sender, reference and date', () => {
    expect(only(mt103({}, { user: '{108:X}' }))?.tx_id).toBe('AAAAGB2L:REF-1:2026-03-05');
  });

  test('that was received says when it was sent', () => {
    const application = 'O1031030260305BBBBDEFFAXXX00000000002603051031N';
    const one = only(mt103({}, { application }));
    expect(one).toMatchObject({
      instructed_agent: { bic: 'AAAAGB2L' },
      instructing_agent: { bic: 'BBBBDEFF' },
      occurred_at: '2026-03-05T10:30:00.000Z',
      precision: 'ms',
    });
    expect(only(mt103({ '13C': '/SNDTIME/1159+0200' }))).toMatchObject({
      instructions: ['/SNDTIME/1159+0200'],
      occurred_at: '2026-03-05T09:59:00.000Z',
    });
  });
});

describe('the parties', () => {
  const debtor = (tag: string, text: string) => only(mt103({ '50K': '', [tag]: text }))?.debtor;
  const creditor = (tag: string, text: string) => only(mt103({ '59': '', [tag]: text }))?.creditor;

  test('by option A are an account and a BIC', () => {
    expect(debtor('50A', '/4711\r\nAAAAGB2LXXX')).toEqual({
      account: { other: '4711' },
      bic: 'AAAAGB2LXXX',
    });
    expect(creditor('59A', 'AAAAGB2L')).toEqual({ bic: 'AAAAGB2L' });
  });

  test('by option F are numbered lines', () => {
    const lines = [
      '/FR1420041010050500013M02606',
      '1/ANNA',
      '1/MARTIN',
      '2/1 RUE DE LYON',
      '2/B 4',
      '3/FR/LYON 69001',
      '4/19710314',
      '5/FR/NICE',
      '6/FR/BANK/12345',
      '7/FR/9876',
      '8/54321',
    ];
    expect(debtor('50F', lines.join('\r\n'))).toEqual({
      account: { iban: 'FR1420041010050500013M02606' },
      address: { country: 'FR', lines: ['B 4'], street: '1 RUE DE LYON', town: 'LYON 69001' },
      birth_place: 'NICE, FR',
      dob: '1971-03-14',
      ids: [
        { country: 'FR', id: '12345', issuer: 'BANK', scheme: 'CUST' },
        { country: 'FR', id: '987654321', scheme: 'NIDN' },
      ],
      name: 'ANNA MARTIN',
    });
  });

  test('by option F may be known by a document', () => {
    expect(debtor('50F', 'CCPT/FR/12AB34567\r\n1/ANNA MARTIN')).toEqual({
      ids: [{ country: 'FR', id: '12AB34567', scheme: 'CCPT' }],
      name: 'ANNA MARTIN',
    });
  });

  test('by option F need no street', () => {
    expect(creditor('59F', '/4711\r\n1/TAREK\r\n3/DE/BERLIN')).toEqual({
      account: { other: '4711' },
      address: { country: 'DE', town: 'BERLIN' },
      name: 'TAREK',
    });
  });

  test('get their country of residence from 77B', () => {
    const one = only(mt103({ '77B': '/ORDERRES/BE//MEILAAN 1\r\n//9000 GENT\r\n/BENEFRES/DE' }));
    expect(one?.debtor?.country_of_residence).toBe('BE');
    expect(one?.creditor?.country_of_residence).toBe('DE');
    expect(one?.regulatory).toHaveLength(3);
  });
});

describe('other fields', () => {
  test('agents by each option', () => {
    const one = only(
      mt103({
        '52A': '/ACC-1\r\nCCCCFRPP',
        '53B': '/C/998877',
        '54D': 'BANK OF SOMEWHERE\r\nPARIS',
        '56C': '//FW021000021',
        '57D': '//CH123456\r\nBANK\r\nBERN',
      }),
    );
    expect(one).toMatchObject({
      creditor_agent: { clearing: { member: '123456', system: 'CH' }, name: 'BANK, BERN' },
      debtor_agent: { account: 'ACC-1', bic: 'CCCCFRPP' },
      intermediaries: [{ clearing: { member: '021000021', system: 'FW' } }],
      reimbursement: [{ account: '998877' }, { name: 'BANK OF SOMEWHERE, PARIS' }],
    });
  });

  test('texts go on where a line is full, and instructions where it begins with //', () => {
    const full = 'X'.repeat(35);
    const one = only(
      mt103({
        '70': `/ROC/E2E-7\r\n${full}\r\nREST`,
        '72': '/INS/AAAAGB2L\r\n/REC/HELLO\r\n//WORLD',
      }),
    );
    expect(one?.remittance).toEqual(['/ROC/E2E-7', `${full}REST`]);
    expect(one?.end_to_end_id).toBe('E2E-7');
    expect(one?.instructions).toEqual(['/INS/AAAAGB2L', '/REC/HELLO WORLD']);
  });

  test('charges, rate and codes', () => {
    const one = only(
      mt103({
        '23E': 'SDVA',
        '26T': 'K90',
        '36': '1,1005',
        '71A': 'OUR',
        '71F': 'EUR5,',
        '71G': 'EUR2,5',
      }),
    );
    expect(one).toMatchObject({
      charges: {
        bearer: 'DEBT',
        items: [
          { amount: '5.00', currency: 'EUR' },
          { amount: '2.50', currency: 'EUR' },
        ],
      },
      exchange_rate: '1.1005',
      instructions: ['SDVA'],
      references: { transaction_type: 'K90' },
    });
  });

  test('what the standard does not have is named, and nothing refused for it', () => {
    const one = only(mt103({ '77T': '/NARR/FREE' }));
    expect(one?.quality).toContain('field-kept-raw:77T');
    expect(only(mt103({ '70': 'CAFÉ' }))?.quality).toContain('charset');
  });
});

describe('a message is refused alone', () => {
  const refusal = (text: string) => read(FORMAT, text).refusals[0];

  test('with line and tag', () => {
    expect(refusal(mt103({ '32A': '260305EUR1000' }))).toMatchObject({
      code: 'format',
      index: 0,
      line: 4,
      pointer: '/32A',
    });
    expect(refusal(mt103({ '32A': '260305JPY1,5' }))).toMatchObject({ code: 'precision' });
    expect(refusal(mt103({ '32A': '260230EUR1,' }))).toMatchObject({ pointer: '/32A' });
    expect(refusal(mt103({ '71A': 'ALL' }))).toMatchObject({ pointer: '/71A' });
    expect(refusal(mt103({ '57A': 'NOT A BIC' }))).toMatchObject({ pointer: '/57A' });
    expect(refusal(mt103({ '50K': '' }))).toMatchObject({ code: 'missing', pointer: '/50' });
    expect(refusal(mt103({ '50A': 'AAAAGB2L' }))).toMatchObject({
      code: 'occurs',
      pointer: '/50K',
    });
    expect(refusal(mt103({ '50F': '1/A\r\nB', '50K': '' }))).toMatchObject({ pointer: '/50F' });
  });

  test('of another type, or where the transport has refused it', () => {
    expect(refusal(mt103({}, { application: 'I202BBBBDEFFXXXXN' }))).toMatchObject({
      code: 'mt-type-unsupported',
    });
    const ack = (code: number) => `{1:F21AAAAGB2LAXXX0000000000}{4:{177:2603051030}{451:${code}}}`;
    expect(refusal(`${ack(1)}${mt103()}`)).toMatchObject({ code: 'message-nak' });
    expect(read(FORMAT, `${ack(0)}${mt103()}`).transactions).toHaveLength(1);
  });

  test('and the others of its file are taken, whatever parts them', () => {
    for (const parting of ['', '$', '\r\n', '\n$\n', '}\r\n$']) {
      const file = [mt103(), mt103({ '71A': 'ALL' }), mt103()].join(parting);
      const { refusals, transactions } = read(FORMAT, file);
      expect(transactions.map(({ index }) => index)).toEqual([0, 2]);
      expect(refusals.map(({ index }) => index)).toEqual([1]);
    }
  });

  test('lines may end in LF alone', () => {
    expect(only(mt103().replaceAll('\r', ''))).toEqual(only(mt103()));
  });
});

describe('a file whose blocks do not balance is refused', () => {
  test.each([
    ['', ''],
    ['text', 'no message'],
    ['cut off', mt103().slice(0, -2)],
    ['a message within one', mt103().replace('\r\n-}', `\r\n${mt103()}`)],
    ['text between', `${mt103()}x${mt103()}`],
    ['an open block', '{1:F01AAAA'],
  ])('%s', (_, text) => {
    expect(refusalOf(FORMAT, text)?.code).toBe('mt-malformed');
  });
});

describe.skipIf(!dataFolder)('published messages', () => {
  const counts = (name: string) => {
    const { refusals, transactions } = read(FORMAT, sample(`mt103/${name}`));
    return [transactions.length, refusals.map(({ code }) => code)];
  };

  test.each([
    'cbpr_custom__mt103_a_2014.fin',
    'cbpr_custom__mt103_a_2015.fin',
    'cbpr_custom__mt103_a_2016.fin',
    'cbpr_custom__mt103_fin2.fin',
    'cbpr_custom__mt103_fin3.fin',
    'cbpr_custom__mt103_pacs008.fin',
  ])('%s is one transaction', (name) => {
    expect(counts(name)).toEqual([1, []]);
  });

  test('files of several, with their acknowledgements', () => {
    const [bulk, none] = counts('prowide_MT103-bulk-with-ack.rje');
    const [out, others] = counts('prowide_MT103-out-ack.rje');
    expect([none, others]).toEqual([[], []]);
    expect(Number(bulk) + Number(out) + 6).toBe(22);
  });

  test('another type is no MT103', () => {
    expect(counts('prowide_MT101.fin')).toEqual([0, ['mt-type-unsupported']]);
  });
});
