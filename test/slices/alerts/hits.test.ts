/** Hits of a screening decided one by one, by one person or two, and alerts decided together. */
import { describe, expect, test } from 'vitest';
import {
  type Alert,
  alertOfScreening,
  assignAlert,
  closeAlert,
  confirmAlert,
  type Decided,
  decideAlerts,
  findAlert,
  hitState,
  reopenAlert,
} from '#slices/alerts';
import { caller, draftOf, idOf, machine, type Name, openDesk, TENANT } from './desk.ts';
import { candidate, openHits, PLACE, POLITICIAN, SANCTIONED, WHY } from './hitDesk.ts';

const at = (alert: Alert, who: Name) => ({
  alertId: alert.alertId,
  principal: caller(who),
  tenantId: TENANT,
});

describe('one by one', () => {
  test('one is decided by one person, one by two; the last closes the alert', async () => {
    const { actions, decide, ports, read } = openHits();
    const one = await decide('anna', 'q-2');
    expect(read).toHaveLength(1);
    expect(one).toMatchObject({ hitsTotal: 2, source: 'OFAC_SDN', status: 'open', version: 2 });
    expect(hitState(one, 'q-2')).toMatchObject({ by: 'person:anna', status: 'false_positive' });
    const proposed = await decide('anna', 'q-1');
    expect(hitState(proposed, 'q-1').status).toBe('proposed_false_positive');
    expect(proposed.status).toBe('open');
    await expect(decide('anna', 'q-1')).rejects.toMatchObject({ code: 'second-person-required' });
    await expect(decide('ben', 'q-1')).rejects.toMatchObject({ code: 'role-insufficient' });
    await expect(decide(machine, 'q-1')).rejects.toMatchObject({ code: 'person-required' });
    const closed = await decide('lena', 'q-1', { notes: '' });
    expect(closed).toMatchObject({
      deadline: 'met',
      outcome: { by: 'person:anna', confirmedBy: 'person:lena', reasonCode: 'dob_differs' },
      status: 'closed_false_positive',
    });
    expect(actions()).toEqual([
      'aml.alert.created',
      'aml.alert.hit_decided',
      'aml.alert.hit_proposed',
      'aml.alert.hit_decided',
      'aml.alert.closed',
    ]);
    await expect(decide('anna', 'q-2')).rejects.toMatchObject({ code: 'state-conflict' });
    expect(await alertOfScreening(ports, PLACE)).toEqual(closed);
  });

  test('a decision that is refused raises no alert', async () => {
    const { actions, decide, ports } = openHits();
    const refused = [
      decide('anna', 'q-2', { notes: '' }),
      decide('anna', 'q-2', { isExpected: () => false }),
      decide(machine, 'q-1'),
    ];
    const codes = (await Promise.allSettled(refused)).map(
      (one) => one.status === 'rejected' && (one.reason as { code: string }).code,
    );
    expect(codes).toEqual(['comment-required', 'precondition-failed', 'person-required']);
    expect(actions()).toEqual([]);
    expect(await alertOfScreening(ports, PLACE)).toBeUndefined();
  });

  test('one true positive makes the alert one', async () => {
    const { decide } = openHits([SANCTIONED, POLITICIAN], { fourEyes: 'none' });
    await decide('anna', 'q-1');
    const agent = decide('anna', 'q-2', { decision: 'true_positive' });
    // Of a Critical alert two persons have to say so, and the first may be anybody.
    expect(hitState(await agent, 'q-2').status).toBe('proposed_true_positive');
    const closed = await decide('lena', 'q-2', { decision: 'true_positive' });
    expect(closed).toMatchObject({ status: 'closed_true_positive' });
    expect(hitState(closed, 'q-1').status).toBe('false_positive');
  });

  test('another decision of a second person is their own proposal', async () => {
    const { decide } = openHits();
    await decide('anna', 'q-1');
    const other = await decide('lena', 'q-1', { decision: 'true_positive' });
    expect(hitState(other, 'q-1')).toMatchObject({
      by: 'person:lena',
      status: 'proposed_true_positive',
      version: 2,
    });
    const own = decide('lena', 'q-1', { decision: 'true_positive' });
    await expect(own).rejects.toMatchObject({ code: 'second-person-required' });
    const decided = await decide('carl', 'q-1', { decision: 'true_positive' });
    expect(hitState(decided, 'q-1')).toMatchObject({
      by: 'person:lena',
      confirmedBy: 'person:carl',
      status: 'true_positive',
    });
  });

  test('it is decided once, and anew by who names its version', async () => {
    const { decide } = openHits();
    await decide('anna', 'q-2');
    await expect(decide('anna', 'q-2')).rejects.toMatchObject({ code: 'state-conflict' });
    const old = decide('anna', 'q-2', { isExpected: (version) => version === 0 });
    await expect(old).rejects.toMatchObject({ code: 'precondition-failed' });
    const anew = await decide('lena', 'q-2', {
      isExpected: (version) => version === 1,
      reasonCode: 'name_only',
    });
    expect(hitState(anew, 'q-2')).toMatchObject({ reasonCode: 'name_only', version: 2 });
  });

  test.each([
    ['q-9', {}, 'not-found'],
    ['q-3', {}, 'not-found'],
    ['q-2', { screeningId: 'screening-2' }, 'not-found'],
    ['q-2', { notes: 'no' }, 'comment-too-short'],
    ['q-2', { notes: ' ' }, 'comment-required'],
    ['q-2', { reasonCode: undefined as never }, 'body-invalid'],
  ] as const)('of %s with %j: %s', async (ftmId, given, code) => {
    const { decide } = openHits();
    await expect(decide('anna', ftmId, given)).rejects.toMatchObject({ code });
  });

  test('who works on the alert decides its hits, or who stands above', async () => {
    const { decide, desk, ports } = openHits([POLITICIAN, candidate('q-4', 'MATCH_PEP')]);
    const alert = await decide('anna', 'q-2');
    await assignAlert(ports, at(alert, 'anna'));
    await expect(decide('ben', 'q-4')).rejects.toMatchObject({ code: 'not-assignee' });
    const match = decide('anna', 'q-4', { decision: 'true_positive' });
    await expect(match).rejects.toMatchObject({ code: 'role-insufficient' });
    const before = desk.house.commits.length;
    expect(await decide('lena', 'q-4')).toMatchObject({ status: 'closed_false_positive' });
    expect(desk.house.commits).toHaveLength(before + 1);
  });

  test('a screening that raises no alert has one once somebody decides a hit', async () => {
    const { decide, ports } = openHits([POLITICIAN], { raisedFor: [] });
    expect(await alertOfScreening(ports, PLACE)).toBeUndefined();
    expect(await decide('anna', 'q-2')).toMatchObject({ status: 'closed_false_positive' });
  });
});

