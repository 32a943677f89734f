/** Clients are evaluated because something happened, and their cases follow. */
import { afterEach, describe, expect, test } from 'vitest';
import { requireCase } from '#slices/customers';
import {
  evaluateClient,
  onAlertCreated,
  onCaseCreated,
  onCaseDecided,
  onEvaluated,
  overrideClient,
  replayedDifference,
  requireEvaluation,
} from '#slices/risk';
import { BY, CLI, openRiskDesk, type RiskDesk, TENANT } from './riskDesk.ts';
import { closeAlert, screened } from './screened.ts';

let desks: RiskDesk[] = [];
afterEach(async () => {
  for (const desk of desks) await desk.close();
  desks = [];
});
async function open() {
  const desk = await openRiskDesk();
  desks.push(desk);
  const { casePorts, ports } = desk;
  const last = async () => {
    const [evaluated] = (await desk.entries('risk.evaluated')).slice(-1);
    return requireEvaluation(ports, {
      evaluationId: String(evaluated?.evaluation_id),
      tenantId: TENANT,
    });
  };
  const follow = (clientId: string) =>
    onEvaluated({ ...ports, casePorts }, { partition: TENANT, payload: { client_id: clientId } });
  return { desk, follow, last };
}
const EXAMPLE = { reason: 'The press reports of a trial against the owner. '.repeat(2) } as const;

describe('a re-screening that has found somebody', () => {
  test('raises the level of the client, and the tier of the case with it', async () => {
    const { desk, follow, last } = await open();
    const { casePorts, newClient, ports } = desk;
    const { caseId, subjectId } = await newClient('client-1');
    const { client } = await evaluateClient(ports, { ...BY, caseId, isAsked: true });
    expect(client.level).toBe('STANDARD');
    await follow(subjectId);
    const place = { caseId, tenantId: TENANT };
    expect(await requireCase(casePorts, place)).toMatchObject({ riskTier: 'standard' });
    const { raised, screeningId } = await screened(desk, 'client-1', { typology: 'MATCH_PEP' });
    await onAlertCreated(ports, raised);
    const evaluation = await last();
    expect(evaluation.members).toMatchObject({
      level: 'HIGH',
      overrides: [{ id: 'politically_exposed' }],
      previous_level: 'STANDARD',
      rescreenings: [{ lists: [{ source: 'DEMO' }], screening_id: screeningId }],
      screening: null,
    });
    expect(evaluation.open?.facts).toMatchObject({
      'aml.decision': 'MATCH_PEP',
      'aml.open_alerts': 1,
      'client.pep': true,
    });
    expect(await replayedDifference(ports, evaluation)).toEqual([]);
    await follow(subjectId);
    expect(await requireCase(casePorts, place)).toMatchObject({
      risk: { evaluationId: evaluation.members.evaluation_id, level: 'HIGH' },
      riskTier: 'high',
    });
    expect(await desk.entries('kyc.case.rated')).toMatchObject([
      { former_tier: null, risk_tier: 'standard' },
      { former_tier: 'standard', risk_tier: 'high' },
    ]);
    // Events come at least once.
    await onAlertCreated(ports, raised);
    await follow(subjectId);
    expect(await desk.entries('risk.evaluated')).toHaveLength(2);
    expect(await desk.entries('kyc.case.rated')).toHaveLength(2);
    expect(await ports.signed.check(TENANT)).toEqual([]);
    expect(await casePorts.signed.check(TENANT)).toEqual([]);
  });

  test('counts until a later one says otherwise, with what was decided of its hits', async () => {
    const { desk, last } = await open();
    const { newClient, ports } = desk;
    const { caseId } = await newClient('client-1');
    const heard = { ...BY, caseId, isAsked: false } as const;
    const first = await screened(desk, 'client-1', { typology: 'MATCH_DIRECT_SANCTIONS' });
    await onAlertCreated(ports, first.raised);
    await closeAlert(desk, first.alertId, 'closed_true_positive');
    await evaluateClient(ports, heard);
    expect((await last()).members).toMatchObject({ level: 'PROHIBITED' });
    // Another party is found beside the one that was confirmed.
    const second = await screened(desk, 'client-1', { ftmId: 'demo-2', typology: 'MATCH_PEP' });
    await onAlertCreated(ports, second.raised);
    expect((await last()).members.rescreenings).toHaveLength(1);
    expect((await last()).open?.facts).toMatchObject({
      'aml.confirmed_hits': 0,
      'aml.typologies': ['MATCH_PEP'],
    });
    const third = await screened(desk, 'client-1', { ftmId: 'demo-2', typology: 'MATCH_PEP' });
    await closeAlert(desk, second.alertId, 'closed_true_positive');
    await onAlertCreated(ports, third.raised);
    expect((await last()).members.rescreenings).toHaveLength(2);
    expect((await last()).open?.facts).toMatchObject({
      'aml.confirmed_hits': 1,
      'aml.open_alerts': 1,
    });
  });

  test('is believed of the client alone that its signed event names', async () => {
    const { desk } = await open();
    const { newClient, ports } = desk;
    await newClient('client-1');
    const other = await screened(desk, 'client-1', { subjectRef: 'nobody', typology: 'MATCH_PEP' });
    await onAlertCreated(ports, other.raised);
    expect(await desk.entries('risk.evaluated')).toHaveLength(0);
    const evaluate = (rescreening: string) =>
      evaluateClient(ports, { ...BY, externalRef: 'client-1', isAsked: false, rescreening });
    await expect(evaluate(other.screeningId)).rejects.toMatchObject({ code: 'evidence-altered' });
    const unit = await screened(desk, 'client-1', { channel: 'unit', typology: 'MATCH_PEP' });
    await expect(evaluate(unit.screeningId)).rejects.toMatchObject({ code: 'evidence-altered' });
    await onAlertCreated(ports, unit.raised);
    expect(await desk.entries('risk.evaluated')).toHaveLength(0);
    expect(await desk.alter('monitored_subject', '"nobody"', '"client-1"')).toBe(1);
    await expect(onAlertCreated(ports, other.raised)).rejects.toMatchObject({
      code: 'evidence-altered',
    });
  });
});

