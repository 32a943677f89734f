/**
 * Answers that come before anybody knows of their message: under CRS a report can be handed in
 * before its submission is ordered.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  notificationTable,
  receiveCrsStatus,
  submitDeclaration,
  type TaxDeclaration,
} from '#slices/tax';
import { onEachStore } from '../../storage/eachStore.ts';
import { filingKit, refOf, stateOf } from './filingKit.ts';
import { crsStatus } from './notificationKit.ts';
import { stateFi } from './reporting.ts';
import { ASK, openTaxDesk, type TaxDesk, TENANT } from './taxDesk.ts';

onEachStore((makeHarness) => {
  let desk: TaxDesk;
  let kit: ReturnType<typeof filingKit>;
  beforeAll(async () => {
    desk = await openTaxDesk(makeHarness);
    kit = filingKit(desk);
    await stateFi(desk);
  });
  afterAll(() => desk.close());

  const crs = { filerCategory: undefined, receivingCountry: 'DE', type: 'OECD1' } as never;
  const submit = (of: TaxDeclaration) =>
    submitDeclaration(desk.ports, { ...ASK, declarationId: of.declarationId });
  const taken = (of: TaxDeclaration, word = 'Accepted') =>
    receiveCrsStatus(desk.ports, { ...ASK, bytes: crsStatus(refOf(of), word) });
  const settled = async (notificationId: string) =>
    (await desk.entries('tcr.notification.settled')).filter(
      ({ target }) => target === `tax-notification:${notificationId}`,
    );

  test('one waits, and is applied once its submission is there', async () => {
    const made = await kit.generated('2015', crs);
    const early = await taken(made);
    expect(early).toMatchObject({ because: 'no file went by that name', result: 'needs_review' });
    expect(await kit.find(made)).toEqual(made);
    await submit(made);
    const done = await kit.file(made);
    expect(done).toMatchObject({ outcome: 'clean', status: 'accepted' });
    expect(done.messages[0]?.filing?.answer).toBe(early.notificationId);
    expect(await taken(made)).toMatchObject({
      declarationId: made.declarationId,
      notificationId: early.notificationId,
      result: 'applied',
    });
    expect(await settled(early.notificationId)).toHaveLength(1);
    expect(await desk.ports.signedNotifications.check(TENANT)).toEqual([]);
  });

  test('or once it is brought again, and no worker hands it in then', async () => {
    const made = await kit.generated('2016', crs);
    const early = await taken(made);
    await submit(made);
    expect(await taken(made)).toMatchObject({
      notificationId: early.notificationId,
      result: 'applied',
    });
    const done = await kit.find(made);
    expect(done).toMatchObject({ status: 'accepted' });
    expect(await kit.file(made)).toEqual(done);
  });

  test('a rejection that waits rejects', async () => {
    const made = await kit.generated('2017', crs);
    await taken(made, 'Rejected');
    await submit(made);
    expect(stateOf(await kit.file(made), 1)).toBe('rejected');
  });

  test('one that was altered while it waits decides nothing, and keeps nothing back', async () => {
    const made = await kit.generated('2018', crs);
    const { digest, notificationId } = await taken(made);
    await desk.alter('tax_notification', digest, 'f'.repeat(64));
    await submit(made);
    expect(await kit.file(made)).toMatchObject({ status: 'submitted' });
    const row = await desk.tables.find(notificationTable, { notificationId, tenantId: TENANT });
    expect(row?.result).toBe('needs_review');
  });

  test('one of a message that never comes is for somebody to look at', async () => {
    const bytes = crsStatus(`FR2019DE${'0'.repeat(32)}`, 'Accepted');
    const first = await receiveCrsStatus(desk.ports, { ...ASK, bytes });
    expect(first).toMatchObject({ result: 'needs_review' });
    expect(await receiveCrsStatus(desk.ports, { ...ASK, bytes })).toEqual(first);
  });
});
