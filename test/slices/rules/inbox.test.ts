/** Rules in the inbox of approvals. */
import { expect, test } from 'vitest';
import { signedAuthorOf, verifyApproval } from '#core/identity';
import { requireLastEditor } from '#slices/approvals';
import {
  awaitedRule,
  DEFAULT_PACK,
  draftRule,
  findRule,
  publicationSubject,
  publishApproved,
  publishRule,
  shadowRule,
} from '#slices/rules';
import { RULE_ROLE_PAIR } from '../../../src/slices/rules/roles.ts';
import { openRuleHouse, PLACE, TENANT } from './house.ts';

const house = openRuleHouse();
const WANTED = { content: { ...DEFAULT_PACK[0] }, justification: 'Ours is lower' };

test('the second signature is given in the inbox as well, for the bytes of the first', async () => {
  const { parts, persons } = house;
  await draftRule(parts, house.as('carl'), WANTED);
  const place = { ...PLACE, ruleVersion: 2 };
  await shadowRule(parts, { ...house.as('carl'), ...place });
  const draft = await findRule(parts, place);
  const subject = publicationSubject(draft);
  const asked = { ...place, newValue: subject.newValue };
  await expect(awaitedRule(parts, asked)).rejects.toMatchObject({ code: 'state-conflict' });
  const signatures = [house.sign(draft, 'carl')];
  await publishRule(parts, { ...house.as('carl'), ...place, signatures });
  const awaited = await awaitedRule(parts, asked);
  const author = signedAuthorOf(awaited.draft);
  await requireLastEditor(parts, house.as('carl').principal as never, author);
  const { signature, timestamp } = house.sign(draft, 'dora');
  const approval = verifyApproval({
    approver: persons.dora,
    author: persons.carl,
    now: parts.clock.now(),
    rolePair: RULE_ROLE_PAIR,
    signature,
    subject,
    tenantId: TENANT,
    timestamp,
  });
  const by = { approval, reason: 'Agreed' };
  const answerOf = () => ({ body: '{}', status: 200 });
  const published = await publishApproved(parts, { ...asked, answerOf, by });
  expect(published.status).toBe('published');
  expect(published.signatures.map(({ signer }) => signer)).toEqual([
    persons.carl.id,
    persons.dora.id,
  ]);
  await expect(publishApproved(parts, { ...asked, answerOf, by })).rejects.toMatchObject({
    code: 'rule-immutable',
  });
});
