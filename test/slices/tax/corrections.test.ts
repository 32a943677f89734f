/** Corrections, amendments, voids and cancellations, by what the authority has on file. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type CreateDeclaration,
  cancelDeclaration,
  contentOf,
  createDeclaration,
  findDeclaration,
  openMessage,
  type ReportedAccount,
  readFindings,
  receiveCrsStatus,
  recordErrorsOf,
  recordsIn,
  settleCancellations,
  submitDeclaration,
  type TaxDeclaration,
  upsertAccounts,
  type WrittenRecord,
} from '#slices/tax';
import { makeSqliteHarness } from '../../storage/sqlite/harness.ts';
import { filingKit, refOf } from './filingKit.ts';
import { crsStatus } from './notificationKit.ts';
import { accountOf, GIIN, stateFi, TIN_CANARY } from './reporting.ts';
import { faultsOf } from './schemaFaults.ts';
import { ASK, openTaxDesk, type TaxDesk } from './taxDesk.ts';

const REASON = 'It was made of the wrong accounts.';
const refused = (code: string) => expect.objectContaining({ code });

let desk: TaxDesk;
let kit: ReturnType<typeof filingKit>;
beforeAll(async () => {
  desk = await openTaxDesk(makeSqliteHarness);
  kit = filingKit(desk);
  await stateFi(desk);
  await kit.channel({ kind: 'manual' });
});
afterAll(() => desk.close());

const american = (ref: string, amount = '1500.00'): ReportedAccount =>
  accountOf(ref, {
    balance: { amount, currency: 'USD' },
    fatca: { reportable: true },
    holder: { ...accountOf(ref).holder, tins: [{ country: 'US', value: '219099999' }] },
  });
const stated = (accounts: readonly ReportedAccount[], period: string) =>
  upsertAccounts(desk.ports, { ...ASK, accounts, giin: GIIN, period });

const made = async (period: string, type: CreateDeclaration['type'], more: object = {}) =>
  createDeclaration(desk.ports, {
    ...ASK,
    giin: GIIN,
    isTest: false,
    period,
    type,
    ...(type === 'FATCA1' && { filerCategory: 'FATCA601' }),
    ...more,
  } as CreateDeclaration);
const generated = async (...of: Parameters<typeof made>) => kit.generate(await made(...of));
const codesOf = async (of: TaxDeclaration) =>
  (await readFindings(desk.ports, of))
    .filter(({ severity }) => severity === 'error')
    .map(({ code }) => code);

/** The XML of a declaration's message, valid by its schema, and its records. */
async function written(of: TaxDeclaration) {
  const [message] = of.messages;
  if (message === undefined) throw new Error(`it has a message: ${await codesOf(of)}`);
  const pieces: Uint8Array[] = [];
  for await (const piece of await openMessage(desk.ports, of, message)) pieces.push(piece);
  const xml = Buffer.concat(pieces).toString();
  expect(await faultsOf(xml, of.schema)).toEqual([]);
  const records: WrittenRecord[] = [];
  async function* all() {
    yield* pieces;
  }
  for await (const record of recordsIn(all(), of.schema)) records.push(record);
  return { accounts: records.filter(({ kind }) => kind === 'AccountReport'), records, xml };
}