describe('beside the alert as a whole', () => {
  test('hits that nobody decided are closed with it, and pending once it is reopened', async () => {
    const { decide, ports } = openHits([POLITICIAN, candidate('q-4', 'MATCH_PEP')]);
    const alert = await decide('anna', 'q-2');
    const given = {
      alerts: [{ alertId: alert.alertId, version: alert.version }],
      comment: WHY,
      decision: 'false_positive',
      principal: caller('ben'),
      reasonCode: 'name_only',
      tenantId: TENANT,
    } as const;
    await decideAlerts(ports, given);
    const closed = await findAlert(ports, at(alert, 'anna'));
    expect(['q-2', 'q-4'].map((id) => hitState(closed, id))).toMatchObject([
      { by: 'person:anna', isOfAlert: false, status: 'false_positive', version: 1 },
      { by: 'person:ben', isOfAlert: true, status: 'false_positive', version: 0 },
    ]);
    const again = await reopenAlert(ports, { ...at(alert, 'mia'), comment: WHY });
    expect(['q-2', 'q-4'].map((id) => hitState(again, id))).toEqual([
      { ftmId: 'q-2', isOfAlert: false, status: 'pending', version: 2 },
      { ftmId: 'q-4', isOfAlert: false, status: 'pending', version: 0 },
    ]);
  });

  test('an alert with a true positive is not closed as a false one', async () => {
    const { decide, ports } = openHits([POLITICIAN, candidate('q-4', 'MATCH_PEP')]);
    const alert = await decide('lena', 'q-2', { decision: 'true_positive' });
    const [refused] = await decideAlerts(ports, {
      ...all(alert),
      principal: caller('lena'),
    });
    expect(codeOf(refused)).toBe('state-conflict');
  });

  test('while an outcome of the alert waits, no hit is decided', async () => {
    const { decide, ports } = openHits();
    const alert = await decide('anna', 'q-2');
    const [proposed] = await decideAlerts(ports, { ...all(alert), principal: caller('anna') });
    expect(proposed).toMatchObject({ alert: { proposal: { by: 'person:anna' }, status: 'open' } });
    await expect(decide('lena', 'q-1')).rejects.toMatchObject({ code: 'state-conflict' });
    const close = closeAlert(ports, { ...at(alert, 'anna'), comment: WHY, status: FALSE });
    await expect(close).rejects.toMatchObject({ code: 'state-conflict' });
    const confirmed = await confirmAlert(ports, { ...at(alert, 'lena'), isConfirmed: true });
    expect(confirmed.status).toBe('closed_false_positive');
  });
});

