/** A policy from its first version to a draft of the next, over both stores. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  contentHash,
  copyToDraft,
  discardDraft,
  etagOf,
  findPolicy,
  openDraft,
  readPolicies,
  saveDraft,
} from '#slices/policies';
import screening from '../../../config/screening.json' with { type: 'json' };
import { onEachStore } from '../../storage/eachStore.ts';
import { changed, machine, OTHER, openPolicyDesk, type PolicyDesk, TENANT } from './policyDesk.ts';

onEachStore((makeHarness) => {
  let desk: PolicyDesk;
  beforeEach(async () => {
    desk = await openPolicyDesk(makeHarness);
  });
  afterEach(() => desk.close());

  const wanted = async (pep = 0.87) => ({
    content: changed((await desk.policy(1)).content, { thresholds: { pep } }),
    justification: 'Fewer alerts of exposed persons',
  });

  test('version 1 is what ships, published by the system with the tenant', async () => {
    const first = await desk.policy(1);
    expect(first).toMatchObject({ baseVersion: 0, createdBy: 'system', status: 'PUBLISHED' });
    expect(first.content.thresholds).toEqual(screening.thresholds);
    expect(first.contentHash).toBe(contentHash(first.content));
    const [entry] = await desk.entries('SANCTIONS_POLICY_PUBLISHED');
    expect(entry).toMatchObject({ content: first.content, signatures: [], version: 1 });
  });

  test('a change is a draft of the next version, and what is in force stays', async () => {
    const draft = await saveDraft(desk.ports, desk.as('carl'), await wanted());
    expect(draft).toMatchObject({
      baseVersion: 1,
      changeSummary: [{ new: 0.87, old: 0.85, pointer: '/thresholds/pep' }],
      policyVersion: 2,
      status: 'DRAFT',
      updatedBy: `person:${desk.persons.carl.id}`,
    });
    expect((await desk.policy(1)).status).toBe('PUBLISHED');
    const again = await saveDraft(desk.ports, desk.as('dora'), await wanted(0.86));
    expect(again).toMatchObject({ policyVersion: 2, version: 2 });
    expect(again.createdBy).toBe(draft.createdBy);
    expect(await openDraft(desk.ports, TENANT)).toEqual(again);
  });

  test('who means another revision changes nothing', async () => {
    const first = await desk.policy(1);
    const tag = etagOf(first);
    const ask = { ...desk.as('carl'), isExpected: (etag: string) => etag === tag };
    const draft = await saveDraft(desk.ports, ask, await wanted());
    await expect(saveDraft(desk.ports, ask, await wanted(0.9))).rejects.toMatchObject({
      code: 'precondition-failed',
    });
    expect(await desk.policy(2)).toEqual(draft);
  });

  test('two who save at once leave one draft, whole', async () => {
    const saved = await desk.whileTimePasses(() =>
      Promise.all(
        Array.from({ length: 5 }, async (_, n) =>
          saveDraft(desk.ports, desk.as(n % 2 ? 'carl' : 'dora'), await wanted(0.86 + n / 1_000)),
        ),
      ),
    );
    expect(new Set(saved.map(({ policyVersion }) => policyVersion))).toEqual(new Set([2]));
    expect(new Set(saved.map(({ version }) => version)).size).toBe(5);
    expect((await desk.policy(2)).version).toBe(5);
    expect(await desk.entries('SANCTIONS_POLICY_DRAFTED')).toHaveLength(5);
  });

  test('an archived version is drafted again: roll-back', async () => {
    await saveDraft(desk.ports, desk.as('carl'), await wanted());
    const place = { ...desk.as('dora'), policyVersion: 1 };
    const asked = { justification: 'Back', mayReplace: false };
    await expect(copyToDraft(desk.ports, place, asked)).rejects.toMatchObject({
      code: 'state-conflict',
    });
    const draft = await copyToDraft(desk.ports, place, { ...asked, mayReplace: true });
    expect(draft).toMatchObject({ changeSummary: [], policyVersion: 2, version: 2 });
    expect(draft.contentHash).toBe((await desk.policy(1)).contentHash);
  });

  test('a discarded draft is over, and its number is not given again', async () => {
    await saveDraft(desk.ports, desk.as('carl'), await wanted());
    const place = { ...desk.as('carl'), policyVersion: 2 };
    expect(await discardDraft(desk.ports, place)).toMatchObject({ status: 'DISCARDED' });
    await expect(discardDraft(desk.ports, place)).rejects.toMatchObject({
      code: 'policy-immutable',
    });
    await expect(
      discardDraft(desk.ports, { ...desk.as('carl'), policyVersion: 1 }),
    ).rejects.toMatchObject({ code: 'policy-immutable' });
    expect(await saveDraft(desk.ports, desk.as('carl'), await wanted())).toMatchObject({
      baseVersion: 1,
      policyVersion: 3,
    });
    const { active, drafts, history } = await readPolicies(desk.ports, TENANT, {
      limit: 10,
      now: desk.clock.now(),
    });
    const versions = [active, ...drafts, ...history].map((one) => one?.policyVersion);
    expect(versions).toEqual([1, 3, 2]);
    const first = await readPolicies(desk.ports, TENANT, { limit: 1, now: desk.clock.now() });
    expect(first).toMatchObject({ history: [], next: 3 });
    const page = { below: 3, limit: 1, now: desk.clock.now() };
    expect((await readPolicies(desk.ports, TENANT, page)).history).toMatchObject([
      { policyVersion: 2 },
    ]);
  });

  test('machines and other roles change nothing', async () => {
    const content = await wanted();
    for (const [ask, code] of [
      [machine(), 'person-required'],
      [desk.as('omar'), 'role-insufficient'],
      [desk.as('aude'), 'role-insufficient'],
    ] as const) {
      await expect(saveDraft(desk.ports, ask, content)).rejects.toMatchObject({ code });
    }
    await expect(desk.policy(2)).rejects.toMatchObject({ code: 'policy-unknown' });
  });

  test('the policies of two tenants never meet', async () => {
    await saveDraft(desk.ports, desk.as('carl'), await wanted());
    const unknown = findPolicy(desk.ports, { policyVersion: 2, tenantId: OTHER });
    await expect(unknown).rejects.toMatchObject({ code: 'policy-unknown' });
    expect(await openDraft(desk.ports, OTHER)).toBeUndefined();
    expect(await desk.entries('SANCTIONS_POLICY_DRAFTED', OTHER)).toEqual([]);
  });

  test('while the chain is broken nothing is changed', async () => {
    desk.break({ alertId: 'alert-1', seq: 7 });
    const place = { ...desk.as('carl'), policyVersion: 1 };
    for (const change of [
      async () => saveDraft(desk.ports, desk.as('carl'), await wanted()),
      () => copyToDraft(desk.ports, place, { justification: 'Back', mayReplace: true }),
      () => discardDraft(desk.ports, place),
    ]) {
      await expect(change()).rejects.toMatchObject({
        code: 'audit-chain-broken',
        message: expect.stringContaining('event 7'),
      });
    }
    desk.break(undefined);
    await saveDraft(desk.ports, desk.as('carl'), await wanted());
  });

  describe('rules', () => {
    const refused = async (
      change: Parameters<typeof changed>[1],
      justification = 'Because',
    ): Promise<readonly string[]> => {
      const content = changed((await desk.policy(1)).content, change);
      const error = await saveDraft(desk.ports, desk.as('carl'), { content, justification }).then(
        () => undefined,
        (thrown: { code: string; violations: readonly { code: string }[] }) => thrown,
      );
      return error === undefined ? [] : error.violations.map(({ code }) => code);
    };

    test.each([
      ['a sum of weights', { weights: { name: 0.5 } }, ['weights-sum']],
      ['an order of thresholds', { thresholds: { pep: 0.95 } }, ['not-monotone']],
      ['a range', { thresholds: { adverse_media: 1.5 } }, ['threshold-range']],
      [
        'both at once',
        { thresholds: { direct: -1 }, weights: { dob: 1 } },
        ['threshold-range', 'weights-sum', 'not-monotone'],
      ],
      ['a source', { sources: { NOWHERE: { enabled: true } } }, ['source-unknown']],
      [
        'a cadence',
        { sources: { UN_SC: { cadence_override: '* * *', enabled: true } } },
        ['not-six-fields'],
      ],
      ['a reason', { sources: { UN_SC: { enabled: false } } }, ['justification-short']],
      ['nothing, of a list that is paid for', { flags: { commercial_enabled: true } }, []],
    ] as const)('are broken: %s', async (_, change, codes) => {
      expect(await refused(change)).toEqual(codes);
    });

    test('a sanctions list is turned off for a hundred characters, once', async () => {
      const off = { sources: { UN_SC: { enabled: false } } };
      expect(await refused(off, 'x'.repeat(99))).toEqual(['justification-short']);
      expect(await refused(off, ` ${'x'.repeat(99)} `)).toEqual(['justification-short']);
      expect(await refused(off, 'x'.repeat(100))).toEqual([]);
    });

    test('fires of lists that others look after', async () => {
      desk.lendLists(false);
      const own = { UN_SC: { cadence_override: '0 0 */3 * * ?', enabled: true } };
      expect(await refused({ sources: own })).toEqual(['cadence-not-yours']);
      desk.lendLists(true);
      expect(await refused({ sources: own })).toEqual([]);
    });
  });
});
