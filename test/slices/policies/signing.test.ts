/** Two persons sign a draft and it is in force; or nothing is. Over both stores. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { approvalMessage, signedAuthorOf } from '#core/identity';
import { chainOf } from '#core/kernel';
import { verifyEd25519 } from '#platform/crypto';
import {
  contentHash,
  copyToDraft,
  lapseSignatures,
  type PolicyRecord,
  publicationSubject,
  publishAs,
  requireActive,
  SIGNED_MS,
  saveAndPublish,
  signPolicy,
} from '#slices/policies';
import { onEachStore } from '../../storage/eachStore.ts';
import {
  changed,
  machine,
  type Name,
  OTHER,
  openPolicyDesk,
  type PolicyDesk,
  TENANT,
} from './policyDesk.ts';

onEachStore((makeHarness, { isSlow }) => {
  let desk: PolicyDesk;
  beforeEach(async () => {
    desk = await openPolicyDesk(makeHarness);
  });
  afterEach(() => desk.close());

  const publish = (record: PolicyRecord, caller: Name, ...signers: readonly Name[]) =>
    signPolicy(desk.ports, {
      ...desk.as(caller),
      policyVersion: record.policyVersion,
      signatures: signers.map((name) => desk.sign(record, name)),
    });
  const statuses = async (...versions: readonly number[]) =>
    Promise.all(versions.map(async (version) => (await desk.policy(version)).status));

  test('the first signature waits, the second one publishes', async () => {
    const draft = await desk.draft('carl');
    const pending = await publish(draft, 'carl', 'carl');
    expect(pending).toMatchObject({ status: 'PENDING_SIGNATURE', version: 2 });
    expect(pending.signedUntil).toBe(desk.clock.now() + SIGNED_MS);
    expect(await statuses(1, 2)).toEqual(['PUBLISHED', 'PENDING_SIGNATURE']);
    const published = await publish(draft, 'dora', 'dora');
    expect(published.status).toBe('PUBLISHED');
    expect(await statuses(1, 2)).toEqual(['ARCHIVED', 'PUBLISHED']);
    expect(await requireActive(desk.ports, TENANT)).toEqual(published);
  });

  test('the entry has the whole content and both signatures, which anybody verifies', async () => {
    const draft = await desk.draft('cora');
    const published = await publish(draft, 'dora', 'dora', 'carl');
    const entry = (await desk.entries('SANCTIONS_POLICY_PUBLISHED')).at(-1);
    expect(entry).toMatchObject({
      base_version: 1,
      content: published.content,
      content_hash: contentHash(published.content),
      previous_version: 1,
      version: 2,
    });
    const given = entry?.signatures as readonly Record<string, string>[];
    for (const [at, name] of (['dora', 'carl'] as const).entries()) {
      const { signature = '', signer = '', timestamp = '' } = given[at] ?? {};
      const { id, keys } = desk.persons[name];
      const message = approvalMessage(publicationSubject(draft), {
        approver: signer,
        author: signedAuthorOf(draft),
        timestamp,
      });
      const key = Buffer.from(keys[0]?.publicKey ?? '', 'base64');
      expect([signer, verifyEd25519(key, message, Buffer.from(signature, 'base64'))]).toEqual([
        id,
        true,
      ]);
    }
  });

  test('a policy is saved and published by one call', async () => {
    const { content } = await desk.policy(1);
    const wanted = { content: changed(content, { flags: { topN: 20 } }), justification: 'Less' };
    const next = {
      ...(await desk.policy(1)),
      baseVersion: 1,
      contentHash: contentHash(wanted.content),
      policyVersion: 2,
      updatedBy: `person:${desk.persons.carl.id}`,
    };
    const signatures = [desk.sign(next, 'carl'), desk.sign(next, 'dora')];
    const saved = await saveAndPublish(desk.ports, { ...desk.as('carl'), signatures }, wanted);
    expect(saved).toMatchObject({ policyVersion: 2, status: 'PUBLISHED', version: 1 });
    expect(await statuses(1)).toEqual(['ARCHIVED']);
    expect(await desk.entries('SANCTIONS_POLICY_DRAFTED')).toEqual([]);
  });

  test.each([
    ['one person twice', ['carl', 'carl'], 'dual-control-same-person'],
    ['two of compliance', ['carl', 'cora'], 'dual-control-roles'],
    ['two of DSI', ['dora', 'dina'], 'dual-control-roles'],
    ['an auditor', ['carl', 'aude'], 'dual-control-roles'],
  ] as const)('%s is refused', async (_, signers, code) => {
    const draft = await desk.draft('carl');
    await expect(publish(draft, 'carl', ...signers)).rejects.toMatchObject({ code });
    expect(await statuses(1, 2)).toEqual(['PUBLISHED', 'DRAFT']);
  });

  test('one person with both roles is one person', async () => {
    const draft = await desk.draft('zoe');
    await publish(draft, 'zoe', 'zoe');
    desk.clock.advance(1_000);
    await expect(publish(draft, 'zoe', 'zoe')).rejects.toMatchObject({
      code: 'dual-control-same-person',
    });
    expect((await publish(draft, 'cora', 'cora')).status).toBe('PUBLISHED');
  });

  test('any edit after the first signature voids it', async () => {
    const draft = await desk.draft('carl');
    await publish(draft, 'carl', 'carl');
    const edited = await desk.draft('carl', 0.88);
    expect(edited).toMatchObject({ signatures: [], status: 'DRAFT' });
    // The same content as before, and the same signature: it was used.
    const back = await desk.draft('carl');
    expect(back.contentHash).toBe(draft.contentHash);
    await expect(publish(back, 'carl', 'carl')).rejects.toMatchObject({
      code: 'dual-control-replayed',
    });
    expect((await publish(back, 'dora', 'dora')).status).toBe('PENDING_SIGNATURE');
    await copyToDraft(
      desk.ports,
      { ...desk.as('carl'), policyVersion: 1 },
      { justification: 'Back', mayReplace: true },
    );
    expect(await desk.policy(2)).toMatchObject({ signatures: [], status: 'DRAFT' });
    const [, last] = (await desk.entries('SANCTIONS_POLICY_DRAFTED')).slice(-2);
    expect(last?.voided_signatures).toBe(1);
  });

  test.each([
    ['another content', { content_hash: 'f'.repeat(64) }, 'dual-control-signature-invalid'],
    ['an old signature', { at: -1 }, 'dual-control-expired'],
  ] as const)('%s is refused', async (_, given, code) => {
    const draft = await desk.draft('carl');
    const at = 'at' in given ? desk.clock.now() - 5 * 60_000 - 1 : desk.clock.now();
    const signatures = [desk.sign(draft, 'carl', { ...given, at })];
    const signed = signPolicy(desk.ports, { ...desk.as('carl'), policyVersion: 2, signatures });
    await expect(signed).rejects.toMatchObject({ code });
  });

  test('a key that was revoked after the first signature voids it', async () => {
    const draft = await desk.draft('carl');
    await publish(draft, 'carl', 'carl');
    const { carl } = desk.persons;
    desk.persons.carl = {
      ...carl,
      keys: carl.keys.map((key) => ({ ...key, revokedAt: desk.clock.now() })),
    };
    expect((await publish(draft, 'dora', 'dora')).status).toBe('PENDING_SIGNATURE');
    expect((await publish(draft, 'cora', 'cora')).status).toBe('PUBLISHED');
  });

  test('a lone signature lapses after seven days, before and after the job', async () => {
    const draft = await desk.draft('carl');
    await publish(draft, 'carl', 'carl');
    desk.clock.advance(SIGNED_MS);
    expect((await publish(draft, 'dora', 'dora')).status).toBe('PENDING_SIGNATURE');
    expect(await lapseSignatures(desk.ports)).toBe(0);
    desk.clock.advance(SIGNED_MS);
    expect(await lapseSignatures(desk.ports)).toBe(1);
    expect(await desk.policy(2)).toMatchObject({ signatures: [], status: 'DRAFT' });
    expect(await desk.entries('SANCTIONS_POLICY_LAPSED')).toHaveLength(1);
  });

  test('a draft upon what is no longer in force is not published', async () => {
    const draft = await desk.draft('carl');
    const active = await desk.policy(1);
    const content = changed(active.content, { flags: { topN: 10 } });
    await publishAs(desk.ports, { active, actor: 'system', content, justification: 'Release' });
    await expect(publish(draft, 'carl', 'carl', 'dora')).rejects.toMatchObject({
      code: 'state-conflict',
    });
    const again = await desk.draft('carl');
    expect(again).toMatchObject({ baseVersion: 3, policyVersion: 2 });
    await publish(again, 'carl', 'carl', 'dora');
    expect(await statuses(1, 2, 3)).toEqual(['ARCHIVED', 'PUBLISHED', 'ARCHIVED']);
  });

  test('what is in force, archived or of others is not signed', async () => {
    const draft = await desk.draft('carl');
    await publish(draft, 'carl', 'carl', 'dora');
    for (const policyVersion of [1, 2]) {
      const signatures = [desk.sign(await desk.policy(policyVersion), 'carl')];
      await expect(
        signPolicy(desk.ports, { ...desk.as('carl'), policyVersion, signatures }),
      ).rejects.toMatchObject({ code: 'policy-immutable' });
    }
    const signatures = [desk.sign(draft, 'carl')];
    for (const [ask, code] of [
      [machine(), 'person-required'],
      [desk.as('carl', OTHER), 'person-required'],
    ] as const) {
      await expect(
        signPolicy(desk.ports, { ...ask, policyVersion: 2, signatures }),
      ).rejects.toMatchObject({ code });
    }
  });

  const signers = isSlow ? 10 : 100;
  test(`${signers} who publish at once publish one version`, async () => {
    const draft = await desk.draft('carl');
    const now = desk.clock.now();
    const races = await Promise.allSettled(
      Array.from({ length: signers }, (_, n) =>
        signPolicy(desk.ports, {
          ...desk.as(n % 2 ? 'carl' : 'dora'),
          policyVersion: 2,
          signatures: [
            desk.sign(draft, 'carl', { at: now - n }),
            desk.sign(draft, 'dora', { at: now - n }),
          ],
        }),
      ),
    );
    const won = races.filter(({ status }) => status === 'fulfilled');
    const codes = races.flatMap((race) =>
      race.status === 'rejected' ? [(race.reason as { code: string }).code] : [],
    );
    expect([won.length, new Set(codes)]).toEqual([1, new Set(['policy-immutable'])]);
    expect(await statuses(1, 2)).toEqual(['ARCHIVED', 'PUBLISHED']);
    expect(await desk.entries('SANCTIONS_POLICY_PUBLISHED')).toHaveLength(2);
  });

  test('the same two signatures publish once', async () => {
    const draft = await desk.draft('carl');
    const signatures = [desk.sign(draft, 'carl'), desk.sign(draft, 'dora')];
    const sign = () => signPolicy(desk.ports, { ...desk.as('carl'), policyVersion: 2, signatures });
    const races = await Promise.allSettled(Array.from({ length: isSlow ? 4 : 10 }, sign));
    expect(races.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('while the chain is broken nothing is signed', async () => {
    const draft = await desk.draft('carl');
    desk.break({ seq: 3 });
    await expect(publish(draft, 'carl', 'carl', 'dora')).rejects.toMatchObject({
      code: 'audit-chain-broken',
    });
    expect(await statuses(1, 2)).toEqual(['PUBLISHED', 'DRAFT']);
    expect((await desk.audit.head(chainOf(TENANT))).seq).toBe(2);
  });
});
