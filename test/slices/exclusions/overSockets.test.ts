/**
 * Exclusions with nothing replaced: decided by two persons, applied by the gateway's screenings,
 * told in the event, held to signed entries, and unknown to another tenant.
 */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { entry } from '#core/audit';
import { chainOf, type TenantId } from '#core/kernel';
import {
  addExclusion,
  approveExclusion,
  checkExclusions,
  type ExclusionPorts,
  type ExclusionRecord,
  exclusionPartsOf,
  exclusionTable,
  revokeExclusion,
} from '#slices/exclusions';
import { publicEvents } from '../../../src/slices/exclusions/edge/publicEvents.ts';
import { TECHNOLOGIES } from '../../api/http/adapters.ts';
import { type Caller, openRealGateway, type RealGateway } from '../../api/realGateway.ts';
import { hasRedis } from '../../redis/realRedis.ts';

const LISTED = 'Tarek Velmorani';
const WHY = 'Another date and another place of birth';
const WAIT = { interval: 100, timeout: 20_000 };

interface Screened {
  readonly screening_id: string;
  readonly decision: string;
  readonly hits: readonly { readonly candidate: { readonly ftm_id: string } }[];
  readonly suppressed?: readonly { readonly ftm_id: string; readonly exclusion_id: string }[];
  readonly suppressed_only?: boolean;
}

describe.skipIf(!hasRedis).each(TECHNOLOGIES)('%s: exclusions', (technology) => {
  let gateway: RealGateway;
  let ports: ExclusionPorts;
  let tenantId: TenantId;
  let caller: Caller;

  beforeAll(async () => {
    gateway = await openRealGateway(technology);
    tenantId = await gateway.tenant('sandbox');
    caller = await gateway.caller(tenantId, 'agent_l2', 'mlro');
    ports = exclusionPartsOf(gateway.process);
    // The first query of a process that has just started may be refused for its time.
    await vi.waitUntil(async () => (await screen()).hits?.length === 1, WAIT);
  });
  afterAll(() => gateway.close());

  const screen = async (by = caller) => (await by.screen({ name: LISTED })).json<Screened>();
  const person = (name: string) => ({
    actor: `person:${name}` as const,
    isPerson: true,
    tenantId,
  });

  async function excluded(): Promise<ExclusionRecord> {
    const { hits, screening_id: screeningId } = await screen();
    const [proposed] = await addExclusion(ports, {
      by: person('lena'),
      ftmId: hits[0]?.candidate.ftm_id ?? '',
      reason: WHY,
      reasonCode: 'dob_differs',
      screeningId,
    });
    const exclusionIds = [proposed?.exclusionId ?? ''];
    const [active] = await approveExclusion(ports, { by: person('carl'), exclusionIds });
    if (active === undefined) throw new Error('no exclusion');
    return active;
  }

  /** What webhooks say of its end is what was signed, whatever the outbox says. */
  async function expectTold(exclusionId: string, data: object): Promise<void> {
    const [event] = publicEvents;
    const told = (id: string) =>
      event?.dataOf(
        {
          createdAt: Date.now(),
          partition: tenantId,
          payload: { exclusion_id: id, status: 'expired', was_active: false },
          topic: 'sanctions.exclusion.ended',
        },
        gateway.process,
      );
    expect(await told(exclusionId)).toMatchObject({ ...data, ended_at: expect.any(String) });
    await expect(told('none')).rejects.toMatchObject({ code: 'evidence-altered' });
  }

  test('one is applied, told, revoked; a machine proposes none of a sanctions list', async () => {
    const first = await screen();
    const ask = {
      ftm_id: first.hits[0]?.candidate.ftm_id,
      reason: WHY,
      reason_code: 'dob_differs',
      screening_id: first.screening_id,
    };
    const byKey = await caller.post('/v1/sanctions/exclusions', ask);
    expect(byKey.problem()).toMatchObject({ code: 'person-required', status: 403 });
    const { exclusionId } = await excluded();
    const after = await vi.waitUntil(async () => {
      const found = await screen();
      return found.suppressed_only === true ? found : undefined;
    }, WAIT);
    expect(after).toMatchObject({
      decision: 'CLEAR',
      hits: [],
      suppressed: [{ exclusion_id: exclusionId, ftm_id: ask.ftm_id }],
    });
    const evidence = (await caller.evidence(after.screening_id)).json<{ event: object }>();
    expect(evidence.event).toMatchObject({
      suppressed: [{ exclusion_id: exclusionId, ftm_id: ask.ftm_id }],
      suppressed_only: true,
    });
    // The same name with a date is another subject.
    const other = await caller.screen({ dob: '1990-01-01', name: LISTED });
    expect(other.json<Screened>().suppressed).toBeUndefined();
    const path = `/v1/sanctions/exclusions/${exclusionId}`;
    const told = await caller.get(path);
    expect([told.status, told.headers.get('etag')]).toEqual([200, '"v2"']);
    const list = await caller.get('/v1/sanctions/exclusions?status=active');
    expect(list.json<{ data: object[] }>().data).toHaveLength(1);
    const elsewhere = await gateway.caller(await gateway.tenant('sandbox'), 'mlro');
    expect((await elsewhere.get(path)).problem()).toMatchObject({ code: 'exclusion-unknown' });
    const stale = await caller.send(path, { headers: { 'If-Match': '"v1"' }, method: 'DELETE' });
    expect(stale.status).toBe(412);
    const ended = await caller.send(path, { method: 'DELETE' });
    expect(ended.json()).toMatchObject({ status: 'revoked' });
    await expectTold(exclusionId, { ftm_id: ask.ftm_id, status: 'revoked', was_active: true });
    await vi.waitUntil(async () => (await screen()).hits.length === 1, WAIT);
  });

  test('a row that was written past the service is not applied, and doctor names it', async () => {
    const { exclusionId, ...record } = await excluded();
    const { commit, storage } = gateway.process;
    await vi.waitUntil(async () => (await screen()).suppressed_only === true, WAIT);
    await revokeExclusion(ports, { by: person('mia'), exclusionIds: [exclusionId] });
    const forged = { ...record, exclusionId: 'forged' };
    const told = entry(gateway.process, {
      action: 'case.reassigned' as never,
      actor: 'cli:test',
      target: 'something else',
    });
    await commit(chainOf(tenantId), {
      bus: [],
      changes: [exclusionTable.insert(forged)],
      events: [told],
    });
    await vi.waitUntil(async () => (await screen()).hits.length === 1, WAIT);
    const { signed } = ports;
    const { refusals } = await checkExclusions({ signed, tables: storage.tables }, tenantId);
    expect(refusals).toEqual(['exclusion forged: it is not what its last entry made it']);
  });
});
