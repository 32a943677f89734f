/** Declarations on their way: packaged, deposited once, answered, and told of once. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sha256Hex } from '#platform/crypto';
import {
  failFiling,
  fileMessage,
  IRS,
  noteReceipt,
  openPackage,
  openWay,
  orderGeneration,
  receiveCrsStatus,
  receiveNotification,
  submitDeclaration,
  type TaxDeclaration,
} from '#slices/tax';
import { onEachStore } from '../../storage/eachStore.ts';
import { filingKit, irs, nameOf, own, refOf, stateOf } from './filingKit.ts';
import { crsStatus, fileError, TRANSMISSION, validFile } from './notificationKit.ts';
import { gathered, openWithOpenssl, party } from './packageKit.ts';
import { GIIN, stateFi } from './reporting.ts';
import { ASK, openTaxDesk, type TaxDesk } from './taxDesk.ts';

const stranger = party('stranger');
const refused = (code: string) => expect.objectContaining({ code });

onEachStore((makeHarness) => {
  const folder = mkdtempSync(join(tmpdir(), 'outbox-'));
  let desk: TaxDesk;
  let kit: ReturnType<typeof filingKit>;
  beforeAll(async () => {
    desk = await openTaxDesk(makeHarness);
    kit = filingKit(desk);
    await stateFi(desk);
    await kit.channel({ kind: 'manual' });
  });
  afterAll(async () => {
    await desk.close();
    rmSync(folder, { recursive: true });
  });

  const submittedEvents = async ({ declarationId }: TaxDeclaration) =>
    (await desk.entries('tcr.declaration.submitted')).filter(
      ({ target }) => target === `tax-declaration:${declarationId}`,
    );

  describe('by hand', () => {
    test('from the order to the acceptance, told once', async () => {
      const made = await kit.underway('2015');
      expect(made).toMatchObject({ status: 'submitted', submissions: 1 });
      const packaged = await kit.file(made);
      const [message] = packaged.messages;
      if (message === undefined) throw new Error('it has a message');
      const zip = await gathered(await openPackage(desk.ports, packaged, message));
      expect(sha256Hex(zip)).toBe(message.filing?.package?.sha256);
      expect(openWithOpenssl(zip, IRS, irs.keyPem).toString()).toContain(refOf(packaged));
      const receipt = {
        ...ASK,
        ...packaged,
        receivedAt: desk.clock.now(),
        senderFileId: nameOf(packaged),
        transmissionId: TRANSMISSION,
      };
      await expect(
        noteReceipt(desk.ports, { ...receipt, senderFileId: 'another.zip' }),
      ).rejects.toEqual(refused('receipt-unknown'));
      expect(await noteReceipt(desk.ports, receipt)).toMatchObject({ status: 'filed' });
      expect(await noteReceipt(desk.ports, receipt)).toMatchObject({ status: 'filed' });
      const taken = await kit.accept(packaged);
      expect(taken).toMatchObject({ code: 'NVF', result: 'applied' });
      const done = await kit.find(made);
      expect(done).toMatchObject({ outcome: 'clean', status: 'accepted' });
      expect(await kit.accept(packaged)).toEqual(taken);
      const late = await kit.take(fileError('NDC', nameOf(packaged)));
      expect(late).toMatchObject({
        because: 'the message is accepted already',
        result: 'unchanged',
      });
      expect(await kit.find(made)).toMatchObject({ outcome: 'clean', status: 'accepted' });
      expect(await submittedEvents(made)).toHaveLength(1);
      expect(done.timeline.map(({ to }) => to)).toEqual([
        ...['draft', 'generated', 'submitted', 'filed', 'accepted'],
      ]);
    });

    test('an answer that comes first is a receipt; records in error are counted', async () => {
      const packaged = await kit.file(await kit.underway('2016'));
      const docRefId = `${GIIN}.1`;
      await kit.accept(packaged, { groups: [[{ code: '8013', docRefId }]] });
      const done = await kit.find(packaged);
      expect(done).toMatchObject({ outcome: 'record_errors', status: 'accepted' });
      expect(done.messages[0]?.filing).toMatchObject({
        recordErrors: 1,
        transmissionId: TRANSMISSION,
      });
      expect(await submittedEvents(packaged)).toHaveLength(1);
    });

    test('the same answer twice at once is applied once', async () => {
      const packaged = await kit.file(await kit.underway('2017'));
      const text = validFile({
        messageRefId: refOf(packaged),
        records: 1,
        senderFile: nameOf(packaged),
      });
      const [one, other] = await Promise.all([kit.take(text), kit.take(text)]);
      expect(one).toEqual(other);
      const answered = (await kit.find(packaged)).timeline.filter(({ to }) => to === 'accepted');
      expect(answered).toHaveLength(1);
    });

    test('what was rejected on its way is packaged again, with the same XML', async () => {
      const packaged = await kit.file(await kit.underway('2018'));
      await kit.take(fileError('NDC', nameOf(packaged)));
      const rejected = await kit.find(packaged);
      expect(rejected).toMatchObject({ status: 'rejected' });
      const again = await kit.file(await submitDeclaration(desk.ports, { ...ASK, ...rejected }));
      expect(again).toMatchObject({ status: 'submitted', submissions: 2 });
      expect(refOf(again)).toBe(refOf(packaged));
      expect(nameOf(again)).not.toBe(nameOf(packaged));
      // An answer about the former package says nothing of this one.
      expect(await kit.take(fileError('NDP', nameOf(packaged)))).toMatchObject({
        result: 'unchanged',
      });
      await kit.accept(again);
      expect(await kit.find(packaged)).toMatchObject({ status: 'accepted' });
    });

    test('what was rejected for what it says is generated again', async () => {
      const packaged = await kit.file(await kit.underway('2019'));
      await kit.take(fileError('NMR', nameOf(packaged)));
      const rejected = await kit.find(packaged);
      await expect(submitDeclaration(desk.ports, { ...ASK, ...rejected })).rejects.toEqual(
        refused('state-conflict'),
      );
      const anew = await kit.generate(await orderGeneration(desk.ports, { ...ASK, ...rejected }));
      expect(anew).toMatchObject({ status: 'generated' });
      expect(refOf(anew)).not.toBe(refOf(packaged));
      const sent = await kit.file(await submitDeclaration(desk.ports, { ...ASK, ...anew }));
      await kit.accept(sent);
      expect(await kit.find(packaged)).toMatchObject({ status: 'accepted' });
    });

    test('nothing is decided by what does not fit', async () => {
      const packaged = await kit.file(await kit.underway('2020'));
      const unknown = await kit.take(fileError('NDC', 'another.zip'));
      expect(unknown).toMatchObject({ result: 'needs_review' });
      expect(await kit.accept(packaged, { messageRefId: 'another' })).toMatchObject({
        because: 'another MessageRefId than that of the file',
        result: 'needs_review',
      });
      expect(await kit.take(fileError('NXX', nameOf(packaged)))).toMatchObject({
        result: 'needs_review',
      });
      for (const [by, to, code] of [
        [stranger, own, 'package-signature-invalid'],
        [irs, stranger, 'package-undecryptable'],
      ] as const) {
        const forged = await kit.answerOf(fileError('NDC', nameOf(packaged)), by, to);
        await expect(receiveNotification(desk.ports, forged)).rejects.toEqual(refused(code));
      }
      expect(await kit.find(packaged)).toMatchObject({ status: 'submitted' });
      expect(await kit.accept(packaged, { records: 7 })).toMatchObject({
        because: 'count-mismatch: expected 1 records, got 7',
        result: 'applied',
      });
    });

    test('under CRS the XML is handed in, and needs no channel', async () => {
      const crs = { filerCategory: undefined, receivingCountry: 'DE', type: 'OECD1' } as never;
      const made = await kit.file(await kit.underway('2021', crs));
      expect(nameOf(made)).toBe(`${made.reference}-1-1.xml`);
      expect(made.messages[0]?.filing?.package).toBeUndefined();
    });

    test('what somebody may have carried is not sent again where another is rejected', async () => {
      const made = await kit.twoUnderway('2014');
      const packaged = await kit.file(await kit.file(made), 2);
      await kit.take(fileError('NDC', nameOf(packaged)));
      const rejected = await kit.find(made);
      expect(rejected).toMatchObject({ status: 'rejected' });
      await kit.expectKept(rejected);
      await noteReceipt(desk.ports, {
        ...ASK,
        ...rejected,
        receivedAt: desk.clock.now(),
        senderFileId: packaged.messages[1]?.filing?.fileName ?? '',
        transmissionId: TRANSMISSION,
      });
      const again = await submitDeclaration(desk.ports, { ...ASK, ...rejected });
      expect([stateOf(again, 1), stateOf(again, 2)]).toEqual(['ordered', 'deposited']);
    });

    test('nor what was handed in under CRS', async () => {
      const crs = { filerCategory: undefined, receivingCountry: 'IT', type: 'OECD1' } as never;
      const made = await kit.twoUnderway('2021', crs);
      const packaged = await kit.file(await kit.file(made), 2);
      const xml = crsStatus(
        refOf(packaged),
        'Rejected',
        '<FileError><Code>50007</Code></FileError>',
      );
      await receiveCrsStatus(desk.ports, { ...ASK, bytes: xml });
      await kit.expectKept(await kit.find(made));
    });
  });

  describe('into a folder', () => {
    beforeAll(() => kit.channel({ folder, kind: 'folder' }));

    test('once, also where the worker dies after the renaming', async () => {
      const made = await kit.underway('2022');
      const dying = {
        ...desk.ports,
        openWay: async (opened: Parameters<typeof openWay>[0]) => {
          const way = await openWay(opened);
          if (way === undefined) throw new Error('it is a folder');
          return {
            ...way,
            async rename(from: string, to: string) {
              await way.rename(from, to);
              throw new Error('killed');
            },
          };
        },
      };
      await expect(kit.withFiling(made, (hold) => fileMessage(dying, hold))).rejects.toThrow(
        'killed',
      );
      const [name = ''] = readdirSync(folder);
      const before = readFileSync(join(folder, name));
      rmSync(join(folder, name)); // IDES takes it at once
      const done = await kit.file(made);
      expect(done).toMatchObject({ status: 'filed' });
      expect(existsSync(join(folder, name))).toBe(false);
      expect(done.messages[0]?.filing?.package?.sha256).toBe(sha256Hex(before));
      expect(await submittedEvents(made)).toHaveLength(1);
    });

    test('a message whose renaming was begun goes on where another is rejected', async () => {
      const made = await kit.twoUnderway('2021');
      const dying = {
        ...desk.ports,
        openWay: async (opened: Parameters<typeof openWay>[0]) => {
          const way = await openWay(opened);
          if (way === undefined) throw new Error('it is a folder');
          return { ...way, rename: () => Promise.reject(new Error('killed')) };
        },
      };
      await expect(kit.withFiling(made, (hold) => fileMessage(dying, hold))).rejects.toThrow(
        'killed',
      );
      const second = (await kit.file(made, 2)).messages[1]?.filing?.fileName ?? '';
      await kit.take(fileError('NDC', second));
      const rejected = await kit.find(made);
      expect(rejected).toMatchObject({ status: 'rejected' });
      await kit.expectKept(rejected);
      const done = await kit.file(made);
      expect([done.status, stateOf(done, 1)]).toEqual(['rejected', 'deposited']);
      expect(existsSync(join(folder, nameOf(done)))).toBe(true);
      const again = await submitDeclaration(desk.ports, { ...ASK, ...done });
      expect([stateOf(again, 1), stateOf(again, 2)]).toEqual(['deposited', 'ordered']);
    });

    test('where it refuses for good, nothing has left the house', async () => {
      const made = await kit.underway('2023');
      await kit.withFiling(made, (hold) => failFiling(desk.ports, hold, 'channel-unavailable'));
      const back = await kit.find(made);
      expect(back).toMatchObject({ status: 'generated' });
      expect(back.timeline.at(-1)).toMatchObject({ cause: 'channel-unavailable' });
      expect(
        await kit.file(await submitDeclaration(desk.ports, { ...ASK, ...back })),
      ).toMatchObject({
        status: 'filed',
      });
    });

    test('a place that was altered past the service is refused', async () => {
      const made = await kit.underway('2024');
      await desk.alter('tax_channel', folder, '/tmp/elsewhere');
      await expect(kit.file(made)).rejects.toEqual(refused('state-altered'));
    });
  });
});
