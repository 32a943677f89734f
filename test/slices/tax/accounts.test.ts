/** Institutions and their accounts: taken in bodies and files, held to what was signed. */
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Hold } from '#core/work';
import {
  type AccountImport,
  accountImportTable,
  classifySubject,
  failAccountFile,
  findBook,
  findImport,
  findReportingFi,
  listAccounts,
  orderImport,
  type ReportedAccount,
  receiveAccounts,
  saveReportingFi,
  takeAccountFile,
  upsertAccounts,
  walkAccounts,
} from '#slices/tax';
import { makeSqliteHarness } from '../../storage/sqlite/harness.ts';
import { accountOf, FI, GIIN, PERIOD, stateFi, TIN_CANARY } from './reporting.ts';
import { ASK, BORN_IN_US, openTaxDesk, type TaxDesk, TENANT } from './taxDesk.ts';

const TIMES = { leaseMs: 10_000, renewMs: 3_000 };
const PLACE = { giin: GIIN, period: PERIOD, tenantId: TENANT } as const;
const BOOK = { ...PLACE, ...ASK } as const;

let desk: TaxDesk;
beforeAll(async () => {
  desk = await openTaxDesk(makeSqliteHarness);
  await stateFi(desk);
});
afterAll(() => desk.close());

const refused = (code: string) => expect.objectContaining({ code });
const listed = async (more: { reportable?: boolean; regime?: 'CRS' | 'FATCA' } = {}) =>
  listAccounts(desk.ports, { ...PLACE, limit: 500, regime: 'CRS', ...more });
const refs = (accounts: readonly ReportedAccount[]) =>
  accounts.map(({ account_ref: ref }) => ref).toSorted();

async function* bytesOf(text: string | Buffer): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

async function order(text: string | Buffer, mode: AccountImport['mode'], more: object = {}) {
  const file = await receiveAccounts(desk.ports, bytesOf(text));
  return orderImport(desk.ports, { ...BOOK, file, mode, ...more });
}

/** As a worker does. */
async function held<Value>(
  importId: string,
  work: (hold: Hold<AccountImport, 'tenantId' | 'importId'>) => Promise<Value>,
): Promise<Value> {
  const key = { importId, tenantId: TENANT };
  const leased = await desk.tables.claim(accountImportTable, { holder: 'test', key });
  if (leased === undefined) throw new Error('the import is free');
  const hold = new Hold(desk, accountImportTable, leased, { times: TIMES });
  try {
    return await work(hold);
  } finally {
    await hold.end();
  }
}

describe('institutions', () => {
  test('the next statement takes the place of the one before', async () => {
    const next = await saveReportingFi(desk.ports, { ...ASK, content: FI, giin: GIIN });
    expect(next.version).toBe(2);
    expect((await findReportingFi(desk.ports, PLACE)).content.name).toBe(FI.name);
  });

  test.each([
    ['no GIIN', 'ABC', FI, 'giin-invalid', '/giin'],
    ['no name', GIIN, { ...FI, name: undefined }, 'reporting-fi-invalid', '/name'],
    ['no country', GIIN, { ...FI, country: 'ZZ' }, 'reporting-fi-invalid', '/country'],
    ['a member of its own', GIIN, { ...FI, why: 'x' }, 'reporting-fi-invalid', '/why'],
    [
      'a sponsor of a wrong GIIN',
      GIIN,
      { ...FI, sponsor: { ...FI, giin: '98Q96B.00000.XX.250' } },
      'reporting-fi-invalid',
      '/sponsor/iga_model',
    ],
  ])('%s is refused with its place', async (_, giin, content, code, pointer) => {
    const given = JSON.parse(JSON.stringify(content));
    await expect(saveReportingFi(desk.ports, { ...ASK, content: given, giin })).rejects.toEqual(
      expect.objectContaining({
        code,
        violations: expect.arrayContaining([expect.objectContaining({ pointer })]),
      }),
    );
  });

  test('accounts of one that nobody stated are refused', async () => {
    const ask = { ...BOOK, accounts: [accountOf('X')], giin: '98Q96B.00001.LE.250' };
    await expect(upsertAccounts(desk.ports, ask)).rejects.toEqual(refused('reporting-fi-unknown'));
    const future = { ...BOOK, accounts: [accountOf('X')], period: '2031' };
    await expect(upsertAccounts(desk.ports, future)).rejects.toEqual(refused('period-invalid'));
  });
});

