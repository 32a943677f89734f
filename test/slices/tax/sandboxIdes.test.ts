/**
 * A sandbox from its invented accounts to the answer of its IDES, which is read as the IRS's is;
 * with a fault of each kind planted; and a worker that dies while it hands a package over.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeSelfSigned } from '#platform/selfSignedCertificate';
import {
  createDeclaration,
  DEMO_ACCOUNTS,
  DEMO_FI,
  DEMO_FILER_CATEGORY,
  DEMO_GIIN,
  demoAccounts,
  FILE_CODES,
  fileMessage,
  IRS,
  openWay,
  readFindings,
  recordErrorsOf,
  saveChannel,
  saveReportingFi,
  submitDeclaration,
  upsertAccounts,
} from '#slices/tax';
import { makeSqliteHarness } from '../../storage/sqlite/harness.ts';
import { filingKit } from './filingKit.ts';
import { ASK, openTaxDesk, type TaxDesk } from './taxDesk.ts';

const REJECTING = Object.entries(FILE_CODES).flatMap(([code, { effect }]) =>
  effect === 'rejected' ? [code] : [],
);

describe('the IDES of a sandbox', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-ides-'));
  let desk: TaxDesk;
  let kit: ReturnType<typeof filingKit>;
  beforeAll(async () => {
    desk = await openTaxDesk(makeSqliteHarness);
    kit = filingKit(desk);
    await saveReportingFi(desk.ports, { ...ASK, content: DEMO_FI, giin: DEMO_GIIN });
    const now = desk.clock.now();
    const [own, ides] = [makeSelfSigned('own', now), makeSelfSigned('ides', now)];
    await saveChannel(desk.ports, {
      ...ASK,
      answerPems: [ides.certificatePem],
      certificatePem: own.certificatePem,
      giin: DEMO_GIIN,
      idesKeyPem: ides.keyPem,
      keyPem: own.keyPem,
      place: { folder: join(folder, 'outbox'), kind: 'sandbox' },
      receiver: { certificatePem: ides.certificatePem, id: IRS },
    });
  });
  afterAll(async () => {
    await desk.close();
    rmSync(folder, { recursive: true });
  });

  async function underway(period: string, fault?: string) {
    const accounts = demoAccounts(fault);
    const taken = await upsertAccounts(desk.ports, { ...ASK, accounts, giin: DEMO_GIIN, period });
    expect(taken).toMatchObject({ accepted: DEMO_ACCOUNTS, errors: [] });
    const made = await createDeclaration(desk.ports, {
      ...ASK,
      autoSubmit: true,
      filerCategory: DEMO_FILER_CATEGORY,
      giin: DEMO_GIIN,
      isTest: true,
      period,
      type: 'FATCA1',
    });
    const generated = await kit.generate(made);
    expect(await readFindings(desk.ports, generated)).toEqual([]);
    expect(generated).toMatchObject({ accountCount: DEMO_ACCOUNTS, status: 'submitted' });
    return generated;
  }

  test('it takes what is right, and every record of it is counted', async () => {
    const done = await kit.file(await underway('2015'));
    expect(done).toMatchObject({ outcome: 'clean', status: 'accepted' });
    const [received] = await desk.entries('tcr.notification.received');
    expect(received).toMatchObject({ code: 'NVF', result: 'applied' });
    expect(readdirSync(join(folder, 'outbox'))).toEqual([done.messages[0]?.filing?.fileName]);
  });

  test('a record with a planted fault is found wrong, and corrected', async () => {
    const done = await kit.file(await underway('2016', '8007'));
    expect(done).toMatchObject({ outcome: 'record_errors', status: 'accepted' });
    const { errors } = await recordErrorsOf(desk.ports, done, done.messages[0]?.filing);
    expect(errors).toMatchObject([{ code: '8007', fields: [{ name: 'AccountNumber' }] }]);
    const [mended] = demoAccounts();
    const stated = { ...ASK, giin: DEMO_GIIN, period: '2016' };
    await upsertAccounts(desk.ports, { ...stated, accounts: [mended] });
    const correction = await kit.generate(
      await createDeclaration(desk.ports, {
        ...stated,
        autoSubmit: true,
        corrects: done.declarationId,
        isTest: true,
        type: 'FATCA2',
      }),
    );
    expect(await kit.file(correction)).toMatchObject({
      accountCount: 1,
      outcome: 'clean',
      status: 'accepted',
    });
  });

  test.each(REJECTING.slice(0, 3))('a file with a planted %s is rejected by it', async (code) => {
    const period = String(2017 + REJECTING.indexOf(code));
    const done = await kit.file(await underway(period, code));
    expect(done).toMatchObject({ status: 'rejected' });
    expect(done.messages[0]?.filing).toMatchObject({ cause: FILE_CODES[code]?.cause, code });
  });

  test('a worker that dies as it hands a package over: the other answers, once', async () => {
    const made = await underway('2022');
    const before = (await desk.entries('tcr.notification.received')).length;
    const dying = {
      ...desk.ports,
      openWay: async (opened: Parameters<typeof openWay>[0]) => {
        const way = await openWay(opened);
        if (way === undefined) throw new Error('it is a folder');
        return { ...way, rename: () => Promise.reject(new Error('killed')) };
      },
    };
    desk.clock.advance(1_000);
    await expect(kit.withFiling(made, (hold) => fileMessage(dying, hold))).rejects.toThrow(
      'killed',
    );
    expect(await kit.file(made)).toMatchObject({ outcome: 'clean', status: 'accepted' });
    const again = await desk.entries('tcr.notification.received');
    expect(again).toHaveLength(before + 1);
    await expect(submitDeclaration(desk.ports, { ...ASK, ...made })).rejects.toEqual(
      expect.objectContaining({ code: 'state-conflict' }),
    );
  });
});
