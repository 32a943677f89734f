/** Onboarding sessions: their tokens, their thirty minutes, their one case, and fresh links. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Signer } from '#platform/crypto';
import { decideCase, LINK_TEMPLATE, patchCase, readContent, requireCase } from '#slices/customers';
import {
  openSession,
  regenerateLink,
  SESSION_MS,
  sessionTable,
  tokenDigest,
  tokenOf,
  viewSession,
} from '#slices/onboarding';
import { FILLED } from '../forms/formDesk.ts';
import {
  BY,
  EMAIL,
  type OnboardingDesk,
  ORIGIN,
  openOnboardingDesk,
  stranger,
  TENANT,
} from './onboardingDesk.ts';

let desk: OnboardingDesk;
beforeAll(async () => {
  desk = await openOnboardingDesk();
});
afterAll(() => desk?.close());

const refused = { code: 'credential-invalid' };
const partOf = (token: string, at: number) =>
  JSON.parse(Buffer.from(token.split('.')[at] ?? '', 'base64url').toString('utf8'));
const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** The same claims, changed, and signed by this key. */
function forged(token: string, by: Signer, change: { head?: object; claims?: object }): string {
  const head = { ...partOf(token, 0), kid: by.keyId, ...change.head };
  const text = `${encoded(head)}.${encoded({ ...partOf(token, 1), ...change.claims })}`;
  return `${text}.${Buffer.from(by.sign(Buffer.from(text))).toString('base64url')}`;
}

describe('a link', () => {
  test('resolves to case, form and locale, and its token is kept as a digest alone', async () => {
    const { caseId } = await desk.openCase();
    const { session, token, url } = await desk.open(caseId);
    expect(url).toBe(`${ORIGIN}/o/#${token}`);
    expect(partOf(token, 0)).toMatchObject({ alg: 'EdDSA', typ: 'onboarding+jwt' });
    const { exp, iat, ...claims } = partOf(token, 1);
    expect(exp - iat).toBe(1_800);
    expect(claims).toMatchObject({
      case_id: caseId,
      form_id: desk.version.formId,
      form_version_id: desk.version.versionId,
      locale: 'fr-TN',
      tenant_id: TENANT,
    });
    expect(session.tokenDigest).toBe(tokenDigest(token));
    expect(JSON.stringify(session)).not.toContain(token);
    expect(JSON.stringify(await desk.entries('onboarding.session.created'))).not.toContain(token);
    expect(await desk.call(token)).toMatchObject({
      id: session.sessionId,
      kind: 'session',
      roles: [],
      session: { caseId, formId: desk.version.formId },
    });
  });

  test('is good for exactly thirty minutes', async () => {
    const { caseId } = await desk.openCase();
    const { session, token } = await desk.open(caseId);
    desk.clock.advance(session.expiresAt - desk.clock.now() - 1);
    expect((await desk.call(token)).session?.ended).toBeUndefined();
    desk.clock.advance(1);
    expect((await desk.call(token)).session?.ended).toBe('session-expired');
    expect(session.expiresAt - session.createdAt).toBe(SESSION_MS);
  });

  test('a newer one of the case voids it, and so does the decision of the case', async () => {
    const { caseId } = await desk.openCase();
    const first = await desk.open(caseId);
    const second = await desk.open(caseId);
    expect((await desk.call(first.token)).session?.ended).toBe('session-ended');
    expect((await desk.call(second.token)).session?.ended).toBeUndefined();
    expect(await desk.entries('onboarding.session.revoked')).toContainEqual(
      expect.objectContaining({ session_id: first.session.sessionId }),
    );
    const by = { ...BY, caseId, roles: ['agent_l2'] as const };
    await decideCase(
      desk.ports.cases,
      by as never,
      {
        decision: 'cancel',
        reason: 'The customer has left us',
        reasonCode: 'other',
      } as never,
    );
    expect((await desk.call(second.token)).session?.ended).toBe('session-ended');
    await expect(desk.open(caseId)).rejects.toMatchObject({ code: 'state-conflict' });
  });

  test('of several at once for a case one is good', async () => {
    const { caseId } = await desk.openCase();
    const opened = await Promise.all(Array.from({ length: 5 }, () => desk.open(caseId)));
    const ends = await Promise.all(opened.map(async ({ token }) => desk.call(token)));
    expect(ends.filter(({ session }) => session?.ended === undefined)).toHaveLength(1);
  });

  test('tokens of other algorithms, types, keys and tenants are refused', async () => {
    const { caseId } = await desk.openCase();
    const { token } = await desk.open(caseId);
    const { signer } = desk.ports;
    const [head = '', claims = '', signature = ''] = token.split('.');
    const other = await desk.open((await desk.openCase()).caseId);
    for (const wrong of [
      `${encoded({ alg: 'none', typ: 'onboarding+jwt' })}.${claims}.`,
      forged(token, signer, { head: { alg: 'HS256' } }),
      forged(token, signer, { head: { typ: 'JWT' } }),
      forged(token, signer, { claims: { aud: 'api' } }),
      forged(token, signer, { claims: { exp: 4_102_444_800 } }),
      forged(token, signer, { claims: { sub: other.session.sessionId } }),
      forged(token, signer, { claims: { tenant_id: '0190aaaa-0000-7000-8000-00000000000b' } }),
      forged(token, signer, { claims: { sub: '0190aaaa-0000-7000-8000-00000000000c' } }),
      forged(token, stranger().signer, {}),
      `${head}.${claims}.${signature.slice(0, -4)}AAAA`,
      `${head}.${claims}`,
      'onboarding',
      '',
    ]) {
      await expect(desk.call(wrong), wrong).rejects.toMatchObject(refused);
    }
    expect((await desk.call(token)).session?.caseId).toBe(caseId);
  });

  test('who writes the database opens nothing by it', async () => {
    const mine = await desk.openCase();
    const theirs = await desk.openCase();
    const { session, token } = await desk.open(mine.caseId);
    const change = [`"caseId":"${mine.caseId}"`, `"caseId":"${theirs.caseId}"`] as const;
    expect(await desk.alter(sessionTable.name, ...change)).toBe(1);
    await expect(desk.call(token)).rejects.toMatchObject({ code: 'state-altered' });
    const { count, refusals } = await desk.ports.sessions.check(TENANT);
    expect(count).toBeGreaterThan(1);
    expect(refusals).toEqual([`onboarding_session:${session.sessionId}: not what was signed`]);
    await desk.alter(sessionTable.name, change[1], change[0]);
    expect((await desk.call(token)).session?.caseId).toBe(mine.caseId);
  });
});