describe('accounts in bodies', () => {
  test('each is taken or refused alone, a later one in the place of its reference', async () => {
    const bad = { ...accountOf('B'), balance: { amount: '1.5', currency: 'EUR' } };
    const done = await upsertAccounts(desk.ports, {
      ...BOOK,
      accounts: [accountOf('A'), bad, { account_ref: 'C' }, accountOf('D')],
    });
    expect(done).toMatchObject({ accepted: 2, rejected: 2 });
    expect(done.errors[0]).toMatchObject({ index: 1, pointer: '/balance/amount' });
    expect(done.errors.filter(({ index }) => index === 2).map(({ pointer }) => pointer)).toContain(
      '/holder',
    );
    const closed = { ...accountOf('A'), closed: true };
    await upsertAccounts(desk.ports, { ...BOOK, accounts: [closed] });
    const { accounts } = await listed();
    expect(refs(accounts)).toEqual(['A', 'D']);
    expect(accounts.find(({ account_ref: ref }) => ref === 'A')?.closed).toBe(true);
  });

  test('none of which any can be taken is refused as a whole', async () => {
    const accounts = [{ ...accountOf('A'), holder: { kind: 'individual' } }];
    await expect(upsertAccounts(desk.ports, { ...BOOK, accounts })).rejects.toEqual(
      refused('accounts-invalid'),
    );
  });

  test('a classification says what an account is; without one it goes into no report', async () => {
    const { record } = await classifySubject(desk.ports, {
      ...ASK,
      inputs: {
        ...BORN_IN_US,
        subject: {
          kind: 'individual',
          self_certification: { is_reasonable: true, residences: ['DE'] },
          w9: true,
        },
      },
      subjectRef: 'holder-E',
    });
    const { crs: _, fatca: __, ...plain } = accountOf('E');
    const accounts = [
      { ...plain, classification_id: record.classificationId },
      { ...plain, account_ref: 'F' },
      { ...plain, account_ref: 'G', classification_id: '0190aaaa-0000-7000-8000-00000000ffff' },
    ];
    const done = await upsertAccounts(desk.ports, { ...BOOK, accounts });
    expect(done).toMatchObject({ accepted: 2, rejected: 1 });
    expect(done.errors[0]).toMatchObject({ code: 'classification-unknown', index: 2 });
    const american = await listed({ regime: 'FATCA', reportable: true });
    expect(refs(american.accounts)).toContain('E');
    expect(refs(american.accounts)).not.toContain('F');
    expect(refs((await listed({ reportable: true })).accounts)).toContain('E');
  });

  test('persons have the regimes that the classification reports them under', async () => {
    const whoIs = { ownership_pct: 40, us_person: false };
    const { record } = await classifySubject(desk.ports, {
      ...ASK,
      inputs: {
        ...BORN_IN_US,
        subject: {
          documented: true,
          income: 'passive',
          kind: 'entity',
          organised_in: 'FR',
          persons: [
            { ...whoIs, person_ref: 'de', residences: ['DE'] },
            { ...whoIs, person_ref: 'us', residences: ['US'], us_person: true },
            { ...whoIs, person_ref: 'none', residences: ['FR'] },
          ],
          residences: ['FR'],
        },
      },
      subjectRef: 'entity-of-persons',
    });
    const {
      crs: _,
      fatca: __,
      ...plain
    } = accountOf('H', {
      controlling_persons: ['de', 'us', 'none'].map((ref) => ({
        party: accountOf('H').holder,
        person_ref: ref,
      })),
      holder: { ...accountOf('H').holder, kind: 'organisation', names: [{ name: 'Holding' }] },
    });
    const accounts = [{ ...plain, classification_id: record.classificationId }];
    expect(await upsertAccounts(desk.ports, { ...BOOK, accounts })).toMatchObject({ accepted: 1 });
    const { accounts: all } = await listed();
    const held = all.find(({ account_ref: ref }) => ref === 'H');
    expect(held?.controlling_persons?.map((one) => [one.person_ref, one.regimes])).toEqual([
      ['de', ['CRS']],
      ['us', ['FATCA']],
    ]);
  });

  test('a page ends where it is full, and the next goes on behind it', async () => {
    const all = refs((await listed()).accounts);
    const seen: string[] = [];
    let after: { segmentNo: number; position: number } | undefined;
    do {
      const page = await listAccounts(desk.ports, {
        ...PLACE,
        limit: 1,
        regime: 'CRS',
        ...(after !== undefined && { after }),
      });
      seen.push(...refs(page.accounts));
      after = page.next;
    } while (after !== undefined);
    expect(seen.toSorted()).toEqual(all);
  });
});

