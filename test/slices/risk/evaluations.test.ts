/** Policies are drafted, clients are evaluated, and what was signed is held to. */
import { afterEach, describe, expect, test } from 'vitest';
import { entry } from '#core/audit';
import { chainOf } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { alertIdOf } from '#slices/alerts';
import { decideCase, patchCase } from '#slices/customers';
import {
  alertOf,
  amlFacts,
  countLevels,
  createRiskPolicy,
  editRiskPolicy,
  evaluateClient,
  findClient,
  listEvaluations,
  listRiskPolicies,
  replayEvaluation,
  replayedDifference,
  requireEvaluation,
  requirePolicy,
  SHIPPED_HASH,
  SHIPPED_ID,
  yearsBetween,
} from '#slices/risk';
import { BY, CLI, callerOf, openRiskDesk, person, type RiskDesk, TENANT } from './riskDesk.ts';

let desks: RiskDesk[] = [];
afterEach(async () => {
  for (const desk of desks) await desk.close();
  desks = [];
});
async function open(...of: Parameters<typeof openRiskDesk>): Promise<RiskDesk> {
  const desk = await openRiskDesk(...of);
  desks.push(desk);
  return desk;
}

const ASKED = { ...BY, isAsked: true } as const;

describe('policies', () => {
  test('a draft begins with what is in force and is edited member by member', async () => {
    const { entries, ports } = await open();
    const draft = await createRiskPolicy(ports, CLI, { name: 'First', weights: { geo: 3_000 } });
    expect(draft).toMatchObject({ basedOn: SHIPPED_ID, status: 'draft', version: 1 });
    expect(draft.content.weights).toMatchObject({ client: 2_500, geo: 3_000 });
    const next = await editRiskPolicy(
      ports,
      { ...CLI, policyId: draft.policyId },
      { thresholds: { high: 55 }, weights: { client: 2_000 } },
    );
    expect(next.content.thresholds).toEqual({ high: 55, prohibited: null, standard: 30 });
    expect(next.content.weights).toMatchObject({ client: 2_000, geo: 3_000 });
    expect(next.contentHash).not.toBe(draft.contentHash);
    const told = await entries('risk.policy.drafted');
    expect(told.map((entry) => entry.content_hash)).toEqual([draft.contentHash, next.contentHash]);
    const stale = {
      ...CLI,
      isExpected: (etag: string) => etag === '"1"',
      policyId: draft.policyId,
    };
    await expect(editRiskPolicy(ports, stale, {})).rejects.toMatchObject({
      code: 'precondition-failed',
    });
  });

  test('that which ships is in force until another one is, and is never edited', async () => {
    const { clock, ports } = await open();
    const shipped = await requirePolicy(ports, { policyId: SHIPPED_ID, tenantId: TENANT });
    expect(shipped).toMatchObject({ contentHash: SHIPPED_HASH, standing: 'in_force' });
    const edit = editRiskPolicy(ports, { ...CLI, policyId: SHIPPED_ID }, { name: 'Mine' });
    await expect(edit).rejects.toMatchObject({ code: 'policy-immutable' });
    for (let made = 0; made < 3; made++) {
      await createRiskPolicy(ports, CLI, { name: `N${made}` });
      clock.advance(1);
    }
    const names: string[] = [];
    for (let after: string | undefined; ; ) {
      const ask = { limit: 2, tenantId: TENANT, ...(after !== undefined && { after }) };
      const { next, policies } = await listRiskPolicies(ports, ask);
      names.push(...policies.map(({ name }) => name));
      if (next === undefined) break;
      after = next;
    }
    expect(names).toEqual(['N2', 'N1', 'N0', 'The policy that ships']);
    const drafts = await listRiskPolicies(ports, { limit: 9, status: 'draft', tenantId: TENANT });
    expect(drafts.policies).toHaveLength(3);
  });

  test('a person drafts, with one of the roles', async () => {
    const { ports } = await open([person('ben', 'compliance_officer'), person('eva', 'agent_l1')]);
    const draft = (id: string, role: 'agent_l1' | 'compliance_officer') => {
      const ask = { principal: callerOf(id, role), tenantId: TENANT };
      return createRiskPolicy(ports, ask, { name: 'Mine' });
    };
    expect(await draft('ben', 'compliance_officer')).toMatchObject({ createdBy: 'person:ben' });
    await expect(draft('zoe', 'compliance_officer')).rejects.toMatchObject({
      code: 'person-required',
    });
    await expect(draft('eva', 'agent_l1')).rejects.toMatchObject({ code: 'role-insufficient' });
  });

  test('one that was altered past the service is refused by name', async () => {
    const { alter, ports } = await open();
    const { policyId } = await createRiskPolicy(ports, CLI, { name: 'First' });
    expect(await ports.signed.check(TENANT)).toEqual([]);
    expect(await alter('risk_policy', '"geo":2500', '"geo":2499')).toBe(1);
    await expect(requirePolicy(ports, { policyId, tenantId: TENANT })).rejects.toMatchObject({
      code: 'state-altered',
    });
    expect(await ports.signed.check(TENANT)).toHaveLength(1);
  });
});

