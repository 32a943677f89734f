/** The log through the rules: published by two persons, alerts exactly once, whatever dies when. */
import { beforeEach, describe, expect, test } from 'vitest';
import { everyRecord } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { type Alert, alertTable, checkAlerts } from '#slices/alerts';
import {
  alertSubject,
  approveSuppression,
  checkEvaluated,
  checkRules,
  DEFAULT_PACK,
  draftRule,
  evaluatedBetween,
  findRule,
  publishRule,
  type Rule,
  RuleReplay,
  ruleAlertTable,
  rulePositionTable,
  ruleResultTable,
  ruleTable,
  type StoredRuleAlert,
  saveRule,
  shadowRule,
  storedDigest,
  suppress,
  suppressionTable,
} from '#slices/rules';
import { openRuleHouse, type RuleHouse, structuring, TENANT } from './house.ts';

let house: RuleHouse;
beforeEach(() => {
  house = openRuleHouse();
});

const PLACE = { ruleId: 'TM-CASH-01', ruleVersion: 1, tenantId: TENANT };

/** Signed by one of compliance and one of DSI. */
async function publish(place = PLACE) {
  const record = await findRule(house.parts, place);
  const signatures = [house.sign(record, 'carl'), house.sign(record, 'dora')];
  return publishRule(house.parts, { ...house.as('carl'), ...place, signatures });
}

async function allAlerts(): Promise<Alert[]> {
  const found: Alert[] = [];
  const ask = { equal: { tenantId: TENANT }, index: 'newest' };
  for await (const one of everyRecord(house.house.tables, alertTable, ask)) found.push(one);
  return found;
}

async function allStored(): Promise<StoredRuleAlert[]> {
  const found: StoredRuleAlert[] = [];
  const ask = { equal: { tenantId: TENANT }, index: 'key' };
  for await (const one of everyRecord(house.house.tables, ruleAlertTable, ask)) found.push(one);
  return found;
}

/** What has to be alike whatever died: all but times and how often something was written. */
const lasting = async () => ({
  alerts: (await allAlerts())
    .map(({ alertId, cause, rule, score, severity, type }) => ({
      alertId,
      cause,
      rule,
      score,
      severity,
      type,
    }))
    .sort((one, other) => (one.alertId < other.alertId ? -1 : 1)),
  stored: (await allStored())
    .map(({ alert, alertId }) => ({ alert, alertId }))
    .sort((one, other) => (one.alertId < other.alertId ? -1 : 1)),
});

async function refusals(): Promise<readonly string[]> {
  const alerts = (await allStored()).map((one) => ({
    digest: storedDigest(one),
    key: one.alertId,
  }));
  const position = await house.position();
  return [
    ...(await checkRules(house.parts, TENANT)).refusals,
    ...(await checkEvaluated(house.parts, TENANT, { alerts, position })),
    ...(await checkAlerts(house.house, TENANT)).refusals,
  ];
}

test('a rule in shadow counts and raises nothing; published it raises one alert', async () => {
  await house.take(structuring('A-1', 1));
  await house.evaluate();
  expect(await allAlerts()).toEqual([]);
  expect((await allStored()).map(({ alert, ruleId }) => [ruleId, alert.mode])).toEqual([
    ['TM-CASH-01@1', 'shadow'],
  ]);
  await publish();
  await house.take(structuring('A-2', 4));
  await house.evaluate();
  const [alert, ...others] = await allAlerts();
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
  const results = await evaluatedBetween(house.house, { tenantId: TENANT, tseqFrom: 4, tseqTo: 6 });
  expect(results?.map(({ alerts, decision }) => [decision, alerts])).toEqual([
    ['pass', []],
    ['pass', []],
    ['review', [alert?.alertId]],
  ]);
  expect(await evaluatedBetween(house.house, { tenantId: TENANT, tseqFrom: 6, tseqTo: 7 })).toBe(
    undefined,
  );
  expect(await refusals()).toEqual([]);
});

