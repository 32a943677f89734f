/** The FFI list of the IRS: brought in whole or not at all, and asked by reports. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  classifySubject,
  findFfiList,
  importFfiList,
  openFfiListing,
  readFindings,
  saveReportingFi,
} from '#slices/tax';
import { onEachStore } from '../../storage/eachStore.ts';
import { filingKit } from './filingKit.ts';
import { FI, GIIN } from './reporting.ts';
import { ASK, openTaxDesk, type TaxDesk, TENANT } from './taxDesk.ts';

const DAY_MS = 24 * 3_600_000;
const refused = (detail: string) =>
  expect.objectContaining({ code: 'ffi-list-invalid', message: expect.stringContaining(detail) });

/** As the IRS writes it: names with commas stand in quotes. */
const fileOf = (giins: readonly string[]) =>
  ['GIIN,FINm,CountryNm', ...giins.map((giin) => `${giin},"Bank, S.A.",FRANCE`), ''].join('\r\n');
const numbered = (at: number) => `98Q96B.${String(at).padStart(5, '0')}.ME.250`;
const MANY = Array.from({ length: 1_000 }, (_, at) => numbered(at * 3)).toReversed();

onEachStore((makeHarness) => {
  let desk: TaxDesk;
  let kit: ReturnType<typeof filingKit>;
  beforeAll(async () => {
    desk = await openTaxDesk(makeHarness);
    kit = filingKit(desk);
    await saveReportingFi(desk.ports, {
      ...ASK,
      content: { ...FI, sender_giin: numbered(3) },
      giin: GIIN,
    });
  });
  afterAll(() => desk.close());

  const dayOf = (ago: number) =>
    new Date(desk.clock.now() - ago * DAY_MS).toISOString().slice(0, 10);
  async function* inPieces(text: string) {
    for (let at = 0; at < text.length; at += 1_001) yield Buffer.from(text.slice(at, at + 1_001));
  }
  const brought = (text: string, ago: number) =>
    importFfiList(desk.ports, { ...ASK, chunks: inPieces(text), listedOn: dayOf(ago) });
  const warned = async (period: string) =>
    (await readFindings(desk.ports, await kit.generated(period))).map(
      ({ code, pointer }) => `${code} ${pointer}`,
    );

  test('without one, nothing is said; then each number is looked up', async () => {
    expect(await openFfiListing(desk.ports, TENANT)).toBeUndefined();
    expect(await warned('2015')).toEqual([]);
    const list = await brought(fileOf([...MANY, numbered(3)]), 10);
    expect(list).toMatchObject({ entries: 1_000, version: 1 });
    const listing = await openFfiListing(desk.ports, TENANT);
    const now = desk.clock.now();
    for (const giin of MANY) expect(listing?.stateOf(giin, now)).toBe('listed');
    for (const at of [1, 2, 2_998, 99_999]) {
      expect(listing?.stateOf(numbered(at), now)).toBe('not_listed');
    }
    // The sender is listed, the institution is not.
    expect(await warned('2016')).toEqual(['fatca-giin-unlisted /reporting_fi_giin']);
    await brought(fileOf([...MANY, GIIN]), 9);
    expect(await warned('2017')).toEqual([]);
    const [entry] = (await desk.entries('tcr.ffi_list.imported')).toReversed();
    expect(entry).toMatchObject({ entries: 1_001, listed_on: dayOf(9) });
  });

  test('an entity has not shown a status by a number that is not listed', async () => {
    const claimed = (giin: string) =>
      classifySubject(desk.ports, {
        ...ASK,
        inputs: {
          account: { balance_usd: '1.00', opened: 'new', product: 'depository' },
          institution: { country: 'FR', iga_model: 'model_1', reportable_jurisdictions: [] },
          subject: {
            documented: true,
            giin,
            institution: 'deposit',
            kind: 'entity',
            organised_in: 'FR',
            registration: 'pffi',
            residences: ['FR'],
          },
        },
        subjectRef: 'bank-1',
      });
    const { content } = await claimed(GIIN);
    expect(content.inputs.giin_check).toEqual({ listed_on: dayOf(9), state: 'listed' });
    expect(content.result.documents_required).not.toContain('giin');
    const other = (await claimed(numbered(1))).content;
    expect(other.inputs.giin_check?.state).toBe('not_listed');
    expect(other.result.documents_required).toContain('giin');
    expect(other.result.fatca.status).not.toBe(content.result.fatca.status);
  });

  test('what is no whole list, or an older one, changes nothing', async () => {
    const before = await findFfiList(desk.ports, TENANT);
    const whole = fileOf([...MANY, GIIN]);
    for (const [text, ago, detail] of [
      [whole.replace('GIIN,', 'Number,'), 1, 'line 1: expected a column GIIN'],
      [whole.replace(numbered(2_997), 'O'), 1, 'line 2: expected six, five'],
      [fileOf(MANY.slice(200)), 1, 'the file may be cut off'],
      [whole.slice(0, -12), 1, 'expected'],
      [whole, 11, `expected ${dayOf(9)} or later`],
      [whole, -2, 'a day that is not to come'],
      ['', 1, 'expected'],
    ] as const) {
      await expect(brought(text, ago), detail).rejects.toEqual(refused(detail));
    }
    const odd = { ...ASK, chunks: inPieces(whole), listedOn: '2026-02-30' };
    await expect(importFfiList(desk.ports, odd)).rejects.toEqual(refused('a day'));
    expect(await findFfiList(desk.ports, TENANT)).toEqual(before);
  });

  test('an old list says that it is old, never yes', async () => {
    desk.clock.advance(36 * DAY_MS);
    const listing = await openFfiListing(desk.ports, TENANT);
    expect(listing?.stateOf(GIIN, desk.clock.now())).toBe('list_stale');
    expect(await warned('2018')).toEqual(['fatca-giin-list-stale ']);
  });

  test('a list that was altered past the service is refused', async () => {
    const list = await findFfiList(desk.ports, TENANT);
    expect(await desk.ports.signedFfiLists.check(TENANT)).toEqual([]);
    await desk.alter('tax_ffi_list', list?.listedOn ?? '', dayOf(0));
    await expect(openFfiListing(desk.ports, TENANT)).rejects.toEqual(
      expect.objectContaining({ code: 'state-altered' }),
    );
  });
});