describe('under FATCA', () => {
  test('errors are corrected, changes amended, and each names the latest version', async () => {
    const period = '2015';
    await stated([american('A'), american('B')], period);
    const first = await generated(period, 'FATCA1');
    const before = await written(first);
    const [, , b] = before.records;
    const done = await kit.onFile(first, {
      groups: [[{ code: '8007', docRefId: b?.docRefId ?? '', fields: ['TIN'] }]],
    });
    expect(done).toMatchObject({ outcome: 'record_errors', status: 'accepted' });
    const { errors, total } = await recordErrorsOf(desk.ports, done, done.messages[0]?.filing);
    expect(errors).toMatchObject([{ code: '8007', docRefId: b?.docRefId }]);
    expect(total).toBe(1);
    const corrects = first.declarationId;
    const amended = await generated(period, 'FATCA4', { corrects });
    expect(await codesOf(amended)).toEqual(['corrects-not-correctable']);
    await cancelDeclaration(desk.ports, { ...ASK, ...amended, reason: REASON });

    await stated([american('B', '7.00')], period);
    const correction = await generated(period, 'FATCA2', { corrects });
    const second = await written(correction);
    expect(second.accounts).toMatchObject([{ corrDocRefId: b?.docRefId, type: 'corrected' }]);
    expect(new Set(second.records.map(({ type }) => type))).toEqual(new Set(['corrected']));
    expect(second.xml).toContain(`CorrMessageRefId>${first.messages[0]?.messageRefId}<`);
    await expect(made(period, 'FATCA4', { corrects })).rejects.toEqual(
      refused('declaration-exists'),
    );
    await kit.onFile(correction);

    await stated([american('A', '8.00'), american('B', '9.00')], period);
    const amendment = await generated(period, 'FATCA4', { corrects });
    const third = await written(amendment);
    expect(third.accounts.map(({ corrDocRefId }) => corrDocRefId)).toEqual(
      expect.arrayContaining([second.accounts[0]?.docRefId]),
    );
    expect(third.accounts).toHaveLength(2);
    await kit.onFile(amendment);
    const nothing = await generated(period, 'FATCA4', { corrects });
    expect(await codesOf(nothing)).toEqual(['corrects-not-correctable']);
    await cancelDeclaration(desk.ports, { ...ASK, ...nothing, reason: REASON });
    // What is on file is not reported a second time, and what is not, is.
    const twice = await generated(period, 'FATCA1');
    expect(await codesOf(twice)).toEqual(['no-reportable-accounts']);
    await cancelDeclaration(desk.ports, { ...ASK, ...twice, reason: REASON });
    await stated([american('C')], period);
    const more = await generated(period, 'FATCA1');
    expect((await written(more)).accounts).toHaveLength(1);
  });

  test('one record is voided as it was filed, and filed anew', async () => {
    const period = '2016';
    await stated([american('A'), american('B')], period);
    const first = await generated(period, 'FATCA1');
    const before = await written(first);
    await kit.onFile(first);
    await stated([american('A', '1.00')], period);
    const corrects = first.declarationId;
    const wrong = await generated(period, 'FATCA3', { corrects, records: ['Z'] });
    expect(await codesOf(wrong)).toContain('corrects-not-correctable');
    await cancelDeclaration(desk.ports, { ...ASK, ...wrong, reason: REASON });
    const voided = await generated(period, 'FATCA3', { corrects, records: ['A'] });
    const { accounts } = await written(voided);
    expect(accounts).toHaveLength(1);
    const original = before.accounts.find(({ docRefId }) => docRefId === accounts[0]?.corrDocRefId);
    expect(contentOf(accounts[0]?.xml ?? '')).toBe(contentOf(original?.xml ?? ''));
    await kit.onFile(voided);
    const anew = await written(await generated(period, 'FATCA1'));
    expect(anew.accounts).toHaveLength(1);
    expect(anew.xml).toContain('>1.00<');
  });

  test('a declaration is cancelled by one that voids all of it', async () => {
    const period = '2017';
    await stated([american('A'), american('B')], period);
    const first = await kit.onFile(await generated(period, 'FATCA1'));
    const asked = await cancelDeclaration(desk.ports, { ...ASK, ...first, reason: REASON });
    expect(asked).toMatchObject({ status: 'cancel_requested' });
    const voiding = await kit.generate({ declarationId: asked.voidedBy ?? '' });
    expect(voiding).toMatchObject({ accountCount: 2, status: 'submitted', type: 'FATCA3' });
    await written(voiding);
    await kit.onFile(voiding);
    expect(await kit.find(first)).toMatchObject({ status: 'cancellation_confirmed' });
    // Nothing is on file any more: the same accounts are new again.
    expect((await written(await generated(period, 'FATCA1'))).accounts).toHaveLength(2);
  });

  test('where its void is cancelled itself, a declaration stands as it was', async () => {
    const period = '2018';
    const first = await kit.onFile(await generated(period, 'FATCA1', { nilReport: true }));
    const asked = await cancelDeclaration(desk.ports, { ...ASK, ...first, reason: REASON });
    const declarationId = asked.voidedBy ?? '';
    await cancelDeclaration(desk.ports, { ...ASK, declarationId, reason: REASON });
    expect(await kit.find(first)).toMatchObject({ status: 'accepted' });
    const again = await cancelDeclaration(desk.ports, { ...ASK, ...first, reason: REASON });
    const voiding = await kit.generate({ declarationId: again.voidedBy ?? '' });
    expect((await written(voiding)).records.map(({ kind }) => kind)).toEqual([
      'ReportingFI',
      'NilReport',
    ]);
  });

  test('one whose void was altered keeps nobody else from being settled', async () => {
    const period = '2020';
    const first = await kit.onFile(await generated(period, 'FATCA1', { nilReport: true }));
    const { voidedBy } = await cancelDeclaration(desk.ports, { ...ASK, ...first, reason: REASON });
    const place = { declarationId: voidedBy ?? '', tenantId: first.tenantId };
    const { reference } = await findDeclaration(desk.ports, place);
    await desk.alter('tax_declaration', `"${reference}"`, '"TCR-0"');
    await expect(findDeclaration(desk.ports, place)).rejects.toEqual(refused('state-altered'));
    expect(await settleCancellations(desk.ports, first.tenantId)).toBeGreaterThan(0);
  });
});

