/** The log through the rules: published by two persons, alerts exactly once, whatever dies when. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { EpochMs } from '#platform/clock';
import { checkAlerts } from '#slices/alerts';
import {
  alertFacts,
  alertSubject,
  approveSuppression,
  checkEvaluated,
  checkResults,
  checkRules,
  checkSuppressions,
  DEFAULT_PACK,
  draftRule,
  endSuppression,
  evaluatedBetween,
  findRule,
  publishRule,
  type Rule,
  RuleReplay,
  saveRule,
  shadowRule,
  storedDigest,
  suppress,
  suppressionTable,
} from '#slices/rules';
import { openRuleHouse, PLACE, type RuleHouse, structuring, TENANT } from './house.ts';

let house: RuleHouse;
beforeEach(() => {
  house = openRuleHouse();
});

/** What has to be alike whatever died: all but times and how often something was written. */
const lasting = async () => ({
  alerts: (await house.alerts())
    .map(({ alertId, cause, rule, score, severity, type }) => ({
      alertId,
      cause,
      rule,
      score,
      severity,
      type,
    }))
    .sort((one, other) => (one.alertId < other.alertId ? -1 : 1)),
  stored: (await house.stored())
    .map(({ alert, alertId }) => ({ alert, alertId }))
    .sort((one, other) => (one.alertId < other.alertId ? -1 : 1)),
});

async function refusals(): Promise<readonly string[]> {
  const alerts = (await house.stored()).map((one) => ({
    digest: storedDigest(one),
    key: one.alertId,
  }));
  const position = await house.position();
  return [
    ...(await checkRules(house.parts, TENANT)).refusals,
    ...(await checkEvaluated(house.parts, TENANT, { alerts, position })),
    ...(await checkSuppressions(house.parts, TENANT)).refusals,
    ...(await checkResults(house.reading(), TENANT, Date.now())).refusals,
    ...(await checkAlerts(house.house, TENANT)).refusals,
  ];
}

test('a rule in shadow counts and raises nothing; published it raises one alert', async () => {
  await house.take(structuring('A-1', 1));
  await house.evaluate();
  expect(await house.alerts()).toEqual([]);
  expect((await house.stored()).map(({ alert, ruleId }) => [ruleId, alert.mode])).toEqual([
    ['TM-CASH-01@1', 'shadow'],
  ]);
  await house.publish();
  await house.take(structuring('A-2', 4));
  await house.evaluate();
  const [alert, ...others] = await house.alerts();
  expect(others).toEqual([]);
  expect(alert).toMatchObject({
    rule: {
      aggregate: { bound: '3', name: 'let.near', unit: 'number', value: '3' },
      ruleVersion: 1,
      txIds: ['S-6'],
      txTotal: 1,
    },
    ruleId: 'TM-CASH-01',
    severity: 'High',
    source: 'rules',
    type: 'monitoring',
  });
  const results = await evaluatedBetween(house.reading(), {
    tenantId: TENANT,
    tseqFrom: 4,
    tseqTo: 6,
  });
  expect(results?.map(({ alerts, decision }) => [decision, alerts])).toEqual([
    ['pass', []],
    ['pass', []],
    ['review', [alert?.alertId]],
  ]);
  expect(
    await evaluatedBetween(house.reading(), { tenantId: TENANT, tseqFrom: 6, tseqTo: 7 }),
  ).toBe(undefined);
  expect(await refusals()).toEqual([]);
});

test('an alert is shown with whom it is about and why, read from the log', async () => {
  await house.publish();
  await house.take(structuring('A-1', 1));
  await house.evaluate();
  const [alert] = await house.alerts();
  const subject = alertSubject(house.shown());
  const shown = await subject({ alertId: alert?.alertId ?? '', tenantId: TENANT }, true);
  expect(shown).toMatchObject({
    externalId: 'A-1',
    isErased: false,
    rule: {
      accountId: 'A-1',
      explanation: {
        conditions: [
          {
            bound: '3',
            met: true,
            name: 'let.near',
            op: 'gte',
            tseqs: [1, 2, 3],
            value: '3',
            window: 'P2D',
          },
          { bound: '10000.00', met: true, name: 'let.sum', value: '27000.00' },
        ],
        text: { en: '3 cash credits just below 10000.00, 27000.00 in all' },
      },
      subjectKind: 'account',
    },
  });
  // What stands in evidence names nobody.
  const entries = await house.house.audit.readEvents({
    chainId: TENANT as never,
    fromSeq: 1,
    limit: 1_000,
  });
  const told = entries
    .filter(({ action }) => action?.startsWith('aml.rule'))
    .map(({ body }) => body);
  expect(told.length).toBeGreaterThan(1);
  expect(told.join('\n')).not.toContain('"A-1"');
});

