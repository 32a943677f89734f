/**
 * The second signature of a publication given at `/v1/approvals`: the same bytes, the same checks,
 * one commit with the end of the request.
 */
import { beforeEach, expect, test } from 'vitest';
import { type Person, signedAuthorOf, verifyApproval } from '#core/identity';
import { requireLastEditor } from '#slices/approvals';
import {
  awaitedPolicy,
  POLICY_ROLE_PAIR,
  type PolicyRecord,
  publicationSubject,
  publishApproved,
  shownPublication,
  signPolicy,
} from '#slices/policies';
import { makeSqliteHarness } from '../../storage/sqlite/harness.ts';
import { type Name, openPolicyDesk, type PolicyDesk, TENANT } from './policyDesk.ts';

let desk: PolicyDesk;
beforeEach(async () => {
  desk = await openPolicyDesk(makeSqliteHarness);
  return () => desk.close();
});

const placeOf = (draft: PolicyRecord) => ({
  newValue: publicationSubject(draft).newValue,
  policyVersion: draft.policyVersion,
  tenantId: TENANT,
});

/** As the slice of approvals verifies what the second person sends. */
function approvalOf(draft: PolicyRecord, approver: Name) {
  const { persons, ports, sign } = desk;
  const author = Object.values(persons).find(({ id }) => id === signedAuthorOf(draft)) as Person;
  const { signature, timestamp } = sign(draft, approver);
  return verifyApproval({
    approver: persons[approver],
    author,
    now: ports.clock.now(),
    rolePair: POLICY_ROLE_PAIR,
    signature,
    subject: publicationSubject(draft),
    tenantId: TENANT,
    timestamp,
  });
}

const publish = (draft: PolicyRecord, approver: Name) =>
  publishApproved(desk.ports, {
    ...placeOf(draft),
    answerOf: () => ({ body: '{}', status: 200 }),
    by: { approval: approvalOf(draft, approver), reason: 'Agreed' },
  });

/** Signed by its editor. */
async function pending(): Promise<PolicyRecord> {
  const draft = await desk.draft('carl');
  const signatures = [desk.sign(draft, 'carl')];
  const { policyVersion } = draft;
  return signPolicy(desk.ports, { ...desk.as('carl'), policyVersion, signatures });
}

test('the editor has signed, the other person signs in the inbox, and it is in force', async () => {
  const draft = await pending();
  await requireLastEditor(desk.ports, desk.as('carl').principal as never, signedAuthorOf(draft));
  const shown = shownPublication(await awaitedPolicy(desk.ports, placeOf(draft)));
  expect(shown.new).toEqual({
    base_version: 1,
    content_hash: draft.contentHash,
    version: draft.policyVersion,
  });
  expect(shown.about).toMatchObject({ signed_by: desk.persons.carl.id });
  const published = await publish(draft, 'dora');
  expect(published.status).toBe('PUBLISHED');
  expect(published.signatures.map(({ signer }) => signer)).toEqual([
    desk.persons.carl.id,
    desk.persons.dora.id,
  ]);
  expect((await desk.policy(1)).status).toBe('ARCHIVED');
  const entries = await desk.entries('SANCTIONS_POLICY_PUBLISHED');
  expect(entries.at(-1)).toMatchObject({ content_hash: draft.contentHash });
  // The signature was used, and what is published is no draft any more.
  await expect(publish(draft, 'dina')).rejects.toMatchObject({ code: 'policy-immutable' });
});

test('it is refused unsigned, to others than the editor, and once edited', async () => {
  const unsigned = await desk.draft('carl');
  await expect(awaitedPolicy(desk.ports, placeOf(unsigned))).rejects.toMatchObject({
    code: 'state-conflict',
  });
  const { policyVersion } = unsigned;
  const signatures = [desk.sign(unsigned, 'carl')];
  const draft = await signPolicy(desk.ports, { ...desk.as('carl'), policyVersion, signatures });
  const other = desk.as('cora').principal as never;
  await expect(requireLastEditor(desk.ports, other, signedAuthorOf(draft))).rejects.toMatchObject({
    code: 'dual-control-roles',
  });
  // Another person of compliance is no second signer.
  expect(() => approvalOf(draft, 'cora')).toThrow(
    expect.objectContaining({ code: 'dual-control-roles' }),
  );
  await desk.draft('carl', 0.86);
  await expect(publish(draft, 'dora')).rejects.toMatchObject({ code: 'state-conflict' });
  expect((await desk.policy(1)).status).toBe('PUBLISHED');
});
