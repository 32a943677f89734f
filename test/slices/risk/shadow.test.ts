/** Shadow: what a policy would make of what comes, counted by workers. */
import { afterEach, describe, expect, test } from 'vitest';
import {
  activateShadow,
  createRiskPolicy,
  deactivateShadow,
  editRiskPolicy,
  evaluateClient,
  requirePolicy,
  riskShadowTable,
  SHADOW_EVERY_MS,
  type ShadowCount,
  shadowMetrics,
} from '#slices/risk';
import { BY, CLI, TENANT } from './riskDesk.ts';
import { by, closeDesks, countOne, open, withClients } from './stagesDesk.ts';

afterEach(closeDesks);

describe('a policy in shadow', () => {
  test('is compared with every evaluation since, and decides nothing', async () => {
    const desk = await open();
    const { ports } = desk;
    await withClients(desk);
    const { policyId } = await createRiskPolicy(ports, CLI, {
      name: 'Strict',
      thresholds: { high: 35, standard: 10 },
    });
    const ask = { ...CLI, policyId };
    const broken = await createRiskPolicy(ports, CLI, { name: 'Broken', weights: { geo: 0 } });
    await expect(
      activateShadow(ports, { ...CLI, policyId: broken.policyId }),
    ).rejects.toMatchObject({ code: 'policy-invalid', violations: [{ code: 'weights-sum' }] });
    const shadowed = await activateShadow(ports, ask);
    const { caseId } = await desk.newClient('client-4');
    const { client } = await evaluateClient(ports, { ...BY, caseId, isAsked: true });
    expect(client.policyVersion).toBe(1);
    const metrics = await shadowMetrics(ports, shadowed);
    expect(metrics).toMatchObject({
      confusion: { total: 1 },
      errors: 0,
      evaluations: 1,
      movement: [{ count: 1, from: 'STANDARD', to: 'HIGH' }],
      needed: { days: 0, evaluations: 1 },
      ready: true,
    });
    const out = await deactivateShadow(ports, ask);
    expect(out).toMatchObject({ shadowReport: { contentHash: out.contentHash }, status: 'draft' });
    expect(out.shadow).toBeUndefined();
  });

  test('is counted by workers, of whom one goes on from what another has signed', async () => {
    const desk = await open();
    const { clock, ports, tables } = desk;
    const { policyId } = await createRiskPolicy(ports, CLI, {
      name: 'Strict',
      thresholds: { high: 35, standard: 10 },
    });
    const { shadow } = await activateShadow(ports, { ...CLI, policyId });
    const key = { shadowReportId: shadow?.shadowReportId ?? '', tenantId: TENANT };
    await withClients(desk);
    const look = () => countOne(desk);
    expect(await look()).toBe(true);
    const counted = await tables.find(riskShadowTable, key);
    const progress = JSON.parse(counted?.progress ?? '').progress as ShadowCount;
    expect(progress.tally.cases).toBe(3);
    // Not due yet, then only what has come since is compared.
    expect(await look()).toBe(false);
    clock.advance(SHADOW_EVERY_MS);
    const { caseId } = await desk.newClient('client-9');
    await evaluateClient(ports, { ...BY, caseId, isAsked: true });
    let read = 0;
    const events = {
      ...ports.events,
      readAll: (...of: Parameters<typeof ports.events.readAll>) => {
        read += of[1].length;
        return ports.events.readAll(...of);
      },
    };
    expect(await countOne(desk, { ...ports, events })).toBe(true);
    expect(read).toBe(1);
    // Whoever writes the row without the signer has it counted anew.
    const forged = { ...progress, tally: { ...progress.tally, cases: 900 } };
    const saved = JSON.stringify({ progress: forged, signature: 'AAAA' });
    await tables.saveWork(riskShadowTable, { key, work: { progress: saved } });
    const policy = await requirePolicy(ports, { policyId, tenantId: TENANT });
    expect(await shadowMetrics(ports, policy)).toMatchObject({ complete: true, evaluations: 4 });
    await editRiskPolicy(ports, { ...CLI, policyId }, { name: 'Edited' });
    clock.advance(SHADOW_EVERY_MS);
    expect(await look()).toBe(true);
    expect((await tables.find(riskShadowTable, key))?.progress).toBeUndefined();
    clock.advance(SHADOW_EVERY_MS);
    expect(await look()).toBe(false);
  });

  test('ends over HTTP once workers are through, and says how far they are', async () => {
    const desk = await open();
    const { ports } = desk;
    const { policyId } = await createRiskPolicy(ports, by('carl'), {
      name: 'Strict',
      thresholds: { high: 35, standard: 10 },
    });
    const ask = { ...by('carl'), policyId };
    await activateShadow(ports, ask);
    await withClients(desk);
    // As if there were more behind a look than it compares.
    const audit = { ...ports.audit, head: async () => ({ hash: '', seq: 1_000 }) as never };
    const searchEvents = async (of: Parameters<typeof ports.audit.searchEvents>[0]) => {
      const page = await ports.audit.searchEvents(of);
      return Array.from({ length: 2_001 }, (_, at) => page[at % page.length]).filter(
        (one) => one !== undefined,
      );
    };
    const behind = { ...ports, audit: { ...audit, searchEvents } } as typeof ports;
    await expect(deactivateShadow(behind, ask)).rejects.toMatchObject({
      code: 'state-conflict',
      message: expect.stringMatching(/\d+ of \d+ entries/),
    });
    expect(await deactivateShadow(ports, ask)).toMatchObject({ status: 'draft' });
  });

  test('is one of three, and an edit ends it', async () => {
    const { ports } = await open();
    const ids: string[] = [];
    for (let made = 0; made < 4; made++) {
      ids.push((await createRiskPolicy(ports, CLI, { name: `N${made}` })).policyId);
    }
    const results = await Promise.allSettled(
      ids.map((policyId) => activateShadow(ports, { ...CLI, policyId })),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    const policyId = ids[results.findIndex(({ status }) => status === 'fulfilled')] ?? '';
    const edited = await editRiskPolicy(ports, { ...CLI, policyId }, { name: 'Edited' });
    expect(edited).toMatchObject({ status: 'draft' });
    expect(edited.shadowSlot).toBeUndefined();
    expect(await ports.signed.check(TENANT)).toEqual([]);
  });
});