test('an alert says where its figure was taken of, and whether it came late', async () => {
  await house.publish();
  const [first, ...others] = structuring('A-1', 1);
  await house.take(others);
  await house.take(structuring('A-2', 11));
  await house.evaluate();
  expect(await house.alerts()).toHaveLength(1);
  await house.take(first === undefined ? [] : [first]);
  await house.evaluate();
  const told = await Promise.all(
    (await house.alerts()).map(async (alert) => {
      const place = { alertId: alert.alertId, tenantId: TENANT };
      const subject = await alertSubject(house.shown())(place, true);
      const facts = await alertFacts(house.shown())(place);
      return [subject?.rule?.accountId, subject?.rule?.isLate, facts?.window];
    }),
  );
  const window = { from: '2026-03-03T12:00:00.000Z', to: '2026-03-05T12:00:00.000Z' };
  expect(told.sort()).toEqual([
    ['A-1', true, window],
    ['A-2', false, window],
  ]);
  expect(await refusals()).toEqual([]);
});

test('more of the same is a revision of the alert, and no other one', async () => {
  await house.publish();
  await house.take(structuring('A-1', 1));
  await house.evaluate();
  await house.take(
    structuring('A-1', 4).map((one) => ({
      ...one,
      occurred_at: one.occurred_at.replace('T1', 'T2'),
    })),
  );
  await house.evaluate();
  const [alert, ...others] = await house.alerts();
  expect(others).toEqual([]);
  expect(alert).toMatchObject({ rule: { txTotal: 4 }, version: 2 });
  expect(await refusals()).toEqual([]);
});

describe('whatever dies', () => {
  const batches = Array.from({ length: 6 }, (_, at) =>
    structuring(`A-${at % 3}`, 10 * at, `2026-03-${10 + at}`),
  );

  async function run(dieAt?: (point: string) => void): Promise<void> {
    await house.publish();
    house.dieAt(dieAt);
    for (const batch of batches) {
      await house.take(batch);
      for (let tries = 1; ; tries += 1) {
        try {
          await house.evaluate(tries > 1);
          break;
        } catch (error) {
          if (!(error instanceof Error) || error.message !== 'killed' || tries > 20) throw error;
        }
      }
    }
    house.dieAt(undefined);
  }

  test.each(['read', 'evaluated', 'before commit', 'committed'])(
    'at %s: the same alerts',
    async (where) => {
      await run();
      const whole = await lasting();
      expect(whole.alerts.length).toBeGreaterThan(3);
      house = openRuleHouse();
      let count = 0;
      await run((point) => {
        if (point === where && ++count % 2 === 1) throw new Error('killed');
      });
      expect(count).toBeGreaterThan(3);
      const { alerts, stored } = await lasting();
      // Subjects are told apart by a key of the tenant's own, which another house makes anew.
      const anonymous = (all: typeof whole) =>
        [...all.alerts, ...all.stored]
          .map((one) => JSON.stringify(one).replaceAll(/[0-9a-f]{64}|[0-9a-f-]{36}/g, '#'))
          .sort();
      expect(alerts.length).toBe(whole.alerts.length);
      expect(anonymous({ alerts, stored })).toEqual(anonymous(whole));
      expect(await refusals()).toEqual([]);
    },
  );

  test('an evaluation of the whole log comes to the same bytes as one in parts', async () => {
    await run();
    const { stored } = await lasting();
    // The same log, read by a process that has nothing of its own.
    expect(await new RuleReplay(house.parts, TENANT).run()).toEqual(stored);
  });
});

