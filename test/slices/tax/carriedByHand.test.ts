/**
 * What a person carries: how the institution filed when a package was made stands with it, and what
 * may have been carried counts as sent, whatever fails beside it and however the institution files
 * later.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type FilingPorts,
  failFiling,
  fileMessage,
  openWay,
  type TaxDeclaration,
} from '#slices/tax';
import { onEachStore } from '../../storage/eachStore.ts';
import { filingKit, stateOf } from './filingKit.ts';
import { fileError } from './notificationKit.ts';
import { stateFi } from './reporting.ts';
import { openTaxDesk, type TaxDesk } from './taxDesk.ts';

const refused = (code: string) => expect.objectContaining({ code });
const filingOf = ({ messages }: TaxDeclaration, messageNo: number) =>
  messages.find((one) => one.messageNo === messageNo)?.filing;

onEachStore((makeHarness) => {
  const folder = mkdtempSync(join(tmpdir(), 'outbox-'));
  let desk: TaxDesk;
  let kit: ReturnType<typeof filingKit>;
  beforeAll(async () => {
    desk = await openTaxDesk(makeHarness);
    kit = filingKit(desk);
    await stateFi(desk);
  });
  afterAll(async () => {
    await desk.close();
    rmSync(folder, { recursive: true });
  });

  const byHand = () => kit.channel({ kind: 'manual' });
  const intoFolder = () => kit.channel({ folder, kind: 'folder' });
  /** A worker that dies in the upload, or when it begins to rename. */
  const dyingIn = (step: 'rename' | 'write'): FilingPorts => ({
    ...desk.ports,
    async openWay(opened) {
      const way = await openWay(opened);
      if (way === undefined) throw new Error('it is a folder');
      return { ...way, [step]: () => Promise.reject(new Error('killed')) };
    },
  });
  function diesIn(step: 'rename' | 'write', made: TaxDeclaration) {
    // Two packages of one instant would have one name.
    desk.clock.advance(1_000);
    const dying = kit.withFiling(made, (hold) => fileMessage(dyingIn(step), hold));
    return expect(dying).rejects.toThrow('killed');
  }
  const fail = (made: TaxDeclaration, messageNo: number) =>
    kit.withFiling(made, (hold) => failFiling(desk.ports, hold, 'certificate-expired'), messageNo);
  /** The second message is packaged, and rejected on its way. */
  async function secondRejected(made: TaxDeclaration): Promise<TaxDeclaration> {
    const packaged = await kit.file(made, 2);
    await kit.take(fileError('NDC', filingOf(packaged, 2)?.fileName ?? ''));
    const rejected = await kit.find(made);
    expect(rejected.status).toBe('rejected');
    return rejected;
  }

  test('where another message fails for good, it still counts as sent', async () => {
    await byHand();
    const made = await kit.twoUnderway('2015');
    const packaged = await kit.file(made);
    expect(await fail(made, 2)).toBe('waits');
    expect(await kit.find(made)).toEqual(packaged);
    // Where nothing can be out, the declaration is as it was before.
    const other = await kit.twoUnderway('2016');
    expect(await fail(other, 2)).toBe('ended');
    expect(await kit.find(other)).toMatchObject({ status: 'generated' });
  });

  test('the same under CRS, where the XML is handed in', async () => {
    const crs = { filerCategory: undefined, receivingCountry: 'DE', type: 'OECD1' } as never;
    const made = await kit.twoUnderway('2016', crs);
    const named = await kit.file(made);
    expect(await fail(made, 2)).toBe('waits');
    expect(await kit.find(made)).toEqual(named);
  });

  test('a channel that is configured later says nothing of a package of before', async () => {
    await byHand();
    const made = await kit.twoUnderway('2017');
    await kit.file(made);
    await secondRejected(made);
    await intoFolder();
    await kit.expectKept(await kit.find(made));
    // No worker brings it beside the person who has it.
    expect(readdirSync(folder)).toEqual([]);
  });

  test('a package whose upload was begun is left to a person', async () => {
    await intoFolder();
    const made = await kit.twoUnderway('2018');
    await diesIn('write', made);
    expect(filingOf(await kit.find(made), 1)).toMatchObject({ isByHand: false });
    await byHand();
    expect(filingOf(await kit.file(made), 1)).toMatchObject({ isByHand: true, state: 'packaged' });
    await kit.expectKept(await secondRejected(made));
  });

  test('one whose renaming was begun is not: it may be there', async () => {
    await intoFolder();
    const made = await kit.twoUnderway('2019');
    await diesIn('rename', made);
    await byHand();
    await expect(kit.file(made)).rejects.toEqual(refused('deposit-refused'));
    expect(await fail(made, 1)).toBe('waits');
    expect(filingOf(await kit.find(made), 1)).toMatchObject({ isByHand: false });
    await intoFolder();
    expect(stateOf(await kit.file(made), 1)).toBe('deposited');
  });
});
