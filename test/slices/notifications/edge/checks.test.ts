/** What doctor says of people who cannot be told: a warning, which is no failure. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadConfig } from '#platform/config';
import { asCheck } from '../../../../src/cli/checks.ts';
import { checkReaders } from '../../../../src/slices/notifications/edge/checks.ts';
import { makeSqliteHarness } from '../../../storage/sqlite/harness.ts';
import { type NoticeHouse, type NoticeStore, openHouse, openStore } from '../noticeHouse.ts';

let store: NoticeStore;
let house: NoticeHouse;
beforeAll(async () => {
  store = await openStore(makeSqliteHarness);
  house = await openHouse(store);
});
afterAll(() => store.close());

const looked = (environment: Readonly<Record<string, string>>) =>
  asCheck({
    look: () =>
      checkReaders({
        config: loadConfig(environment),
        identity: { listTenants: house.administration.tenants.list } as never,
        storage: house.storage,
      }),
    name: 'notices',
  })();

test('who must be told and cannot be is a warning, until somebody can', async () => {
  const found = await looked({});
  expect(found).toMatchObject({ isGood: true, isWarning: true });
  expect(found.detail).toMatch(/SMTP_URL is not set.*OPERATIONS_MAIL is not set/);
  expect(found.detail).toContain(
    `tenant ${house.tenantId} has nobody with an address for admin, compliance_officer, dsi_admin`,
  );
  const all = {
    MAIL_FROM: 'n@bank.example',
    OPERATIONS_MAIL: 'o@bank.example',
    SMTP_URL: 'smtp://127.0.0.1',
  };
  await house.person('Ada', { email: 'a@bank.example' });
  await house.person('Bea', {}, 'compliance');
  expect((await looked(all)).detail).toContain('for compliance_officer, dsi_admin;');
  await house.person('Cleo', { email: 'c@bank.example' }, 'compliance');
  await house.person('Dora', { email: 'd@bank.example' }, 'dsi');
  const good = await looked(all);
  expect(good).toEqual({
    detail: 'people of 1 live tenants can be told',
    isGood: true,
    name: 'notices',
  });
});