test('an alert is shown with whom it is about and why, read from the log', async () => {
  await publish();
  await house.take(structuring('A-1', 1));
  await house.evaluate();
  const [alert] = await allAlerts();
  const subject = alertSubject({
    find: ({ txId }) => house.find(txId),
    tables: house.house.tables,
  });
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

test('more of the same is a revision of the alert, and no other one', async () => {
  await publish();
  await house.take(structuring('A-1', 1));
  await house.evaluate();
  await house.take(
    structuring('A-1', 4).map((one) => ({
      ...one,
      occurred_at: one.occurred_at.replace('T1', 'T2'),
    })),
  );
  await house.evaluate();
  const [alert, ...others] = await allAlerts();
  expect(others).toEqual([]);
  expect(alert).toMatchObject({ rule: { txTotal: 4 }, version: 2 });
  expect(await refusals()).toEqual([]);
});

describe('whatever dies', () => {
  const batches = Array.from({ length: 6 }, (_, at) =>
    structuring(`A-${at % 3}`, 10 * at, `2026-03-${10 + at}`),
  );

  async function run(dieAt?: (point: string) => void): Promise<void> {
    await publish();
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

describe('who writes past the service', () => {
  test('cannot put the position on, or back', async () => {
    await publish();
    await house.take(structuring('A-1', 1));
    await house.evaluate();
    house.alter(rulePositionTable, { tenantId: TENANT }, { tseq: 1 });
    const position = await house.parts.tables.find(rulePositionTable, {
      shard: 0,
      tenantId: TENANT,
    });
    expect(position?.tseq).toBe(1);
    expect(await checkEvaluated(house.parts, TENANT, { alerts: [], position })).toEqual([
      expect.stringContaining('position: '),
      expect.stringContaining('its record is gone'),
    ]);
  });

  test('cannot take a rule out of force', async () => {
    await publish();
    house.alter(ruleTable, { ruleId: 'TM-CASH-01' }, { status: 'archived' });
    expect((await checkRules(house.parts, TENANT)).refusals).toHaveLength(1);
  });

  test('cannot leave a rule out of what is evaluated', async () => {
    await publish();
    await house.take(structuring('A-1', 1));
    await house.evaluate();
    house.alter(ruleTable, { ruleId: 'TM-CASH-01' }, { status: 'discarded' });
    await house.take(structuring('A-2', 4));
    await expect(house.evaluate()).rejects.toMatchObject({ code: 'state-altered' });
    await expect(house.evaluate(true)).rejects.toMatchObject({ code: 'state-altered' });
    expect((await house.position())?.tseq).toBe(3);
  });

  test('cannot let a payment pass by taking away what came of it', async () => {
    await publish();
    await house.take(structuring('A-1', 1));
    await house.evaluate();
    await house.take(structuring('A-2', 4));
    await house.evaluate();
    const ask = { tenantId: TENANT, tseqFrom: 2, tseqTo: 6 };
    const store = { tables: house.parts.tables };
    expect((await evaluatedBetween(store, ask))?.at(-1)?.decision).toBe('review');
    house.alter(ruleResultTable, { tseqFrom: 4 }, { hits: [], tseqTo: 3 });
    expect(await evaluatedBetween(store, ask)).toBe(undefined);
    expect(await evaluatedBetween(store, { ...ask, tseqTo: 3 })).toHaveLength(2);
  });

  test('cannot agree with their own suppression, nor make a rule less severe for it', async () => {
    await publish();
    await house.take(structuring('A-1', 1));
    await house.evaluate();
    const [alert] = await allAlerts();
    const wanted = {
      alertId: alert?.alertId ?? '',
      expiresAt: (Date.now() + 20 * 86_400_000) as EpochMs,
      reason: 'A shop that closes late',
    };
    const { suppressionId } = await suppress(house.parts, house.as('lena'), wanted);
    house.alter(suppressionTable, { suppressionId }, { createdBy: 'person:somebody' });
    await expect(
      approveSuppression(house.parts, house.as('lena'), suppressionId),
    ).rejects.toMatchObject({ code: 'state-altered' });
    const content = { ...(DEFAULT_PACK[0] as Rule), severity: 'Low' } as const;
    house.alter(ruleTable, { ruleId: 'TM-CASH-01' }, { content });
    await expect(suppress(house.parts, house.as('omar'), wanted)).rejects.toMatchObject({
      code: 'state-altered',
    });
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
    await expect(publish(place)).rejects.toMatchObject({ code: 'rule-untested' });
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
    expect(await publish(place)).toMatchObject({ status: 'published' });
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
  await publish();
  const now = new Date();
  const day = (shift: number) =>
    new Date(now.getTime() + shift * 86_400_000).toISOString().slice(0, 10);
  await house.take(structuring('A-1', 1, day(-6)));
  await house.evaluate();
  const [alert] = await allAlerts();
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
  expect(await approveSuppression(house.parts, house.as('omar'), suppressionId)).toMatchObject({
    status: 'active',
  });
  await house.take(structuring('A-1', 11, day(4)));
  await house.evaluate();
  expect(await allAlerts()).toHaveLength(1);
  const suppressed = (await allStored()).filter((one) => one.suppressionId === suppressionId);
  expect(suppressed).toHaveLength(1);
  expect(await refusals()).toEqual([]);
});
