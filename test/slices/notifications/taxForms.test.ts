/** Forms of tax holders that end: told to compliance, by how much time is left. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { readNotices } from '#slices/notifications';
import { onEachStore } from '../../storage/eachStore.ts';
import { type NoticeHouse, type NoticeStore, openHouse, openStore } from './noticeHouse.ts';

onEachStore((makeHarness) => {
  let store: NoticeStore;
  let house: NoticeHouse;
  beforeAll(async () => {
    store = await openStore(makeHarness);
  });
  afterAll(() => store.close());
  beforeEach(async () => {
    house = await openHouse(store);
  });

  test.each([
    [90, 'ending', 'LOW'],
    [30, 'ending', 'MEDIUM'],
    [0, 'ended', 'HIGH'],
  ])('a form with %i days left is told as %s', async (left, kind, severity) => {
    const payload = { days_left: left, form_id: 'f-1', type: 'W-8BEN', until: '2026-12-31' };
    await house.tell('tcr.form.ending', payload);
    const ask = { isOperator: false, limit: 10, tenantId: house.tenantId };
    expect((await readNotices(house, ask)).notices).toMatchObject([
      {
        kind: `tax.form_${kind}`,
        params: { reason: 'W-8BEN', until: '2026-12-31' },
        severity,
        subjectId: 'f-1',
        subjectKind: 'tax_form',
      },
    ]);
  });
});
