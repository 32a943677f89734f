/** Notices over HTTP: pages without a gap, to the tenant's own readers, also without mail. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Principal } from '#core/identity';
import type { TenantId } from '#core/kernel';
import { createCursorCodec } from '../../../src/api/cursor.ts';
import { noticeOperations } from '../../../src/slices/notifications/edge/operations.ts';
import { fakeRequest, gatewayOf, jsonOf, PRINCIPAL } from '../../api/fakes.ts';
import { onEachStore } from '../../storage/eachStore.ts';
import { type NoticeHouse, type NoticeStore, openHouse, openStore } from './noticeHouse.ts';

onEachStore((makeHarness) => {
  let store: NoticeStore;
  let house: NoticeHouse;
  beforeAll(async () => {
    store = await openStore(makeHarness);
    house = await openHouse(store);
    await house.person('Dora', { email: 'd@bank.example' });
    for (let n = 0; n < 50; n++) await house.fail();
    for (let n = 0; n < 5; n++) {
      house.clock.advance(1_000);
      await house.tell('webhooks.endpoint.disabled', { reason: 'gone' });
    }
  });
  afterAll(() => store.close());

  const gateway = (principal: Partial<Principal> = {}, isOperator = false) =>
    gatewayOf(
      noticeOperations({
        cursors: createCursorCodec(new Uint8Array(32)),
        isOperator: async () => isOperator,
        tables: () => house.tables,
      }),
      {
        authenticator: {
          authenticate: async () => ({
            ...PRINCIPAL,
            roles: ['admin'],
            tenantId: house.tenantId,
            ...principal,
          }),
        },
      },
    );
  const get = async (path: string, query = '', of = gateway()) =>
    of.handler(fakeRequest({ headers: { 'x-api-key': 'k' }, path, query }));

  async function kindsBy(limit: number, of = gateway()): Promise<readonly string[]> {
    const kinds: string[] = [];
    let cursor: string | null = null;
    do {
      const query: string = `limit=${limit}${cursor === null ? '' : `&cursor=${cursor}`}`;
      const page = jsonOf(await get('/v1/notifications', query, of)) as {
        readonly data: readonly { readonly kind: string }[];
        readonly next_cursor: string | null;
      };
      kinds.push(...page.data.map(({ kind }) => kind));
      cursor = page.next_cursor;
    } while (cursor !== null);
    return kinds;
  }

  test('pages of any size give the same, latest first; operations see theirs too', async () => {
    const tenants = [...Array.from({ length: 5 }, () => 'webhook.disabled'), 'webhook.failed'];
    for (const limit of [1, 2, 3, 6, 7]) expect(await kindsBy(limit)).toEqual(tenants);
    for (const limit of [1, 4, 50]) {
      const all = await kindsBy(limit, gateway({}, true));
      expect(all.toSorted()).toEqual([...tenants, 'webhook.burst'].toSorted());
    }
  });

  test('one is shown in the language asked for, with what became of its messages', async () => {
    const { data } = jsonOf(await get('/v1/notifications', 'limit=1&lang=ar')) as {
      readonly data: readonly { readonly notification_id: string; readonly title: string }[];
    };
    const [first] = data;
    expect(first?.title).toMatch(/\p{Script=Arabic}/u);
    const shown = jsonOf(await get(`/v1/notifications/${first?.notification_id}`, 'lang=fr'));
    expect(shown).toMatchObject({
      kind: 'webhook.disabled',
      messages: expect.arrayContaining([
        expect.objectContaining({ channel: 'mail', status: 'unsent' }),
      ]),
      title: 'Un point de terminaison de webhook a été désactivé',
    });
    expect(JSON.stringify(shown)).not.toContain('@');
  });

  test('what is for operations, and another tenant’s, is not there', async () => {
    const burst = (await house.conditions()).find(({ kind }) => kind === 'alert');
    const path = `/v1/notifications/${burst?.noticeId}`;
    const stranger = { tenantId: '018f0000-0000-7000-8000-0000000000ff' as TenantId };
    expect((await get(path)).status).toBe(404);
    expect((await get(path, '', gateway({}, true))).status).toBe(200);
    expect((await get(path, '', gateway(stranger, true))).status).toBe(404);
    expect(await kindsBy(50, gateway(stranger, true))).toEqual([]);
  });
});