describe('a customer', () => {
  test('saves a draft, goes on by another link, and sends the form once', async () => {
    const { caseId } = await desk.openCase();
    const first = await desk.open(caseId);
    await desk.submit(await desk.call(first.token), { first_name: 'Amira' }, false);
    const { token } = await desk.open(caseId);
    const caller = await desk.call(token);
    const key = { sessionId: caller.id, tenantId: TENANT };
    expect(await viewSession(desk.ports, key)).toMatchObject({
      draft: { values: { first_name: 'Amira' } },
      isSubmitted: false,
    });
    const sent = await desk.submit(caller, FILLED);
    expect(sent).toMatchObject({ channel: 'web', complete: true, sessionId: caller.id });
    const record = await requireCase(desk.ports.cases, { caseId, tenantId: TENANT });
    expect(record).toMatchObject({
      form: { submissionId: sent.submissionId },
      sessionId: caller.id,
    });
    const { subject } = await readContent(desk.ports.cases, record);
    expect(subject).toMatchObject({ email: EMAIL, first_name: 'Amira' });
    expect(record.consents).toMatchObject([{ recordedBy: `session:${caller.id}` }]);
    await expect(desk.submit(caller, FILLED)).rejects.toMatchObject({ code: 'state-conflict' });
    expect((await viewSession(desk.ports, key)).isSubmitted).toBe(true);
  });

  test('fills in the version that the session pinned', async () => {
    const { caseId } = await desk.openCase();
    const form = await desk.published();
    const { token } = await desk.open(caseId, { form: { id: form.formId } });
    const caller = await desk.call(token);
    expect(caller.session?.versionId).toBe(form.versionId);
    const sent = await desk.submit(caller, FILLED);
    expect(sent.versionId).toBe(form.versionId);
  });
});

