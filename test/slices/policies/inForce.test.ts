/**
 * What decides is the policy that was published last, as it was signed. Whoever writes the store
 * past the service is named and refused. Over both stores.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { tenantTable } from '#core/identity';
import { chainOf } from '#core/kernel';
import {
  adoptPolicies,
  checkPolicies,
  contentHash,
  nextRecord,
  policyTable,
  publishAs,
  signPolicy,
} from '#slices/policies';
import { screeningSettings } from '#slices/screening';
import { onEachStore } from '../../storage/eachStore.ts';
import { changed, openPolicyDesk, type PolicyDesk, SETTINGS, TENANT } from './policyDesk.ts';

const FORMER = '0190cccc-0000-7000-8000-00000000000c' as typeof TENANT;

onEachStore((makeHarness) => {
  let desk: PolicyDesk;
  beforeEach(async () => {
    desk = await openPolicyDesk(makeHarness);
  });
  afterEach(() => desk.close());

  const publishNext = async () => {
    const draft = await desk.draft('carl');
    return signPolicy(desk.ports, {
      ...desk.as('carl'),
      policyVersion: draft.policyVersion,
      signatures: [desk.sign(draft, 'carl'), desk.sign(draft, 'dora')],
    });
  };
  const altered = { code: 'state-altered' };

  test('a screening takes what ships, and names it', async () => {
    const { settings } = await desk.inForce().of(TENANT);
    const first = await desk.policy(1);
    expect(settings).toEqual({
      ...SETTINGS.resolve(SETTINGS.ofNewTenant()).of(screeningSettings),
      policyDigest: first.contentHash,
      sourcesOff: ['COMMERCIAL_WATCHLIST'],
    });
    expect(first.contentHash).toBe(contentHash(first.content));
  });

  test('another process takes a new version within two seconds, and keeps one object', async () => {
    const policies = desk.inForce();
    const before = await policies.of(TENANT);
    await publishNext();
    expect(await policies.of(TENANT)).toBe(before);
    desk.clock.advance(2_000);
    const after = await policies.of(TENANT);
    expect(after).toMatchObject({ policyVersion: 2, settings: { thresholds: { pep: 0.87 } } });
    desk.clock.advance(2_000);
    expect((await policies.of(TENANT)).settings).toBe(after.settings);
  });

  test('a threshold that was changed past the service is refused, and told', async () => {
    const policies = desk.inForce();
    await policies.of(TENANT);
    await desk.alter('policy', '"direct":0.92', '"direct":0.99');
    desk.clock.advance(2_000);
    await expect(policies.of(TENANT)).rejects.toMatchObject({
      ...altered,
      message: expect.stringContaining('version 1'),
    });
    const { refusals } = await checkPolicies(desk.ports, TENANT);
    expect(refusals).toEqual(['version 1: it is not what its last entry made it']);
  });

  test('a version that is put back, with an entry of something else, is refused', async () => {
    const first = await desk.policy(1);
    const second = await publishNext();
    const archived = await desk.policy(1);
    await desk.forge(
      policyTable.put(nextRecord(second, { status: 'ARCHIVED' }), second.version),
      policyTable.put({ ...first, version: archived.version + 1 }, archived.version),
    );
    await expect(desk.inForce().of(TENANT)).rejects.toMatchObject(altered);
    expect((await checkPolicies(desk.ports, TENANT)).refusals).toHaveLength(2);
  });

  test('a policy that is gone is no tenant of a former release', async () => {
    const first = await desk.policy(1);
    await desk.forge(policyTable.remove({ policyVersion: 1, tenantId: TENANT }, first.version));
    await expect(desk.inForce().of(TENANT)).rejects.toMatchObject(altered);
    const tenant = desk.tenantOf(TENANT);
    expect(await adoptPolicies({ ...desk.ports, settings: SETTINGS }, [tenant])).toBe(0);
    expect((await checkPolicies(desk.ports, TENANT)).refusals).toEqual([
      'version 1: its record is gone',
    ]);
  });

  test('a draft that was altered is neither signed nor replaced', async () => {
    const draft = await desk.draft('carl');
    await desk.alter('policy', '"pep":0.87', '"pep":0.91');
    const signatures = [desk.sign(draft, 'carl')];
    await expect(
      signPolicy(desk.ports, { ...desk.as('carl'), policyVersion: 2, signatures }),
    ).rejects.toMatchObject(altered);
    await expect(desk.draft('carl', 0.86)).rejects.toMatchObject(altered);
  });

  test('what is as it was signed is told as that', async () => {
    await publishNext();
    await desk.draft('dora', 0.9);
    expect(await checkPolicies(desk.ports, TENANT)).toEqual({ count: 3, refusals: [] });
  });

  describe('a tenant of a former release', () => {
    const former = (settings: Readonly<Record<string, number | string>>) => ({
      ...desk.tenantOf(FORMER),
      settings: { 'screening.reranker_release': '1.1.0', ...settings },
    });
    const adopt = (settings: Readonly<Record<string, number | string>>) =>
      adoptPolicies({ ...desk.ports, settings: SETTINGS }, [former(settings)]);

    test('has what it has set, until that is its policy', async () => {
      const tenant = former({});
      await desk.ports.commit(chainOf(FORMER), {
        bus: [],
        changes: [tenantTable.insert(tenant)],
        events: [
          {
            eventId: crypto.randomUUID() as never,
            members: { action: 'test' },
            occurredAt: desk.clock.now(),
            open: {},
            type: 'entry',
          },
        ],
      });
      const before = (await desk.inForce().of(FORMER)).settings;
      expect(before.policyDigest).toBeUndefined();
      expect(await adopt({})).toBe(1);
      const after = (await desk.inForce().of(FORMER)).settings;
      expect(after.policyDigest).toBe((await desk.policy(1, FORMER)).contentHash);
      expect(await adopt({})).toBe(0);
    });

    test('keeps its version, its choices and the lists that it was screened by', async () => {
      await adopt({
        'alerts.four_eyes': 'all',
        'alerts.raised_for': 'sanctions',
        'screening.batch_reranker_version': '2.0.0',
        'screening.policy_version': 4,
        'screening.reranker_version': '1.0.0',
        'screening.threshold.pep': 0.9,
      });
      expect(await desk.policy(4, FORMER)).toMatchObject({
        baseVersion: 0,
        content: {
          batch_reranker_version: '2.0.0',
          flags: {
            auto_alert_typologies: ['MATCH_DIRECT_SANCTIONS'],
            commercial_enabled: true,
            four_eyes: 'all',
          },
          reranker_version: '1.0.0',
          thresholds: { pep: 0.9 },
        },
        status: 'PUBLISHED',
      });
    });

    test('takes over the release before its settings are a policy', async () => {
      const tenant = { ...former({}), settings: {} };
      expect(await adoptPolicies({ ...desk.ports, settings: SETTINGS }, [tenant])).toBe(0);
    });
  });

  test('a later release gives its formula once, to who has an earlier one', async () => {
    const first = await desk.policy(1);
    const content = changed(first.content, { reranker_version: '1.0.0' as never });
    const old = await publishAs(desk.ports, {
      active: first,
      actor: 'system',
      content,
      justification: 'Chosen',
    });
    const tenant = desk.tenantOf(TENANT);
    const ports = { ...desk.ports, settings: SETTINGS };
    // Chosen under this release: it stays.
    expect(await adoptPolicies(ports, [tenant])).toBe(0);
    expect(old.content.reranker_version).toBe('1.0.0');
  });
});
