/** Alerts of rules that more transactions meet, also once people have closed them. */
import { expect, test } from 'vitest';
import { chainOf } from '#core/kernel';
import {
  type Alert,
  type AlertRule,
  alertIdOf,
  alertTable,
  assignAlert,
  closeAlert,
  type RuleAlertDraft,
  reviewAlert,
  ruleAlertParts,
} from '#slices/alerts';
import { caller, openDesk, SETTINGS, START, TENANT } from './desk.ts';

const HOUR_MS = 3_600_000;
const COMMENT = 'Salary of the customer, as every month';

const ruleOf = (...txIds: readonly string[]): AlertRule => ({
  digest: txIds.join(' '),
  ruleVersion: 1,
  severity: 'Low',
  txIds,
  txTotal: txIds.length,
});
const draftOf = (rule: AlertRule): RuleAlertDraft => ({
  cause: { bucket: 1, kind: 'rule', ruleId: 'R-1', subjectKey: 'subject' },
  hitsTotal: 0,
  rule,
  ruleId: 'R-1',
  score: 0,
  source: 'rules',
  type: 'monitoring',
  typology: '',
});

function openRules() {
  const desk = openDesk();
  const alertId = alertIdOf(TENANT, draftOf(ruleOf()).cause);
  const ask = { alertId, principal: caller('lena'), tenantId: TENANT };
  return {
    ...desk,
    close: async (status: 'closed_false_positive' | 'closed_true_positive') => {
      await assignAlert(desk.ports, ask);
      await reviewAlert(desk.ports, ask);
      const reason = status === 'closed_false_positive' ? { reasonCode: 'other' as const } : {};
      await closeAlert(desk.ports, { ...ask, ...reason, comment: COMMENT, status });
    },
    meet: async (rule: AlertRule) => {
      const parts = await ruleAlertParts(desk.ports, TENANT, [draftOf(rule)]);
      await desk.house.commit(chainOf(TENANT), parts);
    },
    now: async (): Promise<Alert> => {
      const found = await desk.house.tables.find(alertTable, { alertId, tenantId: TENANT });
      if (found === undefined) throw new Error('no alert was raised');
      return found;
    },
  };
}

test('closed as no match, it is open again where further transactions meet the rule', async () => {
  const rules = openRules();
  await rules.meet(ruleOf('t1'));
  await rules.close('closed_false_positive');
  expect(await rules.now()).toMatchObject({ deadline: 'met', status: 'closed_false_positive' });
  const at = START + 9 * HOUR_MS;
  rules.moveTo(at);
  await rules.meet(ruleOf('t1', 't2'));
  const again = await rules.now();
  expect(again).toMatchObject({
    deadline: 'running',
    dueAt: at + SETTINGS.dueHours.Low * HOUR_MS,
    rule: { txTotal: 2 },
    status: 'open',
  });
  expect(again.outcome).toBeUndefined();
  expect(again.assignee).toBeUndefined();
  const told = rules.house.events.at(-1);
  expect(told?.members).toMatchObject({
    former_outcome: 'closed_false_positive',
    former_status: 'closed_false_positive',
    status: 'open',
  });
  await rules.close('closed_false_positive');
});

test('what tells of nothing further leaves it closed', async () => {
  const rules = openRules();
  await rules.meet(ruleOf('t1', 't2'));
  await rules.close('closed_false_positive');
  await rules.meet({ ...ruleOf('t1'), digest: 'one is gone' });
  await rules.meet({ ...ruleOf('t1', 't2', 't3'), isOver: true });
  expect(await rules.now()).toMatchObject({ status: 'closed_false_positive', version: 6 });
});

test('a match stays one, and its alert tells of more', async () => {
  const rules = openRules();
  await rules.meet(ruleOf('t1'));
  await rules.close('closed_true_positive');
  await rules.meet(ruleOf('t1', 't2'));
  expect(await rules.now()).toMatchObject({ rule: { txTotal: 2 }, status: 'closed_true_positive' });
});
