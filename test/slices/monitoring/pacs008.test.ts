/** pacs.008 of every version: published samples, messages of our own, and what is refused. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { creditTransfer, pacs008, read, refusalOf } from './messages.ts';
import { dataFolder, sample } from './publishedMessages.ts';

const FORMAT = 'iso20022_pacs008';
const UETR = '00000000-0000-4000-b221-3244f5d5c293';

const only = (text: string | Buffer, context?: Parameters<typeof read>[2]) => {
  const { refusals, transactions } = read(FORMAT, text, context);
  expect(refusals).toEqual([]);
  return transactions.map(({ transaction }) => transaction);
};

describe('a message of our own', () => {
  test('becomes one record', () => {
    expect(only(pacs008())).toEqual([
      {
        account_id: 'FR1420041010050500013M02606',
        amount: '1000.00',
        charges: { bearer: 'SHAR' },
        creditor: { account: { other: '4711' }, name: 'محمد علي' },
        creditor_agent: { bic: 'BBBBDEFFXXX' },
        currency: 'EUR',
        debtor: {
          account: { iban: 'FR1420041010050500013M02606' },
          address: { country: 'FR', town: 'Lyon' },
          name: 'Anna & Söhne',
        },
        debtor_agent: { bic: 'AAAAGB2LXXX' },
        direction: 'transit',
        end_to_end_id: 'E-1',
        instructed: { amount: '1100.50', currency: 'USD' },
        instructed_agent: { bic: 'BBBBDEFF' },
        instructing_agent: { bic: 'AAAAGB2LXXX' },
        instruction_id: 'I-1',
        occurred_at: '2026-03-05T08:59:58.500Z',
        precision: 'ms',
        references: { message_id: 'M-1', settlement_method: 'INDA' },
        remittance: ['Invoice 12'],
        tx_id: `${UETR}:AAAAGB2L:BBBBDEFF`,
        uetr: UETR,
        value_date: '2026-03-05',
      },
    ]);
  });

  test('means the same with a prefix, and in an envelope', () => {
    const plain = only(pacs008());
    expect(only(pacs008({ prefix: 'ns3' }))).toEqual(plain);
    const bare = pacs008().replace(/^<\?xml.*?\?>/, '');
    const header =
      '<h:AppHdr xmlns:h="urn:iso:std:iso:20022:tech:xsd:head.001.001.02">' +
      '<h:BizMsgIdr>x</h:BizMsgIdr></h:AppHdr>';
    expect(only(`<Envelope>${header}${bare}</Envelope>`)).toEqual(plain);
    expect(only(`<e:Box xmlns:e="urn:any">${header}${bare}</e:Box>`)).toEqual(plain);
  });

  test('has a side for each account of the tenant', () => {
    const own = (bics: string[], ibans: string[] = []) => ({
      ownBics: new Set(bics),
      ownIbans: ibans,
      zone: 'UTC',
    });
    const sides = (context: ReturnType<typeof own>) =>
      only(pacs008(), context).map(({ account_id, direction }) => [direction, account_id]);
    expect(sides(own(['AAAAGB2L']))).toEqual([['debit', 'FR1420041010050500013M02606']]);
    expect(sides(own(['BBBBDEFF']))).toEqual([['credit', '4711']]);
    expect(sides(own([], ['FR14']))).toEqual([['debit', 'FR1420041010050500013M02606']]);
    expect(sides(own(['AAAAGB2L', 'BBBBDEFF']))).toEqual([
      ['debit', 'FR1420041010050500013M02606'],
      ['credit', '4711'],
    ]);
    const ids = only(pacs008(), own(['AAAAGB2L', 'BBBBDEFF'])).map(({ tx_id }) => tx_id);
    expect(new Set(ids).size).toBe(2);
  });

  test('gives its header to each transaction, and each has its own id', () => {
    const transaction = creditTransfer({
      InstdAgt: '',
      InstgAgt: '',
      IntrBkSttlmDt: '',
      PmtId: '<EndToEndId>E</EndToEndId><TxId>T</TxId>',
    });
    const header = '<IntrBkSttlmDt>2026-03-06</IntrBkSttlmDt>';
    const [one] = only(pacs008({ header, transaction }));
    expect(one).toMatchObject({ tx_id: '-:M-1:T', value_date: '2026-03-06' });
  });

  test('without an offset is of the tenant’s zone, and says so', () => {
    const transaction = creditTransfer({ AccptncDtTm: '2026-07-05T09:00:00' });
    const [one] = only(pacs008({ transaction }), {
      ownBics: new Set(),
      ownIbans: [],
      zone: 'Europe/Paris',
    });
    expect(one).toMatchObject({
      occurred_at: '2026-07-05T07:00:00.000Z',
      quality: ['no-offset'],
    });
  });

  test('is taken with what is missing named: no payment is lost over poor data', () => {
    const transaction = creditTransfer({
      Cdtr: '<PstlAdr><AdrLine>Somewhere 1</AdrLine></PstlAdr>',
      DbtrAcct: '',
    });
    const [one] = only(pacs008({ transaction }));
    expect(one?.quality).toEqual([
      'account-missing',
      'address-lines-only',
      'creditor-name-missing',
    ]);
    expect(one?.account_id).toBe(`none:${one?.tx_id}`);
  });
});

describe('a message is refused as a whole', () => {
  const invalid = (text: string, pointer: string) =>
    expect(refusalOf(FORMAT, text)).toEqual({ code: 'message-invalid', pointer });
  const at = '/Document/FIToFICstmrCdtTrf/CdtTrfTxInf/0';

  test('where an element is out of order, missing, repeated or unknown', () => {
    invalid(pacs008({ transaction: creditTransfer({ ChrgBr: '' }) }), at);
    invalid(pacs008({ transaction: creditTransfer({ ChrgBr: '<Zzz>1</Zzz>' }) }), `${at}/ChrgBr`);
    invalid(pacs008({ transaction: creditTransfer({ PmtId: '<UETR>x</UETR>' }) }), `${at}/PmtId`);
    const twice = '<ChrgBr>SHAR</ChrgBr><ChrgBr>SHAR</ChrgBr>';
    invalid(pacs008({ transaction: creditTransfer({ ChrgBr: twice }) }), at);
  });

  test('where a text is of another type', () => {
    const wrong = (name: string, content: string, place = `${at}/${name}`) =>
      invalid(pacs008({ transaction: creditTransfer({ [name]: content }) }), place);
    wrong('ChrgBr', 'XXXX');
    wrong('IntrBkSttlmDt', '2026-02-30');
    wrong('AccptncDtTm', '2026-03-05');
    wrong('IntrBkSttlmAmt', '<IntrBkSttlmAmt Ccy="EUR">-1</IntrBkSttlmAmt>');
    wrong('IntrBkSttlmAmt', '<IntrBkSttlmAmt Ccy="EUR">1.000001</IntrBkSttlmAmt>');
    wrong('IntrBkSttlmAmt', '<IntrBkSttlmAmt>1</IntrBkSttlmAmt>');
    wrong('IntrBkSttlmAmt', '<IntrBkSttlmAmt Ccy="EUR" x="1">1</IntrBkSttlmAmt>');
    wrong('Dbtr', '<Nm></Nm>', `${at}/Dbtr/Nm`);
    wrong('Dbtr', `<Nm>${'x'.repeat(141)}</Nm>`, `${at}/Dbtr/Nm`);
  });

  test('where its control figures are of another message', () => {
    const group = '/Document/FIToFICstmrCdtTrf/GrpHdr';
    invalid(pacs008().replace('<NbOfTxs>1', '<NbOfTxs>2'), `${group}/NbOfTxs`);
    const sum = (text: string) => pacs008({ count: 2, header: `<CtrlSum>${text}</CtrlSum>` });
    invalid(sum('1000'), `${group}/CtrlSum`);
    expect(only(sum('2000.00'))).toHaveLength(2);
    const total = '<TtlIntrBkSttlmAmt Ccy="EUR">999</TtlIntrBkSttlmAmt>';
    invalid(pacs008({ header: total }), `${group}/TtlIntrBkSttlmAmt`);
  });

  test('where it is another message or version, or none', () => {
    const code = (text: string) => refusalOf(FORMAT, text)?.code;
    expect(code(pacs008({ version: '14' }))).toBe('message-version-unsupported');
    expect(code(pacs008().replaceAll('pacs.008', 'pacs.009'))).toBe('message-version-unsupported');
    expect(code('<a/>')).toBe('message-invalid');
    expect(code('')).toBe('message-malformed');
  });

  test('and one transaction alone where only its amount is wrong', () => {
    const yen = creditTransfer({
      IntrBkSttlmAmt: '<IntrBkSttlmAmt Ccy="JPY">1.5</IntrBkSttlmAmt>',
    });
    const { refusals, transactions } = read(
      FORMAT,
      pacs008({ transaction: `${creditTransfer()}${yen}` }).replace('<NbOfTxs>1', '<NbOfTxs>2'),
    );
    expect(transactions.map(({ index }) => index)).toEqual([0]);
    expect(refusals).toMatchObject([{ code: 'precision', index: 1, pointer: '/amount' }]);
  });
});

describe.skipIf(!dataFolder)('published messages', () => {
  const files = (folder: string) =>
    dataFolder
      ? readdirSync(join(dataFolder, 'payments', folder)).filter((name) => name.endsWith('.xml'))
      : [];

  /** They name banks by BIC, which their own schemas call BICFI. */
  const isOfOtherSchema = (name: string) => /\.0[34]\.xml$/.test(name);

  test.each(files('pacs008_by_version').filter(isOfOtherSchema))('%s is refused', (name) => {
    expect(refusalOf(FORMAT, sample(`pacs008_by_version/${name}`))).toEqual({
      code: 'message-invalid',
      pointer: '/Document/FIToFICstmrCdtTrf/CdtTrfTxInf/0/DbtrAgt/FinInstnId',
    });
  });

  const others = files('pacs008_by_version').filter((name) => !isOfOtherSchema(name));
  test.each(others)('%s', (name) => {
    const [one, ...more] = only(sample(`pacs008_by_version/${name}`));
    expect(more).toEqual([]);
    expect(one).toMatchObject({
      amount: '1000.00',
      creditor: { name: 'Creditor Ltd' },
      creditor_agent: { bic: 'COBADEFF' },
      currency: 'EUR',
      debtor: { name: 'Debtor Corp' },
      debtor_agent: { bic: 'DEUTDEFF' },
      occurred_at: '2026-01-15T10:30:00.000Z',
      quality: ['account-missing', 'no-offset'],
    });
  });

  const planted = {
    'cbpr__pacs008_invalid.xml': '',
    'cbpr_y2025_cbprplus_pacs008_sequence_addr.xml': '/Dbtr/PstlAdr',
  };
  const good = files('pacs008_samples').filter((name) => !(name in planted));
  test.each(good)('%s', (name) => {
    const found = only(sample(`pacs008_samples/${name}`));
    expect(found.length).toBeGreaterThan(0);
  });

  test.each(Object.entries(planted))('%s is refused for its planted defect', (name, place) => {
    expect(refusalOf(FORMAT, sample(`pacs008_samples/${name}`))).toEqual({
      code: 'message-invalid',
      pointer: `/Document/FIToFICstmrCdtTrf/CdtTrfTxInf/0${place}`,
    });
  });
});