const FALSE = 'closed_false_positive';
const all = (...alerts: readonly Alert[]) =>
  ({
    alerts: alerts.map(({ alertId, version }) => ({ alertId, version })),
    comment: WHY,
    decision: 'false_positive',
    reasonCode: 'dob_differs',
    tenantId: TENANT,
  }) as const;
const codeOf = (decided: Decided | undefined): string | undefined =>
  decided !== undefined && 'refusal' in decided ? decided.refusal.code : undefined;

describe('several at once', () => {
  async function raised() {
    const desk = openDesk();
    const drafts = [1, 2, 3].map((n) => draftOf(n, n === 3 ? {} : { typology: 'MATCH_PEP' }));
    await desk.raise(...drafts);
    const alerts = await Promise.all(
      drafts.map((draft) => findAlert(desk.ports, { alertId: idOf(draft), tenantId: TENANT })),
    );
    return { alerts, desk };
  }

  test('each by a commit of its own; what is refused takes no others with it', async () => {
    const { alerts, desk } = await raised();
    await assignAlert(desk.ports, { ...at(alerts[1] as Alert, 'ben') });
    const decided = await decideAlerts(desk.ports, {
      ...all(...alerts),
      alerts: [...all(...alerts).alerts, { alertId: 'unknown', version: 1 }],
      principal: caller('anna'),
    });
    expect(decided.map(codeOf)).toEqual([
      undefined,
      'precondition-failed',
      undefined,
      'alert-unknown',
    ]);
    expect(decided).toMatchObject([
      { alert: { status: 'closed_false_positive' } },
      {},
      { alert: { proposal: { by: 'person:anna' } } },
      {},
    ]);
    expect(desk.house.events.at(-1)).toMatchObject({
      action: 'aml.alert.decided_in_bulk',
      members: { closed: 1, proposed: 1, refused: 2 },
    });
  });

  test('what a person proposed another one confirms by the same call', async () => {
    const { alerts, desk } = await raised();
    const given = all(alerts[2] as Alert);
    await decideAlerts(desk.ports, { ...given, principal: caller('carl') });
    const seen = given.alerts.map((one) => ({ ...one, version: 2 }));
    const own = await decideAlerts(desk.ports, {
      ...given,
      alerts: seen,
      principal: caller('carl'),
    });
    expect(own.map(codeOf)).toEqual(['second-person-required']);
    const [confirmed] = await decideAlerts(desk.ports, {
      ...given,
      alerts: seen,
      principal: caller('lena'),
    });
    expect(confirmed).toMatchObject({ alert: { outcome: { confirmedBy: 'person:lena' } } });
  });

  test('a call that a crash cut off finds what it had done', async () => {
    const { alerts, desk } = await raised();
    const given = { ...all(...alerts.slice(0, 2)), principal: caller('anna') };
    // The store fails at the second alert.
    desk.house.overtake(() => undefined);
    desk.house.overtake(() => {
      throw new Error('down');
    });
    await expect(decideAlerts(desk.ports, given)).rejects.toThrow('down');
    const again = await decideAlerts(desk.ports, given);
    expect(again.map(codeOf)).toEqual([undefined, undefined]);
    const other = await decideAlerts(desk.ports, { ...given, principal: caller('ben') });
    expect(other.map(codeOf)).toEqual(['precondition-failed', 'precondition-failed']);
  });

  test('a false positive without a reason changes nothing', async () => {
    const { alerts, desk } = await raised();
    const { reasonCode: _, ...given } = all(...alerts);
    const before = desk.house.commits.length;
    const ask = { ...given, principal: caller('anna') };
    await expect(decideAlerts(desk.ports, ask)).rejects.toMatchObject({ code: 'body-invalid' });
    expect(desk.house.commits).toHaveLength(before);
  });
});
