/** Flags × purposes (customers.md 5.4, P5): which work stops for whom, and a flag nobody signed. */
import { describe, expect, test } from 'vitest';
import { PURPOSES, type Purpose } from '#core/privacy';
import {
  changeFlags,
  mayProcessBy,
  mayProcessEachBy,
  signedPrivacy,
  subjectFlagTable,
} from '#slices/privacy';
import { CLERK, privacyHouse, TENANT } from './privacyHouse.ts';

const SUBJECT = { subjectRef: 'C-1042', tenantId: TENANT };
const REASON = 'Letter of the twelfth of January';

/** What stops, as the page has it: everything else is a duty, or what the person asked for. */
const STOPS: readonly Purpose[] = [
  'automatic-approval',
  'backtest-cohort',
  'biometrics',
  'marketing',
  'onboarding-reminder',
  'registry-lookup',
  'shadow-evaluation',
  'statistics',
];

describe('flags of subjects', () => {
  test('each purpose goes on, or stops, for whom each flag holds', async () => {
    const all = Object.keys(PURPOSES) as Purpose[];
    for (const [processingRestricted, opposed] of [
      [false, false],
      [true, false],
      [false, true],
      [true, true],
    ] as const) {
      const ports = privacyHouse();
      await changeFlags(ports, {
        by: CLERK,
        opposed,
        processingRestricted,
        reason: REASON,
        subjectRef: SUBJECT.subjectRef,
      });
      const ask = mayProcessBy(ports.signed);
      const stopped: Purpose[] = [];
      for (const purpose of all) if (!(await ask(SUBJECT, purpose))) stopped.push(purpose);
      expect(stopped.sort()).toEqual(processingRestricted || opposed ? STOPS : []);
      const other = { subjectRef: 'C-1', tenantId: TENANT };
      expect(await ask(other, 'marketing')).toBe(true);
      const each = mayProcessEachBy(ports.signed);
      const subjectRefs = ['C-1', SUBJECT.subjectRef, 'C-2'];
      for (const purpose of all) {
        const may = await each({ subjectRefs, tenantId: TENANT }, purpose);
        expect(may, purpose).toEqual([true, !stopped.includes(purpose), true]);
      }
    }
  });

  test('duties look nobody up', async () => {
    const never = { flagOf: () => Promise.reject(new Error('looked up')) };
    expect(await mayProcessBy(never)(SUBJECT, 'screening')).toBe(true);
    await expect(mayProcessBy(never)(SUBJECT, 'statistics')).rejects.toThrow('looked up');
    const each = mayProcessEachBy({ flagsOf: never.flagOf });
    const many = { subjectRefs: ['C-1', 'C-2'], tenantId: TENANT };
    expect(await each(many, 'screening')).toEqual([true, true]);
    await expect(each(many, 'backtest-cohort')).rejects.toThrow('looked up');
  });

  test('of a thousand subjects the chain is hardly asked, and nothing is remembered', async () => {
    const ports = privacyHouse();
    await changeFlags(ports, { by: CLERK, opposed: true, reason: REASON, subjectRef: 'C-7' });
    let reads = 0;
    const { audit, keyRing, tables } = ports.house;
    const counted = signedPrivacy({
      clock: { monotonicMs: () => 0 },
      keyRing,
      tables,
      audit: {
        findBySeq: (...of) => audit.findBySeq(...of),
        readEvents: (page) => {
          reads += 1;
          return audit.readEvents(page);
        },
      },
    });
    const each = mayProcessEachBy(counted);
    for (let from = 0; from < 3_000; from += 1_000) {
      const subjectRefs = Array.from({ length: 1_000 }, (_, at) => `C-${from + at}`);
      const may = await each({ subjectRefs, tenantId: TENANT }, 'backtest-cohort');
      expect(may.filter((one) => !one)).toHaveLength(from === 0 ? 1 : 0);
    }
    // At first, and for the one flag that is kept.
    expect(reads).toBe(2);
  });

  test('an absent flag stays as it is, and a version that is meant is compared', async () => {
    const ports = privacyHouse();
    const change = { by: CLERK, reason: REASON, subjectRef: SUBJECT.subjectRef };
    await changeFlags(ports, { ...change, opposed: true });
    const both = await changeFlags(ports, { ...change, processingRestricted: true });
    expect(both).toMatchObject({ opposed: true, processingRestricted: true, version: 2 });
    await expect(
      changeFlags(ports, { ...change, isExpected: (version) => version === 1, opposed: false }),
    ).rejects.toMatchObject({ code: 'precondition-failed' });
    expect(() => changeFlags(ports, { ...change, opposed: false, reason: 'no' })).toThrow();
    const lifted = await changeFlags(ports, { ...change, opposed: false });
    expect(lifted).toMatchObject({ opposed: false, processingRestricted: true });
  });

  test('a flag that was lifted, or taken away, past the service is refused by name', async () => {
    const ports = privacyHouse();
    const flag = await changeFlags(ports, {
      by: CLERK,
      processingRestricted: true,
      reason: REASON,
      subjectRef: SUBJECT.subjectRef,
    });
    const ask = mayProcessBy(ports.signed);
    ports.house.seed(subjectFlagTable, { ...flag, processingRestricted: false });
    await expect(ask(SUBJECT, 'marketing')).rejects.toMatchObject({ code: 'state-altered' });
    ports.house.apply(TENANT, [subjectFlagTable.remove(SUBJECT, flag.version)]);
    await expect(ask(SUBJECT, 'marketing')).rejects.toMatchObject({ code: 'state-altered' });
    const many = { subjectRefs: ['C-1', SUBJECT.subjectRef], tenantId: TENANT };
    await expect(mayProcessEachBy(ports.signed)(many, 'marketing')).rejects.toMatchObject({
      code: 'state-altered',
    });
    expect((await ports.signed.check(TENANT)).refusals).toHaveLength(1);
  });
});