describe('fresh links', () => {
  const regenerate = (sessionId: string) =>
    regenerateLink(desk.ports, { actor: `session:${sessionId}`, sessionId, tenantId: TENANT });

  test('go to the contact on file, void the old one, three times a day', async () => {
    const { caseId } = await desk.openCase();
    const { session, token } = await desk.open(caseId);
    expect(await regenerate(session.sessionId)).toBe(true);
    expect((await desk.call(token)).session?.ended).toBe('session-ended');
    const [mail] = await desk.mailsOf({ caseId });
    expect(mail).toMatchObject({ state: 'open', template: LINK_TEMPLATE });
    const orderId = mail?.taskId ?? '';
    const link = await desk.freshLink({ caseId, orderId, tenantId: TENANT });
    expect(await desk.freshLink({ caseId, orderId, tenantId: TENANT })).toBe(link);
    const fresh = await desk.call(link?.split('#')[1] ?? '');
    expect(fresh.session).toMatchObject({ caseId, formId: desk.version.formId });
    // The old one does not take the new one away.
    expect(await regenerate(session.sessionId)).toBe(false);
    desk.clock.advance(SESSION_MS);
    expect(await regenerate(session.sessionId)).toBe(true);
    expect(await regenerate(fresh.id)).toBe(true);
    expect(await regenerate(fresh.id)).toBe(false);
    desk.clock.advance(24 * 3_600_000);
    expect(await regenerate(fresh.id)).toBe(true);
    expect(await desk.entries('onboarding.link.requested')).toHaveLength(4);
    desk.clock.advance(7 * 24 * 3_600_000);
    expect(await regenerate(fresh.id)).toBe(false);
  });

  test('go to no address that a form brought: a stolen link is not one for ever', async () => {
    const { caseId } = await desk.openCase();
    const { session } = await desk.open(caseId);
    const ask = { actor: BY.actor, caseId, tenantId: TENANT };
    const patch = { subject: { email: 'thief@example.com' } };
    await patchCase(desk.ports.cases, ask, patch, { source: 'form' });
    desk.clock.advance(SESSION_MS);
    expect(await regenerate(session.sessionId)).toBe(false);
    expect(await desk.mailsOf({ caseId })).toEqual([]);
    await patchCase(desk.ports.cases, ask, patch, { source: 'agent' });
    expect(await regenerate(session.sessionId)).toBe(true);
  });

  test('a link is mailed where that is asked for and an address is known', async () => {
    const { caseId } = await desk.openCase();
    const { session, url } = await desk.open(caseId, { isMailed: true });
    const [mail] = await desk.mailsOf({ caseId });
    const orderId = mail?.taskId ?? '';
    expect(session.orderId).toBe(orderId);
    expect(await desk.freshLink({ caseId, orderId, tenantId: TENANT })).toBe(url);
    const nobody = await desk.openCase(null);
    await expect(desk.open(nobody.caseId, { isMailed: true })).rejects.toMatchObject({
      code: 'contact-unknown',
    });
  });

  test('customers return to origins of the tenant alone', async () => {
    const { caseId } = await desk.openCase();
    const good = await desk.open(caseId, { returnUrl: 'https://bank.example/done?x=1' });
    expect(good.session.returnUrl).toBe('https://bank.example/done?x=1');
    for (const returnUrl of ['https://bank.example.evil/', 'javascript:alert(1)', 'x']) {
      await expect(desk.open(caseId, { returnUrl })).rejects.toMatchObject({
        code: 'return-url-refused',
      });
    }
  });
});

test('a case is opened with its session in one commit', async () => {
  const wanted = {
    external_ref: 'client-with-session',
    locale: 'ar-TN',
    subject_type: 'individual',
    workflow_code: 'individual_standard',
  } as const;
  const given = { case: wanted, channel: 'mobile', form: { id: desk.version.formId } } as const;
  const { session, token } = await openSession(desk.ports, BY, given);
  expect(session).toMatchObject({ channel: 'mobile', locale: 'ar-TN' });
  expect((await desk.call(token)).session?.caseId).toBe(session.caseId);
  const again = { ...given, isMailed: true, case: { ...wanted, external_ref: 'client-unknown' } };
  await expect(openSession(desk.ports, BY, again)).rejects.toMatchObject({
    code: 'contact-unknown',
  });
  await expect(openSession(desk.ports, BY, given)).rejects.toMatchObject({
    code: 'case-open-exists',
  });
});

test('a token is made of its record alone', async () => {
  const { caseId } = await desk.openCase();
  const { session, token } = await desk.open(caseId);
  expect(tokenOf(session, ORIGIN, desk.ports.signer)).toBe(token);
});