describe('accounts in files', () => {
  const lines = (from: number, count: number) =>
    Array.from({ length: count }, (_, at) => JSON.stringify(accountOf(`F-${from + at}`))).join(
      '\n',
    );

  test('a file replaces all at its end; until then nothing else comes in', async () => {
    const before = refs((await listed()).accounts);
    const text = `${lines(0, 700)}\n{"account_ref":"bad"}\nno json\n`;
    const { importId } = await order(gzipSync(text), 'replace');
    await expect(order(lines(0, 1), 'upsert')).rejects.toEqual(refused('import-running'));
    const one = { ...BOOK, accounts: [accountOf('Z')] };
    await expect(upsertAccounts(desk.ports, one)).rejects.toEqual(refused('import-running'));
    expect(refs((await listed()).accounts)).toEqual(before);
    await held(importId, (hold) => takeAccountFile(desk.ports, hold));
    expect(refs((await listed()).accounts)).toHaveLength(500);
    const done = await findImport(desk.ports, { importId, tenantId: TENANT });
    expect(done).toMatchObject({ accepted: 700, rejected: 2, rows: 702, status: 'completed' });
    const rejected = desk.blobs.get(done.rejectedFile?.address ?? '');
    expect(rejected?.toString()).toContain('702,,json-malformed');
    expect(await counted()).toBe(700);
  });

  test('a worker that dies goes on where it was, and nothing is taken twice', async () => {
    const { importId } = await order(lines(700, 1_100), 'upsert');
    let taken = 0;
    const dying = {
      ...desk.ports,
      commit: (async (...of: Parameters<typeof desk.ports.commit>) => {
        if (taken++ === 1) throw new Error('the process dies');
        return desk.ports.commit(...of);
      }) as typeof desk.ports.commit,
    };
    await expect(held(importId, (hold) => takeAccountFile(dying, hold))).rejects.toThrow('dies');
    const lease = { fence: 1, holder: 'test' };
    const key = { importId, tenantId: TENANT };
    await desk.tables.giveBack(accountImportTable, { claim: lease, isTried: true, key });
    await held(importId, (hold) => takeAccountFile(desk.ports, hold));
    expect(await findImport(desk.ports, key)).toMatchObject({ accepted: 1_100, rows: 1_100 });
    expect(await counted()).toBe(1_800);
  });

  test('a CSV gives the same accounts, and one that fails leaves what was there', async () => {
    const header =
      'account_ref,account_number,balance,currency,holder_kind,first_name,last_name,residence,' +
      'country,city,tin,tin_country,interest,fatca_reportable,crs_jurisdictions';
    const who = 'K-1,ACC-1,10.00,EUR,individual,Ada,Byron,DE FR,DE,Berlin';
    const row = `${who},${TIN_CANARY},DE,1.00,false,DE`;
    const { importId } = await order(`${header}\n${row}\nK-2,x\n`, 'upsert');
    await held(importId, (hold) => takeAccountFile(desk.ports, hold));
    expect(await findImport(desk.ports, { importId, tenantId: TENANT })).toMatchObject({
      accepted: 1,
      format: 'csv',
      rejected: 1,
    });
    expect(await counted()).toBe(1_801);
    const failing = await order(lines(0, 3), 'replace');
    await held(failing.importId, (hold) => failAccountFile(desk.ports, hold, 'blob-damaged'));
    expect(await counted()).toBe(1_801);
    await expect(order('account_ref,why\n', 'upsert')).rejects.toEqual(refused('csv-invalid'));
  });

  test('no tax number stands in an entry or a record', async () => {
    for (const action of ['tcr.accounts.taken', 'tcr.import.ended', 'tcr.import.received']) {
      const entries = await desk.entries(action);
      expect(entries.length).toBeGreaterThan(0);
      expect(JSON.stringify(entries)).not.toContain(TIN_CANARY);
    }
    for (const bytes of desk.blobs.values()) {
      expect(Buffer.from(bytes).includes(TIN_CANARY)).toBe(false);
    }
  });
});

async function counted(): Promise<number> {
  const book = await findBook(desk.ports, PLACE);
  let accounts = 0;
  if (book === undefined) throw new Error('the book is there');
  for await (const some of walkAccounts(desk.ports, book)) accounts += some.length;
  return accounts;
}

describe('what was changed past the service', () => {
  test('a book or an institution is refused, and a place is found out by its sum', async () => {
    await desk.alter('tax_account_place', '"K-1"', '"K-9"');
    await expect(counted()).rejects.toEqual(refused('state-altered'));
    await desk.alter('tax_account_place', '"K-9"', '"K-1"');
    await desk.alter('tax_account_book', '"accounts":1801', '"accounts":1800');
    desk.clock.advance(60_000);
    await expect(counted()).rejects.toEqual(refused('state-altered'));
    expect(await desk.ports.signedBooks.check(TENANT)).toHaveLength(1);
    await desk.alter('tax_reporting_fi', FI.name, 'Somebody else');
    desk.clock.advance(60_000);
    await expect(findReportingFi(desk.ports, PLACE)).rejects.toEqual(refused('state-altered'));
  });
});
