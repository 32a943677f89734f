/** The customers of a tenant as batches take them: each once, none silently missing. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EpochMs } from '#platform/clock';
import type { CohortFilter } from '#slices/batches';
import { type CaseRecord, cohortOf, erasureOfSubject, requireCase } from '#slices/customers';
import {
  ADULT,
  APPROVE,
  as,
  type CaseDesk,
  decide,
  documentless,
  given,
  openCaseDesk,
  openOne,
  REJECT,
  reviewOne,
  riskOf,
  TENANT,
} from './caseDesk.ts';

let desk: CaseDesk;
beforeAll(async () => {
  desk = await openCaseDesk();
  await documentless(desk);
});
afterAll(async () => desk.close());

/** All pages, in pages of so many. */
async function cohort(filter: CohortFilter, limit = 1_000): Promise<readonly string[]> {
  const found: string[] = [];
  for (let last: string | undefined; ; last = found.at(-1)) {
    const page = await cohortOf(desk.ports, {
      filter,
      limit,
      tenantId: TENANT,
      ...(last !== undefined && { afterExternalId: last }),
    });
    found.push(...page.map(({ external_id }) => external_id));
    if (page.length < limit) return found;
  }
}

const approve = async (record: CaseRecord) => decide(desk, record, as('ada'), APPROVE);

test('a customer under renewal, or looked at again, stays in; a replaced case is out', async () => {
  const approved = await approve(await reviewOne(desk, { external_ref: 'a-approved' }));
  const renewed = await approve(await reviewOne(desk, { external_ref: 'b-renewed' }));
  const reopened = await approve(await reviewOne(desk, { external_ref: 'c-reopened' }));
  const replaced = await approve(await reviewOne(desk, { external_ref: 'd-replaced' }));
  await openOne(desk, { external_ref: renewed.externalRef });
  await decide(desk, reopened, as('lena'), given('reopen'));
  const anew = await reviewOne(desk, { external_ref: replaced.externalRef });
  await decide(desk, anew, as('ada'), REJECT);
  await openOne(desk, { external_ref: 'e-open' });
  expect(await cohort({ caseStatus: 'approved' })).toEqual([
    approved.externalRef,
    renewed.externalRef,
    reopened.externalRef,
  ]);
  expect(await cohort({ caseStatus: 'rejected' })).toEqual([replaced.externalRef]);
  expect(await cohort({ caseStatus: 'open' })).toEqual([renewed.externalRef, 'e-open']);
  expect(await cohort({})).toEqual([
    'a-approved',
    'b-renewed',
    'c-reopened',
    'd-replaced',
    'e-open',
  ]);
  expect(await requireCase(desk.ports, replaced)).toMatchObject({ supersededBy: anew.caseId });
});

test('pages of any size give each customer once', async () => {
  const whole = await cohort({});
  for (const limit of [1, 2, 3, 1_000]) expect(await cohort({}, limit)).toEqual(whole);
});

test('tier and country narrow; who has no name is there without one', async () => {
  desk.around.risk = riskOf('low');
  const subject = { ...ADULT, country_residence: 'TN', full_name: 'Tarek Velmorani' };
  const low = await reviewOne(desk, { external_ref: 'f-low', subject });
  await openOne(desk, { external_ref: 'g-nameless', subject: { country_residence: 'TN' } });
  expect(await cohort({ caseRiskTiers: ['low', 'high'] })).toEqual([low.externalRef]);
  expect(await cohort({ countryResidence: 'TN' })).toEqual(['f-low', 'g-nameless']);
  const [, nameless] = await cohortOf(desk.ports, {
    filter: { countryResidence: 'TN' },
    limit: 10,
    tenantId: TENANT,
  });
  expect(nameless).toEqual({ country_residence: 'TN', external_id: 'g-nameless', full_name: '' });
});

test('references sort by their bytes, and none is lost between pages', async () => {
  const odd = ['h/É', 'h/é', 'h/ﬀ', 'h/😀', 'h/z'];
  for (const external_ref of odd) await openOne(desk, { external_ref });
  const sorted = odd.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
  const found = (await cohort({ caseStatus: 'open' }, 2)).filter((one) => one.startsWith('h/'));
  expect(found).toEqual(sorted);
});

test('who is kept under a pseudonym alone is left out', async () => {
  const approved = await approve(await reviewOne(desk, { external_ref: 'i-erased' }));
  expect(await cohort({})).toContain('i-erased');
  const now = (desk.ports.clock.now() + 1) as EpochMs;
  const pseudonym = `psn_${'0z'.repeat(13)}`;
  await erasureOfSubject({ ...desk.ports, audit: desk.audit }).erase(
    { subjectRef: 'i-erased', tenantId: TENANT },
    { actor: 'system:privacy', asOf: now, now, pseudonym, reason: 'test', retentionYears: 10 },
  );
  const kept = await requireCase(desk.ports, approved);
  expect(kept).toMatchObject({ externalRef: pseudonym, status: 'approved' });
  const found = await cohort({});
  expect(found).not.toContain('i-erased');
  expect(found).not.toContain(pseudonym);
});