describe('cases', () => {
  test('one opened that lacks something is evaluated once, one in checks by them', async () => {
    const { desk } = await open();
    const { newClient, ports } = desk;
    const { caseId, status } = await newClient('client-1');
    expect(status).toBe('open');
    const told = (of: string) => ({ partition: TENANT, payload: { case_id: caseId, status: of } });
    await onCaseCreated(ports, told('processing'));
    expect(await desk.entries('risk.evaluated')).toHaveLength(0);
    await onCaseCreated(ports, told('open'));
    await evaluateClient(ports, {
      ...BY,
      caseId,
      given: { 'product.codes': ['x'] },
      isAsked: true,
    });
    await onCaseCreated(ports, told('open'));
    expect(await desk.entries('risk.evaluated')).toHaveLength(2);
    await onCaseDecided(ports, told('rejected'));
    expect(await desk.entries('risk.evaluated')).toHaveLength(2);
    await onCaseCreated(ports, { partition: TENANT, payload: { case_id: 'none', status: 'open' } });
  });

  test('follow the level that a person gives, and back', async () => {
    const { desk, follow } = await open();
    const { casePorts, clock, newClient, ports } = desk;
    const { caseId, subjectId: clientId } = await newClient('client-1');
    await evaluateClient(ports, { ...BY, caseId, isAsked: true });
    const until = (clock.now() + 3_600_000) as never;
    const wanted = { level: 'HIGH', until, ...EXAMPLE } as const;
    await overrideClient(ports, { ...CLI, clientId }, wanted);
    await follow(clientId);
    const place = { caseId, tenantId: TENANT };
    expect(await requireCase(casePorts, place)).toMatchObject({
      risk: { level: 'HIGH' },
      riskTier: 'high',
    });
    clock.advance(3_600_001);
    await evaluateClient(ports, { ...BY, caseId, isAsked: false });
    await follow(clientId);
    expect(await requireCase(casePorts, place)).toMatchObject({ riskTier: 'standard' });
  });
});
