/** A client who is erased: the facts of evaluations, and where they stand, as duties end. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TenantId } from '#core/kernel';
import { changeCase, createCase } from '#slices/customers';
import { subjectOf } from '#slices/privacy';
import { evaluateClient, requireEvaluation, riskClientTable } from '#slices/risk';
import { casePortsOf } from '../../../src/slices/customers/edge/parts.ts';
import { riskPortsOf } from '../../../src/slices/risk/edge/parts.ts';
import { openRealGateway, type RealGateway } from '../../api/realGateway.ts';
import { hasRedis } from '../../redis/realRedis.ts';
import { erasureDesk, YEAR_MS } from '../privacy/erasureDesk.ts';

const WORD = 'zwirbelkanarist';
const REF = 'client-1';

describe.skipIf(!hasRedis)('the erasure of a client', () => {
  let gateway: RealGateway;
  beforeAll(async () => {
    gateway = await openRealGateway('node:http');
  });
  afterAll(() => gateway?.close());

  /** Evaluated twice. */
  async function evaluated() {
    const tenantId = await gateway.tenant('sandbox', { 'privacy.retention_years': 10 });
    const cases = casePortsOf(gateway.process);
    const by = { actor: 'key:test', tenantId } as const;
    const { caseId } = await createCase(cases, by, {
      external_ref: REF,
      locale: 'fr-TN',
      subject: { dob: '1990-05-17', full_name: 'Amira Ben Salah', occupation: WORD },
      subject_type: 'individual',
      workflow_code: 'individual_standard',
    });
    const ports = riskPortsOf(gateway.process);
    const ask = { ...by, caseId, isAsked: true };
    await evaluateClient(ports, ask);
    const { client } = await evaluateClient(ports, ask);
    return { by, caseId, cases, client, desk: erasureDesk(gateway, tenantId), ports, tenantId };
  }

  const rating = ({ clientId, tenantId }: { clientId: string; tenantId: TenantId }) =>
    gateway.process.storage.tables.find(riskClientTable, { clientId, tenantId });

  async function given(desk: ReturnType<typeof erasureDesk>, tenantId: TenantId) {
    const holdings = await desk.ports.holdings();
    const subject = await subjectOf(holdings, { subjectRef: REF, tenantId });
    const found: object[] = [];
    for (const { files, store } of holdings) {
      if (store !== riskClientTable.name) continue;
      for await (const { content } of files(subject)) found.push(content);
    }
    return found;
  }

  test('without a duty facts and rating go at once, and a repeat is harmless', async () => {
    const { client, desk, ports, tenantId } = await evaluated();
    expect(await desk.isInChain(WORD)).toBe(true);
    const evaluation = { evaluated_at: expect.any(String), level: client.evaluatedLevel };
    expect(await given(desk, tenantId)).toEqual([{ evaluations: [evaluation, evaluation] }]);
    const request = await desk.planned(REF);
    expect(request.plan?.rows.find(({ store }) => store === riskClientTable.name)).toEqual({
      action: 'delete',
      rows: 3,
      store: riskClientTable.name,
      why: 'no_duty',
    });
    await desk.approved(request);
    let deaths = 0;
    const dying = desk.carryOut(request, (point) => {
      if (point !== riskClientTable.name) return;
      deaths++;
      throw new Error('the worker died');
    });
    await expect(dying).rejects.toThrow('the worker died');
    expect(deaths).toBe(1);
    await desk.carryOut(request);
    expect(await desk.isInChain(WORD)).toBe(false);
    expect(await rating(client)).toBeUndefined();
    const { evaluationId } = client;
    expect((await requireEvaluation(ports, { evaluationId, tenantId })).open).toBeUndefined();
    expect(await ports.signed.check(tenantId)).toEqual([]);
    expect(await given(desk, tenantId)).toEqual([]);
  });

  test('they stay while a law demands the file of a decided case, and go then', async () => {
    const { by, caseId, cases, client, desk, ports, tenantId } = await evaluated();
    await changeCase(cases, { ...by, caseId }, () => ({
      change: { decidedAt: cases.clock.now(), standing: 'approved', status: 'approved' },
      entry: { action: 'kyc.case.decision_made' },
    }));
    const request = await desk.planned(REF);
    expect(request.plan?.rows.find(({ store }) => store === riskClientTable.name)).toMatchObject({
      action: 'keep',
      rows: 3,
      why: 'legal_duty',
    });
    await desk.approved(request);
    await desk.carryOut(request);
    expect(await rating(client)).toEqual(client);
    expect(await desk.isInChain(WORD)).toBe(true);
    desk.move(10.1 * YEAR_MS);
    await desk.carryOut(request);
    expect(await rating(client)).toBeUndefined();
    expect(await desk.isInChain(WORD)).toBe(false);
    expect(await ports.signed.check(tenantId)).toEqual([]);
  });
});
