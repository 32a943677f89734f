/** The state of the installation over both HTTP adapters, with nothing replaced. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { TenantId } from '#core/kernel';
import {
  clusterTroubles,
  lookAtCluster,
  reconcile,
  type TroubleCode,
  tenantTroubles,
} from '#slices/vitals';
import { lookPortsOf, watchPortsOf } from '../../../src/slices/vitals/edge/parts.ts';
import { TECHNOLOGIES } from '../../api/http/adapters.ts';
import { type Caller, openRealGateway, type RealGateway } from '../../api/realGateway.ts';
import { hasRedis } from '../../redis/realRedis.ts';

const DAY_MS = 24 * 3_600_000;

interface Health {
  readonly status: string;
  readonly reasons: readonly string[];
  readonly nodes: readonly {
    readonly node_id: string;
    readonly role: string;
    readonly engine: { readonly threads: number } | null;
  }[];
  readonly indexes: readonly {
    readonly source: string;
    readonly loaded_on: number;
    readonly expected_on: number;
  }[];
  readonly store: { readonly kind: string; readonly ping_ms: number | null };
  readonly redis: { readonly ping_ms: number | null };
  readonly chain: { readonly head_age_s: number | null };
}
interface Active {
  readonly data: readonly {
    readonly alert_id: string;
    readonly code: string;
    readonly severity: string;
    readonly subject: { readonly kind: string; readonly id: string };
    readonly runbook: string;
  }[];
}

describe.skipIf(!hasRedis).each(TECHNOLOGIES)('%s: vitals', (technology) => {
  let gateway: RealGateway;
  let tenantId: TenantId;
  let admin: Caller;

  beforeAll(async () => {
    gateway = await openRealGateway(technology);
    tenantId = await gateway.tenant('sandbox');
    admin = await gateway.caller(tenantId, 'admin');
  });
  afterAll(() => gateway?.close());

  const health = async (caller = admin): Promise<Health> => {
    const answer = await caller.get('/v1/sanctions/health/cluster');
    expect([answer.status, answer.text]).toEqual([200, answer.text]);
    return answer.json<Health>();
  };
  const active = async (caller = admin): Promise<Active['data']> => {
    const answer = await caller.get('/v1/sanctions/alerts/active');
    expect([answer.status, answer.text]).toEqual([200, answer.text]);
    return answer.json<Active>().data;
  };

  test('a gateway without a worker is yellow, and says so', async () => {
    const found = await vi.waitFor(async () => {
      const now = await health();
      expect(now.nodes).toHaveLength(1);
      return now;
    });
    expect(found).toMatchObject({
      chain: { head_age_s: expect.any(Number) },
      indexes: [{ expected_on: 1, loaded_on: 1, source: 'DEMO' }],
      nodes: [{ engine: { threads: expect.any(Number) }, role: 'gateway' }],
      reasons: ['no worker was heard of for a minute'],
      redis: { ping_ms: expect.any(Number) },
      status: 'yellow',
      store: { kind: 'sqlite', ping_ms: expect.any(Number) },
    });
    // Names of hosts are for those who look after them.
    expect(found.nodes[0]?.node_id).toBe(gateway.installation.holder);
    const officer = await gateway.caller(tenantId, 'compliance_officer');
    expect((await health(officer)).nodes[0]?.node_id).toBe('1');
    const agent = await gateway.caller(tenantId, 'agent_l1');
    expect((await agent.get('/v1/sanctions/health/cluster')).status).toBe(403);
    const live = await gateway.caller(await gateway.tenant('live'), 'auditor');
    expect((await health(live)).indexes).toEqual([]);
  });

  test('what is wrong is shown as long as it lasts, to whom it concerns', async () => {
    const ports = watchPortsOf(gateway.process as never);
    const looked = await lookAtCluster(lookPortsOf(gateway.process));
    const codes = new Set<TroubleCode>(['CLUSTER_DEGRADED', 'KEY_EXPIRING']);
    const other = await gateway.tenant('sandbox');
    const soon = (gateway.process.clock.now() + 3 * DAY_MS) as never;
    const { identity } = gateway.process;
    const [key] = await identity.listApiKeys(other);
    expect(key).toBeUndefined();
    const foreign = await gateway.caller(other, 'admin');
    const [made] = await identity.listApiKeys(other);
    const keysOf = async (id: TenantId) =>
      id === other && made !== undefined ? [{ ...made, expiresAt: soon }] : [];
    const seen = [...clusterTroubles(looked), ...(await tenantTroubles({ ...ports, keysOf }))];
    await reconcile(ports, seen, codes);
    expect((await active()).map(({ code }) => code)).toEqual(['CLUSTER_DEGRADED']);
    const theirs = await active(foreign);
    expect(theirs.map(({ code, severity }) => [code, severity])).toEqual([
      ['CLUSTER_DEGRADED', 'HIGH'],
      ['KEY_EXPIRING', 'LOW'],
    ]);
    expect(theirs[1]?.subject).toEqual({ id: made?.id, kind: 'key' });
    expect(theirs[0]?.runbook).toBe('docs/runbooks/ClusterDegraded.md');
    await reconcile(ports, [], codes);
    expect(await active(foreign)).toEqual([]);
    const { audit } = gateway.installation.storage;
    const ask = { chainId: 'platform' as never, fromSeq: 1, limit: 100 };
    const actions = (await audit.readEvents(ask)).map(({ action }) => action);
    expect(actions.filter((action) => action === 'OPERATIONAL_ALERT_OPENED')).toHaveLength(2);
    expect(actions.filter((action) => action === 'OPERATIONAL_ALERT_CLOSED')).toHaveLength(2);
  });

  test('lists are told with what is known of them', async () => {
    await vi.waitFor(async () => {
      const answer = await admin.get('/v1/sanctions/lists');
      const { data } = answer.json<{ data: Record<string, unknown>[] }>();
      expect(data).toEqual([
        expect.objectContaining({
          age_s: expect.any(Number),
          enabled_by_policy: true,
          entities_by_category: expect.objectContaining({ SAN: expect.any(Number) }),
          // No run has brought it: it was imported by the test.
          last_change: null,
          next_fire_at: null,
          source_id: 'DEMO',
        }),
      ]);
    }, 20_000);
  });

  test('figures have what gateways measure', async () => {
    await admin.screen({ name: 'Nobody Atall' });
    const screened = await gateway.caller(tenantId, 'agent_l2');
    expect((await screened.screen({ name: 'Tarek Velmorani' })).status).toBe(200);
    const answer = await screened.get('/v1/sanctions/kpis?period=1h');
    expect([answer.status, answer.text]).toEqual([200, answer.text]);
    expect(answer.json()).toMatchObject({
      cache_hit_ratio: null,
      errors: 0,
      list_age_max_s: expect.any(Number),
      lists: [{ source: 'DEMO' }],
      rescreening: null,
    });
  });
});