describe('evaluations', () => {
  test('the first one is signed evidence, and the level stands in its commit', async () => {
    const { entries, newClient, ports } = await open();
    const { caseId, subjectId } = await newClient('client-1');
    const { client, evaluation } = await evaluateClient(ports, {
      ...ASKED,
      externalRef: 'client-1',
    });
    expect(evaluation.members).toMatchObject({
      case_id: caseId,
      client_id: subjectId,
      incomplete: true,
      level: client.level,
      policy_hash: SHIPPED_HASH,
      policy_id: SHIPPED_ID,
      policy_version: 1,
      previous_level: null,
      screening: null,
    });
    expect(evaluation.members.missing).toEqual([
      'aml.confirmed_hits',
      'aml.decision',
      'aml.open_alerts',
      'aml.typologies',
      'client.pep',
    ]);
    expect(evaluation.open?.facts).toMatchObject({
      'channel.onboarding': 'api',
      'client.type': 'individual',
      'geo.residence': 'TN',
    });
    const [told] = await entries('risk.evaluated');
    expect(told).toMatchObject({ target: `risk-client:${subjectId}` });
    expect(JSON.stringify({ ...told, details: {} })).not.toContain('1990-05-17');
    const found = await requireEvaluation(ports, {
      evaluationId: client.evaluationId,
      tenantId: TENANT,
    });
    expect(canonicalJson(found.members as never)).toContain(`"score":${client.score}`);
    expect(await replayedDifference(ports, found)).toEqual([]);
    expect(await ports.signed.findClient(client)).toEqual(client);
  });

  test('nothing is written where nothing changed, but on request; given facts stay', async () => {
    const { casePorts, entries, newClient, ports } = await open();
    const { caseId } = await newClient('client-1');
    const given = { 'product.codes': ['private_banking'] };
    const first = await evaluateClient(ports, { ...ASKED, caseId, given });
    const heard = { ...BY, caseId, isAsked: false } as const;
    const second = await evaluateClient(ports, heard);
    expect(second.evaluation.members.evaluation_id).toBe(first.client.evaluationId);
    await patchCase(
      casePorts,
      { ...BY, caseId },
      { subject: { country_residence: 'KP' } },
      {
        source: 'api',
      },
    );
    const third = await evaluateClient(ports, heard);
    expect(third.evaluation.open?.facts).toMatchObject({ ...given, 'geo.residence': 'KP' });
    expect(third.client).toMatchObject({ level: 'HIGH', version: 2 });
    expect(third.evaluation.members).toMatchObject({
      overrides: [{ id: 'call_for_action' }],
      previous_level: first.client.level,
    });
    expect(await entries('risk.evaluated')).toHaveLength(2);
    const page = { clientId: third.client.clientId, limit: 1, tenantId: TENANT };
    const { evaluations, next } = await listEvaluations(ports, page);
    expect(evaluations.map(({ event }) => event.eventId)).toEqual([third.client.evaluationId]);
    const rest = await listEvaluations(ports, { ...page, beforeSeq: next ?? 0 });
    expect(rest.evaluations.map(({ event }) => event.eventId)).toEqual([first.client.evaluationId]);
    expect(rest.next).toBeUndefined();
    expect(await countLevels(ports, TENANT)).toMatchObject({
      clients: 1,
      isComplete: true,
      levels: { HIGH: 1, LOW: 0 },
    });
  });

  test('by an older case a client is evaluated, and stands where the newest one says', async () => {
    const { casePorts, clock, newClient, ports } = await open();
    const older = await newClient('client-1');
    const ask = { ...BY, caseId: older.caseId, roles: ['compliance_officer'] } as const;
    const reason = 'The customer comes back with another address';
    await decideCase(casePorts, ask, { decision: 'cancel', reason, reasonCode: 'other' });
    clock.advance(1_000);
    await newClient('client-1', { country_residence: 'KP' });
    const newest = await evaluateClient(ports, { ...ASKED, externalRef: 'client-1' });
    expect(newest.client.level).toBe('HIGH');
    const { client, evaluation } = await evaluateClient(ports, { ...ASKED, caseId: older.caseId });
    expect(evaluation.members.level).not.toBe('HIGH');
    expect(evaluation.members).toMatchObject({ case_id: older.caseId, client_level: 'HIGH' });
    expect(client).toEqual({ ...newest.client, version: 2 });
    expect(await ports.signed.findClient(client)).toEqual(client);
    expect(await ports.signed.check(TENANT)).toEqual([]);
    const { clientId } = client;
    expect(await countLevels(ports, TENANT)).toMatchObject({ levels: { HIGH: 1 } });
    const { evaluations } = await listEvaluations(ports, { clientId, limit: 9, tenantId: TENANT });
    expect(evaluations).toHaveLength(2);
  });

  test('facts that the service finds itself are not for callers to give', async () => {
    const { newClient, ports } = await open();
    const { caseId } = await newClient('client-1');
    const ask = { ...ASKED, caseId, given: { 'aml.decision': 'CLEAR', 'client.wealth': 1 } };
    await expect(evaluateClient(ports, ask)).rejects.toMatchObject({
      code: 'facts-invalid',
      violations: [{ pointer: '/facts/client.wealth' }, { pointer: '/facts/aml.decision' }],
    });
    const nobody = { ...ASKED, externalRef: 'nobody' };
    await expect(evaluateClient(ports, nobody)).rejects.toMatchObject({
      code: 'risk-client-unknown',
    });
  });

  test('two at once are both evidence, and the client has the later one', async () => {
    const { entries, newClient, ports } = await open();
    const { caseId } = await newClient('client-1');
    const all = await Promise.all(
      Array.from({ length: 4 }, () => evaluateClient(ports, { ...ASKED, caseId })),
    );
    expect(new Set(all.map(({ client }) => client.version))).toEqual(new Set([1, 2, 3, 4]));
    expect(await entries('risk.evaluated')).toHaveLength(4);
    expect(await ports.signed.check(TENANT)).toEqual([]);
  });

  test('a level that was altered, and a client who was removed, are refused by name', async () => {
    const { alter, newClient, ports } = await open();
    const { caseId, subjectId } = await newClient('client-1');
    await evaluateClient(ports, { ...ASKED, caseId });
    expect(await alter('risk_rating', '"isIncomplete":true', '"isIncomplete":false')).toBe(1);
    const key = { clientId: subjectId, tenantId: TENANT };
    await expect(ports.signed.findClient(key)).rejects.toMatchObject({ code: 'state-altered' });
    await expect(evaluateClient(ports, { ...ASKED, caseId })).rejects.toMatchObject({
      code: 'state-altered',
    });
    expect(await ports.signed.check(TENANT)).toEqual([
      expect.stringContaining(`risk-client:${subjectId}`),
    ]);
  });

  test('a replay is an entry; erased facts and a lost policy are told', async () => {
    const { entries, kept, newClient, ports, store } = await open();
    const { caseId } = await newClient('client-1');
    const { evaluation } = await evaluateClient(ports, { ...ASKED, caseId });
    const ask = { ...BY, evaluationId: evaluation.event.eventId };
    expect((await replayEvaluation(ports, ask)).diff).toEqual([]);
    expect(await entries('risk.evaluation.replayed')).toMatchObject([{ differs: [], equal: true }]);
    const other = { ...evaluation, members: { ...evaluation.members, score: 1 } };
    expect(await replayedDifference(ports, other)).toMatchObject([{ member: 'score', was: 1 }]);
    await expect(
      replayedDifference(ports, { ...evaluation, open: undefined }),
    ).rejects.toMatchObject({ code: 'evaluation-unreplayable' });
    kept.delete(SHIPPED_HASH);
    await expect(replayEvaluation(ports, ask)).rejects.toMatchObject({ code: 'blob-damaged' });
    expect((await store.head(TENANT as never)).seq).toBeGreaterThan(0);
  });
});