describe('under CRS', () => {
  const answered = async (of: TaxDeclaration, word: string, errors?: string) => {
    await submitDeclaration(desk.ports, { ...ASK, ...of });
    const sent = await kit.file(of);
    const xml = crsStatus(refOf(sent), word, errors);
    const taken = await receiveCrsStatus(desk.ports, { ...ASK, bytes: xml });
    expect(taken).toMatchObject({ result: 'applied' });
    expect(await receiveCrsStatus(desk.ports, { ...ASK, bytes: xml })).toEqual(taken);
    return kit.find(of);
  };
  const MORE = { receivingCountry: 'DE', schema: 'crs-3.0' };

  test('a change is corrected, the institution repeated, and all of it voided', async () => {
    const period = '2022';
    const changed = (amount: string) => accountOf('K', { balance: { amount, currency: 'EUR' } });
    await stated([changed('1.00'), accountOf('L')], period);
    const first = await generated(period, 'OECD1', MORE);
    const before = await written(first);
    expect(await answered(first, 'Accepted')).toMatchObject({
      outcome: 'clean',
      status: 'accepted',
    });
    await stated([changed('2.00')], period);
    const corrects = first.declarationId;
    const correction = await generated(period, 'OECD2', { corrects });
    const second = await written(correction);
    expect(second.xml).toContain('CRS702');
    expect(second.xml).not.toContain('CorrMessageRefId');
    const [fi, account] = second.records;
    expect(second.records).toHaveLength(2);
    expect(fi).toMatchObject({ docRefId: before.records[0]?.docRefId, type: 'resent' });
    expect(account?.corrDocRefId).toBe(
      before.accounts.find(({ xml }) => xml.includes('>1.00<'))?.docRefId,
    );
    await answered(correction, 'Accepted');
    const asked = await cancelDeclaration(desk.ports, { ...ASK, ...first, reason: REASON });
    const voiding = await kit.generate({ declarationId: asked.voidedBy ?? '' });
    const third = await written(voiding);
    expect(third.accounts).toHaveLength(2);
    expect(third.accounts.map(({ corrDocRefId }) => corrDocRefId)).toContain(account?.docRefId);
    const sent = await kit.file(voiding);
    await receiveCrsStatus(desk.ports, { ...ASK, bytes: crsStatus(refOf(sent), 'Accepted') });
    expect(await kit.find(first)).toMatchObject({ status: 'cancellation_confirmed' });
  });

  test('a record that the authority has found wrong is read, and corrected', async () => {
    const period = '2024';
    await stated([accountOf('K'), accountOf('L')], period);
    const first = await generated(period, 'OECD1', MORE);
    const [, record] = (await written(first)).records;
    const error =
      `<RecordError><Code>60000</Code><DocRefIDInError>${record?.docRefId}</DocRefIDInError>` +
      '</RecordError>';
    const done = await answered(first, 'Accepted', error);
    expect(done).toMatchObject({ outcome: 'record_errors', status: 'accepted' });
    const found = await recordErrorsOf(desk.ports, done, done.messages[0]?.filing);
    expect(found).toMatchObject({ errors: [{ code: '60000', docRefId: record?.docRefId }] });
    await stated([accountOf('K', { balance: { amount: '3.00', currency: 'EUR' } })], period);
    const correction = await generated(period, 'OECD2', { corrects: first.declarationId });
    expect((await written(correction)).accounts).toHaveLength(1);
  });

  test('what is rejected is generated again, and an unknown message is for review', async () => {
    const period = '2023';
    await stated([accountOf('K')], period);
    const error = '<FileError><Code>50007</Code></FileError>';
    const rejected = await answered(await generated(period, 'OECD1', MORE), 'Rejected', error);
    expect(rejected).toMatchObject({ status: 'rejected' });
    expect(rejected.messages[0]?.filing).toMatchObject({ cause: 'message', code: '50007' });
    const xml = crsStatus(`FR2023DE${'0'.repeat(32)}`, 'Accepted');
    expect(await receiveCrsStatus(desk.ports, { ...ASK, bytes: xml })).toMatchObject({
      result: 'needs_review',
    });
    await expect(
      receiveCrsStatus(desk.ports, { ...ASK, bytes: Buffer.from('<a/>') }),
    ).rejects.toEqual(refused('notification-invalid'));
  });
});

describe('what follows on nothing', () => {
  test.each<[string, CreateDeclaration['type'], object, string]>([
    ['no declaration', 'FATCA2', {}, 'corrects-required'],
    ['an unknown one', 'FATCA2', { corrects: 'x' }, 'corrects-not-correctable'],
    ['new data', 'FATCA1', { corrects: 'x' }, 'declaration-invalid'],
  ])('%s is refused', async (_name, type, more, code) => {
    await expect(made('2019', type, more)).rejects.toEqual(refused(code));
  });

  test('a draft, and another period, are refused', async () => {
    const draft = await made('2020', 'FATCA1', { nilReport: true });
    const corrects = draft.declarationId;
    for (const period of ['2020', '2021']) {
      await expect(made(period, 'FATCA3', { corrects })).rejects.toEqual(
        refused('corrects-not-correctable'),
      );
    }
  });
});

test('no tax number stands in an entry or outside a sealed blob', async () => {
  const entries = await desk.entries('tcr.declaration.answered');
  expect(entries.length).toBeGreaterThan(3);
  expect(JSON.stringify(entries)).not.toContain('219099999');
  for (const bytes of desk.blobs.values()) {
    expect(Buffer.from(bytes).includes(TIN_CANARY)).toBe(false);
    expect(Buffer.from(bytes).includes('219099999')).toBe(false);
  }
});
