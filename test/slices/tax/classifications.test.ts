/** A holder as he is classified, cured, and classified again when his time is over. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canonicalJson } from '#platform/canonicalJson';
import {
  type ClassificationInputs,
  classificationDigest,
  classify,
  classifySubject,
  cureIndicium,
  daysAfter,
  EVIDENCE,
  erasureOfHolder,
  findClassification,
  type IndividualSubject,
  lapseCures,
  listClassifications,
  readClassificationContent,
  taxClassificationTable,
} from '#slices/tax';
import { makeSqliteHarness } from '../../storage/sqlite/harness.ts';
import { ASK, BORN_IN_US, openTaxDesk, type TaxDesk, TENANT } from './taxDesk.ts';

const DAY_MS = 24 * 3_600_000;
const BEGUN = '2026-01-02';
const INPUTS: ClassificationInputs = { ...BORN_IN_US, begun_on: BEGUN };
const individual = (more: Partial<IndividualSubject>, of = INPUTS): ClassificationInputs => ({
  ...of,
  subject: { ...of.subject, ...more } as IndividualSubject,
});
const WHOLE = ['self_certification', 'non_us_passport', 'loss_of_nationality_certificate'] as const;

describe('what a natural person is', () => {
  const fatca = (inputs: ClassificationInputs, on = BEGUN) => classify(inputs, on).fatca.status;

  test.each([
    ['born in the United States', INPUTS, 'PENDING_CURE'],
    ['two documents of three', individual({ evidence: [...WHOLE.slice(0, 2)] }), 'PENDING_CURE'],
    ['all that cures it', individual({ evidence: [...WHOLE] }), 'NON_US'],
    ['an admitted citizen', individual({ us_citizen: true }), 'US_SPECIFIED'],
    ['with nothing on file', individual({ birth_country: 'FR' }), 'NON_US'],
    [
      'of a floor that was elected',
      { ...INPUTS, account: { ...INPUTS.account, balance_usd: '50000.00', floors_elected: true } },
      'EXEMPT_BELOW_THRESHOLD',
    ],
    [
      'a cent above it',
      { ...INPUTS, account: { ...INPUTS.account, balance_usd: '50000.01', floors_elected: true } },
      'PENDING_CURE',
    ],
    [
      'new and undocumented',
      individual(
        { birth_country: 'FR' },
        { ...INPUTS, account: { ...INPUTS.account, opened: 'new' } },
      ),
      'DOCUMENTATION_REQUIRED',
    ],
  ] as const)('%s: %s', (_, inputs, status) => {
    expect(fatca(inputs)).toBe(status);
  });

  test('whose time is over is reported by the agreement of the country', () => {
    const over = daysAfter(BEGUN, 90);
    const by = (iga_model: 'model_1' | 'model_2', more = {}) =>
      classify(
        individual(more, { ...INPUTS, institution: { ...INPUTS.institution, iga_model } }),
        over,
      ).fatca;
    expect(by('model_1')).toMatchObject({
      holder_type: 'FATCA104',
      status: 'US_REPORTABLE_INDICIA',
    });
    expect(by('model_2')).toMatchObject({ holder_type: null, pool_type: 'FATCA201' });
    expect(by('model_2', { us_person_on_record: true })).toMatchObject({ pool_type: 'FATCA205' });
    expect(fatca(INPUTS, daysAfter(BEGUN, 89))).toBe('PENDING_CURE');
  });

  test('under CRS: by certificate, by address, by all indicia, or to nobody', () => {
    const crs = (more: Partial<IndividualSubject>, on = BEGUN) =>
      classify(individual(more), on).crs;
    const certified = (residences: string[]) =>
      crs({ self_certification: { is_reasonable: true, residences } });
    expect(certified(['IT', 'FR', 'DE', 'BR']).reportable_jurisdictions).toEqual(['DE', 'IT']);
    expect(certified(['FR']).status).toBe('NOT_REPORTABLE');
    const abroad = { addresses: [{ country: 'DE', kind: 'residence' as const }] };
    expect(crs({ ...abroad, address_documented: true })).toMatchObject({
      reportable_jurisdictions: ['DE'],
      status: 'REPORTABLE_BY_ADDRESS',
    });
    const pointing = { ...abroad, attorney_countries: ['IT'] };
    expect(crs(pointing)).toMatchObject({ reportable_jurisdictions: [], status: 'PENDING_CURE' });
    expect(crs(pointing, daysAfter(BEGUN, 90))).toMatchObject({
      reportable_jurisdictions: ['DE', 'IT'],
      status: 'REPORTABLE_BY_INDICIA',
    });
    const held = { addresses: [{ country: 'DE', kind: 'hold_mail' as const }] };
    expect(crs(held).status).toBe('PAPER_SEARCH_REQUIRED');
    expect(crs({ ...held, paper_search_failed: true }).undocumented).toBe(true);
  });
});

describe('what an entity is', () => {
  const entity = (more: object): ClassificationInputs => ({
    ...INPUTS,
    subject: {
      documented: true,
      kind: 'entity',
      organised_in: 'FR',
      residences: ['FR'],
      ...more,
    } as never,
  });
  const person = (ref: string, us_person: boolean, residence: string, ownership_pct = 30) => ({
    ownership_pct,
    person_ref: ref,
    residences: [residence],
    us_person,
  });

  test('passive: its owners are reported with it, above a quarter by an agreement', () => {
    const persons = [
      person('a', true, 'US'),
      person('b', true, 'DE', 25),
      person('c', false, 'IT'),
    ];
    const { crs, fatca } = classify(entity({ persons }), BEGUN);
    expect(fatca).toMatchObject({ holder_type: 'FATCA102', owners: ['a'], status: 'PASSIVE_NFFE' });
    expect(crs).toMatchObject({
      holder_type: 'CRS101',
      persons: ['b', 'c'],
      reportable_jurisdictions: ['DE', 'IT'],
    });
  });

  test('an institution whose status a GIIN would show is nothing without one', () => {
    const bank = { institution: 'deposit', registration: 'model_1' };
    const without = classify(entity(bank), BEGUN);
    expect(without.fatca).toMatchObject({ holder_type: 'FATCA103', status: 'NPFFI' });
    expect(without.documents_required).toEqual(['giin']);
    const { fatca } = classify(entity({ ...bank, giin: '98Q96B.00000.LE.250' }), BEGUN);
    expect(fatca).toMatchObject({ reportable: false, status: 'MODEL1' });
  });

  test('managed in a jurisdiction that does not participate it is passive', () => {
    const managed = { institution: 'investment', managed_by_institution: true };
    const persons = [person('a', false, 'DE')];
    expect(classify(entity({ ...managed, persons }), BEGUN).crs).toMatchObject({
      holder_type: 'CRS101',
      status: 'INVESTMENT_ENTITY_NONPARTICIPATING',
    });
    const there = { ...managed, in_participating_jurisdiction: true, persons };
    expect(classify(entity(there), BEGUN).crs.status).toBe('FI_REPORTING');
  });
});

const country = fc.constantFrom('US', 'FR', 'DE', 'IT', 'BR');
const files: fc.Arbitrary<Partial<IndividualSubject>> = fc.record({
  addresses: fc.array(
    fc.record({
      country,
      kind: fc.constantFrom('residence', 'mailing', 'po_box', 'care_of', 'hold_mail'),
    }),
    { maxLength: 3 },
  ),
  attorney_countries: fc.array(country, { maxLength: 2 }),
  birth_country: country,
  phone_countries: fc.array(country, { maxLength: 3 }),
  standing_instructions_to: fc.array(country, { maxLength: 2 }),
  us_person_on_record: fc.boolean(),
});

test('the same files give the same bytes, and evidence never adds an indicium', () => {
  const open = (inputs: ClassificationInputs) =>
    classify(inputs, BEGUN).indicia.filter(({ state }) => state !== 'cured').length;
  fc.assert(
    fc.property(files, fc.subarray([...EVIDENCE]), fc.subarray([...EVIDENCE]), (of, some, more) => {
      const before = individual({ ...of, evidence: some });
      const after = individual({ ...of, evidence: [...some, ...more] });
      expect(canonicalJson(classify(before, BEGUN) as never)).toBe(
        canonicalJson(classify(structuredClone(before), BEGUN) as never),
      );
      expect(open(after)).toBeLessThanOrEqual(open(before));
    }),
    { numRuns: 300 },
  );
});

describe('kept', () => {
  let desk: TaxDesk;
  beforeAll(async () => {
    desk = await openTaxDesk(makeSqliteHarness);
  });
  afterAll(() => desk.close());
  const refused = (code: string) => expect.objectContaining({ code });
  const made = (subjectRef: string, inputs = BORN_IN_US) =>
    classifySubject(desk.ports, { ...ASK, inputs, subjectRef });
  const cure = (classificationId: string, more: object = {}) =>
    cureIndicium(desk.ports, {
      ...ASK,
      classificationId,
      country: 'US',
      documents: WHOLE,
      indicium: 'US_BIRTHPLACE',
      ...more,
    });

  test('a holder is erased with the key, once the law wants nothing any more', async () => {
    const { record } = await made('erased');
    const { erase, plan } = erasureOfHolder(desk.ports);
    const holder = { subjectRef: 'erased', tenantId: record.tenantId };
    const now = desk.clock.now();
    const order = { actor: 'system:privacy', pseudonym: 'psn_x', reason: 'asked' } as const;
    const ten = { asOf: now, now, retentionYears: 10 };
    expect(await plan(holder, ten)).toMatchObject([{ action: 'keep', rows: 1, why: 'legal_duty' }]);
    await erase(holder, { ...order, ...ten });
    expect((await readClassificationContent(desk.ports, record)).result).toBeDefined();
    const none = { ...ten, retentionYears: 0 };
    expect(await plan(holder, none)).toEqual([{ action: 'delete', rows: 1, why: 'no_duty' }]);
    await erase(holder, { ...order, ...none });
    await erase(holder, { ...order, ...none });
    expect(await plan(holder, none)).toEqual([]);
    await expect(readClassificationContent(desk.ports, record)).rejects.toEqual(
      refused('blob-damaged'),
    );
  });

  test('a cure takes the place of what it cures; both have their entries', async () => {
    const { record } = await made('cured');
    expect(record.status).toBe('pending_cure');
    desk.clock.advance(1);
    const cured = await cure(record.classificationId);
    expect(cured.record).toMatchObject({ status: 'final', supersedes: record.classificationId });
    expect(cured.content.notes).toMatchObject([{ by: ASK.actor, indicium: 'US_BIRTHPLACE' }]);
    const before = await findClassification(desk.ports, record);
    expect(before).toMatchObject({ status: 'superseded', version: 2 });
    await expect(cure(record.classificationId)).rejects.toEqual(refused('state-conflict'));
    await expect(cure(cured.record.classificationId)).rejects.toEqual(
      refused('classification-invalid'),
    );
    const entries = await desk.entries('tcr.classification.made');
    expect(entries.at(-1)).toMatchObject({
      classification_digest: classificationDigest(cured.record),
      status: 'final',
    });
    const listed = await listClassifications(desk.ports, {
      limit: 10,
      subjectRef: 'cured',
      tenantId: TENANT,
    });
    expect(listed.records.map(({ status }) => status)).toEqual(['final', 'superseded']);
    expect(await readClassificationContent(desk.ports, before)).toMatchObject({
      result: { status: 'pending_cure' },
    });
  });

  test('two at once: one is in force, none is lost', async () => {
    const all = await Promise.all([1, 2, 3, 4].map(() => made('raced')));
    const listed = await listClassifications(desk.ports, {
      limit: 10,
      subjectRef: 'raced',
      tenantId: TENANT,
    });
    expect(listed.records.length).toBe(all.length);
    const statuses = listed.records.map(({ status }) => status);
    expect(statuses.filter((one) => one === 'superseded').length).toBe(3);
  });

  test('a list is walked page by page', async () => {
    const ids: string[] = [];
    let after: string | undefined;
    do {
      const page = await listClassifications(desk.ports, {
        limit: 3,
        subjectRef: 'raced',
        tenantId: TENANT,
        ...(after !== undefined && { after }),
      });
      ids.push(...page.records.map(({ classificationId }) => classificationId));
      after = page.next;
    } while (after !== undefined);
    expect(new Set(ids).size).toBe(4);
  });

  test('what cannot be is refused with its place', async () => {
    const wrong = {
      ...BORN_IN_US,
      begun_on: '2026-02-30',
      institution: { ...BORN_IN_US.institution, country: 'QQ' },
    };
    await expect(made('wrong', wrong)).rejects.toMatchObject({
      code: 'classification-invalid',
      violations: [{ pointer: '/institution/country' }, { pointer: '/begun_on' }],
    });
    await expect(
      findClassification(desk.ports, { classificationId: 'none', tenantId: TENANT }),
    ).rejects.toEqual(refused('classification-unknown'));
  });

  test('nothing of the files is in the clear, in rows or entries', async () => {
    const { record } = await made('canary', {
      ...BORN_IN_US,
      subject: { ...BORN_IN_US.subject, birth_country: 'KP' } as IndividualSubject,
    });
    const entries = await desk.entries('tcr.classification.made');
    const clear = JSON.stringify([record, entries.at(-1)]);
    const sealed = Buffer.from(desk.blobs.get(record.blob) ?? []).toString('latin1');
    expect([clear, sealed].some((text) => text.includes('"KP"'))).toBe(false);
    expect(sealed.length).toBeGreaterThan(500);
  });

  test('a time that is over counts; an altered row decides nothing', async () => {
    const { record } = await made('late');
    const { record: other } = await made('altered');
    expect(await desk.alter('tax_classification', other.contentHash, 'f'.repeat(64))).toBe(1);
    desk.clock.advance(89 * DAY_MS);
    expect(await lapseCures(desk.ports)).toBe(0);
    desk.clock.advance(DAY_MS);
    await expect(lapseCures(desk.ports)).rejects.toEqual(refused('state-altered'));
    // The holder who was erased is due no more: the altered one alone is.
    const due = await desk.tables.page(taxClassificationTable, {
      equal: { isAwaiting: true },
      index: 'due',
      limit: 50,
      to: desk.clock.now(),
    });
    expect(due.records.map(({ subjectRef }) => subjectRef)).toEqual(['altered']);
    const [last] = (
      await listClassifications(desk.ports, { limit: 1, subjectRef: 'late', tenantId: TENANT })
    ).records;
    expect(last).toMatchObject({ createdBy: 'system:tax', supersedes: record.classificationId });
    expect(await desk.ports.signed.check(TENANT)).toEqual([
      expect.stringContaining(other.classificationId),
    ]);
    await expect(findClassification(desk.ports, other)).rejects.toEqual(refused('state-altered'));
  });
});
