/**
 * Many customers at once, each with a link of their own: nobody fills in the case of another. Two
 * thousand by default; ONBOARDING_LINKS says how many.
 */
import { expect, test } from 'vitest';
import { readContent, requireCase } from '#slices/customers';
import { submittedValues } from '#slices/forms';
import { FILLED } from '../forms/formDesk.ts';
import { openOnboardingDesk, TENANT } from './onboardingDesk.ts';

const LINKS = Number(process.env.ONBOARDING_LINKS ?? 2_000);
const AT_ONCE = 200;

const nameOf = (place: number): string =>
  // Letters alone, as the form has it.
  `Client ${[...String(place)].map((digit) => String.fromCharCode(97 + Number(digit))).join('')}`;

test(`${LINKS} live links fill ${LINKS} cases, and none of another`, async () => {
  const desk = await openOnboardingDesk();
  try {
    const tokens: { readonly caseId: string; readonly token: string }[] = [];
    await inTurns(LINKS, async (place) => {
      const { caseId } = await desk.openCase(null);
      const { token } = await desk.open(caseId);
      tokens[place] = { caseId, token };
    });
    // All are alive before the first is used, and their order is not the one they were made in.
    await inTurns(LINKS, async (turn) => {
      const place = (turn * 7_919) % LINKS;
      const caller = await desk.call(tokens[place]?.token ?? '');
      const data = { ...FILLED, first_name: nameOf(place) };
      await desk.submit(caller, { ...data, last_name: 'draft' }, false);
      await desk.submit(caller, data);
    });
    let crossed = 0;
    await inTurns(LINKS, async (place) => {
      const caseId = tokens[place]?.caseId ?? '';
      const record = await requireCase(desk.ports.cases, { caseId, tenantId: TENANT });
      const { subject } = await readContent(desk.ports.cases, record);
      const { submissionId = '' } = record.form ?? {};
      const submission = await desk.ports.findSubmission({ submissionId, tenantId: TENANT });
      const values = submission && (await submittedValues(desk.ports, submission));
      const names = [subject.first_name, values?.first_name];
      if (submission?.caseId !== caseId || names.some((name) => name !== nameOf(place))) crossed++;
    });
    expect(crossed).toBe(0);
  } finally {
    await desk.close();
  }
}, 600_000);

/** So many at once, each place once. */
async function inTurns(count: number, work: (place: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let place = next++; place < count; place = next++) await work(place);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