describe('facts', () => {
  test('years are whole, and begin with the day', () => {
    expect(yearsBetween('1990-05-17', '2026-05-16')).toBe(35);
    expect(yearsBetween('1990-05-17', '2026-05-17')).toBe(36);
    expect(yearsBetween('2030-01-01', '2026-05-17')).toBe(0);
  });

  test('a screening that a case is about to name counts before the one that it names', async () => {
    const { newClient, ports } = await open();
    const { caseId } = await newClient('c-1');
    const screening = { decision: 'MATCH_PEP', listVersion: 'v', screeningId: 's-1' };
    const of = { caseId, tenantId: TENANT };
    expect((await findClient(ports.facts, of)).record.screening).toBeUndefined();
    expect((await findClient(ports.facts, { ...of, screening })).record.screening).toBe(screening);
  });

  test('an alert that the chain tells of and that is gone is refused', async () => {
    const { ports } = await open();
    const screeningId = '0190aaaa-0000-7000-8000-00000000000b';
    expect(await alertOf(ports.facts, TENANT, screeningId)).toBeUndefined();
    const alertId = alertIdOf(TENANT, { kind: 'screening', screeningId });
    const raised = entry(ports, {
      action: 'aml.alert.created',
      actor: 'system:alerts',
      target: `alert:${alertId}`,
    });
    await ports.commit(chainOf(TENANT), { bus: [], changes: [], events: [raised] });
    await expect(alertOf(ports.facts, TENANT, screeningId)).rejects.toMatchObject({
      code: 'evidence-altered',
    });
  });

  test('what a screening found, and what people said of it', () => {
    const hit = (typology: string, directScore: number) => ({ directScore, typology }) as never;
    const verdict = {
      decision: 'MATCH_PEP',
      hits: [hit('MATCH_PEP', 0.91234), hit('POTENTIAL_ADVERSE_MEDIA', 0.75)],
    } as const;
    expect(amlFacts(verdict, [])).toEqual({
      'aml.adverse_media_score': 7_500,
      'aml.confirmed_hits': 0,
      'aml.decision': 'MATCH_PEP',
      'aml.max_score': 9_123,
      'aml.open_alerts': 0,
      'aml.typologies': ['MATCH_PEP', 'POTENTIAL_ADVERSE_MEDIA'],
      'client.pep': true,
    });
    const review = (status: string) => ({ ftmId: 'a', status, version: 1 }) as never;
    const open = { reviews: [review('true_positive'), review('pending')], status: 'open' } as const;
    expect(amlFacts(verdict, [open])).toMatchObject({
      'aml.confirmed_hits': 1,
      'aml.open_alerts': 1,
    });
    expect(amlFacts(verdict, [{ status: 'closed_true_positive' }])).toMatchObject({
      'aml.confirmed_hits': 1,
      'aml.open_alerts': 0,
    });
  });
});