describe('versions', () => {
  const wanted = (changes: Partial<Rule> = {}) => ({
    content: { ...DEFAULT_PACK[0], ...changes },
    justification: 'Ours is lower',
  });

  test('are drafted, tested and signed by two persons; an edit voids it all', async () => {
    const draft = await draftRule(house.parts, house.as('carl'), wanted());
    expect(draft).toMatchObject({ ruleVersion: 2, status: 'draft' });
    const place = { ...PLACE, ruleVersion: 2 };
    await expect(house.publish(place)).rejects.toMatchObject({ code: 'rule-untested' });
    await shadowRule(house.parts, { ...house.as('carl'), ...place });
    const one = await findRule(house.parts, place);
    const signed = await publishRule(house.parts, {
      ...house.as('carl'),
      ...place,
      signatures: [house.sign(one, 'carl')],
    });
    expect(signed.status).toBe('PENDING_APPROVAL');
    const saved = await saveRule(
      house.parts,
      { ...house.as('carl'), ...place },
      wanted({ score: '0.8' }),
    );
    expect(saved).toMatchObject({ signatures: [], status: 'draft' });
    await shadowRule(house.parts, { ...house.as('carl'), ...place });
    expect(await house.publish(place)).toMatchObject({ status: 'published' });
    await expect(
      saveRule(house.parts, { ...house.as('carl'), ...place }, wanted()),
    ).rejects.toMatchObject({ code: 'rule-immutable' });
    expect(await refusals()).toEqual([]);
  });

  test('are refused with every violation at once', async () => {
    const content = {
      ...DEFAULT_PACK[0],
      suppress: 'P401D',
      let: { near: { agg: 'count', window: { sliding: 'P500D' } }, odd: { agg: 'median' } },
      severity: 'Severe',
      when: { all: [{ gte: ['let.near', 'param.threshold'] }, { matches: ['tx.account', '.*'] }] },
    };
    await expect(
      draftRule(house.parts, house.as('carl'), { content, justification: 'x' }),
    ).rejects.toMatchObject({
      code: 'rule-invalid',
      violations: expect.arrayContaining([
        expect.objectContaining({ pointer: '/severity' }),
        expect.objectContaining({ code: 'range', pointer: '/suppress' }),
        expect.objectContaining({ code: 'range', pointer: '/let/near/window/sliding' }),
        expect.objectContaining({ pointer: '/let/odd/agg' }),
        expect.objectContaining({ pointer: '/when/all/0/gte' }),
        expect.objectContaining({ pointer: '/when/all/1' }),
      ]),
    });
  });

  test('need the two roles: one person, or two of one role, do not do', async () => {
    const record = await findRule(house.parts, PLACE);
    const ask = { ...house.as('carl'), ...PLACE };
    const twice = [house.sign(record, 'carl'), house.sign(record, 'carl')];
    await expect(publishRule(house.parts, { ...ask, signatures: twice })).rejects.toMatchObject({
      code: 'dual-control-same-person',
    });
    await expect(
      publishRule(house.parts, { ...ask, signatures: [house.sign(record, 'lena')] }),
    ).rejects.toMatchObject({ code: 'dual-control-roles' });
    await expect(draftRule(house.parts, house.as('lena'), wanted())).rejects.toMatchObject({
      code: 'role-insufficient',
    });
  });
});

test('a suppression raises nothing and stores all; High needs another person', async () => {
  await house.publish();
  const now = new Date();
  const day = (shift: number) =>
    new Date(now.getTime() + shift * 86_400_000).toISOString().slice(0, 10);
  await house.take(structuring('A-1', 1, day(-6)));
  await house.evaluate();
  const [alert] = await house.alerts();
  const wanted = {
    alertId: alert?.alertId ?? '',
    expiresAt: (now.getTime() + 20 * 86_400_000) as EpochMs,
    reason: 'A shop that closes late',
  };
  const tooLong = { ...wanted, expiresAt: (now.getTime() + 91 * 86_400_000) as EpochMs };
  await expect(suppress(house.parts, house.as('lena'), tooLong)).rejects.toMatchObject({
    code: 'suppression-invalid',
  });
  const proposed = await suppress(house.parts, house.as('lena'), wanted);
  expect(proposed.status).toBe('proposed');
  const { suppressionId } = proposed;
  await expect(
    approveSuppression(house.parts, house.as('lena'), suppressionId),
  ).rejects.toMatchObject({ code: 'second-person-required' });
  // Whoever agrees means what they have read.
  const stale = { ...house.as('omar'), isExpected: (etag: string) => etag === '"v0"' };
  await expect(approveSuppression(house.parts, stale, suppressionId)).rejects.toMatchObject({
    code: 'precondition-failed',
  });
  const meant = { ...house.as('omar'), isExpected: (etag: string) => etag === '"v1"' };
  expect(await approveSuppression(house.parts, meant, suppressionId)).toMatchObject({
    status: 'active',
  });
  await house.take(structuring('A-1', 11, day(4)), { at: Date.parse(day(5)) as EpochMs });
  await house.evaluate();
  expect(await house.alerts()).toHaveLength(1);
  const suppressed = (await house.stored()).filter((one) => one.suppressionId === suppressionId);
  expect(suppressed).toHaveLength(1);
  expect(await refusals()).toEqual([]);
  // One that was made longer past the service is named, and nobody goes on from it.
  const longer = (wanted.expiresAt + 1) as EpochMs;
  house.alter(suppressionTable, { suppressionId }, { expiresAt: longer });
  expect(await checkSuppressions(house.parts, TENANT)).toEqual({
    count: 1,
    refusals: [expect.stringContaining(`suppression ${suppressionId}: `)],
  });
  await expect(endSuppression(house.parts, house.as('omar'), suppressionId)).rejects.toMatchObject({
    code: 'state-altered',
  });
});
