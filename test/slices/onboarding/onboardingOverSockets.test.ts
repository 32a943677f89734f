/** Links over HTTP, as customers open them and as attackers would; both adapters. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TenantId } from '#core/kernel';
import type { FormVersion } from '#slices/forms';
import type { HttpTechnology } from '../../../src/api/http/index.ts';
import { Answer, type Caller, openRealGateway, type RealGateway } from '../../api/realGateway.ts';
import { hasRedis } from '../../redis/realRedis.ts';
import { FILLED } from '../forms/formDesk.ts';
import { jpegOf } from '../recognition/mediaFiles.ts';
import { publishedForm } from './publishForm.ts';

const PHOTO = jpegOf({ height: 480, width: 640 });
const LINKS = Number(process.env.ONBOARDING_LINKS ?? 200);
const AT_ONCE = 20;

interface Opened {
  readonly case_id: string;
  readonly session_id: string;
  readonly session_token: string;
  readonly url: string;
}

const TECHNOLOGIES: readonly HttpTechnology[] = ['node:http', 'hyper-express'];

describe.skipIf(!hasRedis).each(TECHNOLOGIES)('links over sockets, %s', (technology) => {
  let gateway: RealGateway;
  let tenantId: TenantId;
  let agent: Caller;
  let form: FormVersion;
  let customers = 0;

  beforeAll(async () => {
    gateway = await openRealGateway(technology);
    tenantId = await gateway.tenant('sandbox', { 'sdk.minimum.web': '1.0.0' });
    agent = await gateway.caller(tenantId, 'agent_l2', 'developer');
    form = await publishedForm(gateway, tenantId);
  }, 60_000);
  afterAll(() => gateway?.close());

  async function open(more: object = {}): Promise<Opened> {
    const made = await agent.post('/v1/onboarding/sessions', {
      case: {
        external_ref: `client-${technology}-${++customers}`,
        locale: 'fr-TN',
        subject: { email: `c${customers}@example.org` },
        subject_type: 'individual',
        workflow_code: 'individual_standard',
      },
      channel: 'web',
      form_code: 'onboarding_individual',
      ...more,
    });
    expect(made.status, made.text).toBe(201);
    return made.json<Opened>();
  }

  async function by(
    token: string,
    path: string,
    {
      body,
      headers = {},
      method = 'GET',
    }: Pick<RequestInit, 'body' | 'method'> & {
      readonly headers?: Record<string, string>;
    } = {},
  ): Promise<Answer> {
    const response = await fetch(gateway.origin + path, {
      headers: {
        Authorization: `Bearer ${token}`,
        ...(method !== 'GET' && { 'Idempotency-Key': crypto.randomUUID() }),
        ...(typeof body === 'string' && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      method,
      ...(body != null && { body }),
    });
    return new Answer(response, await response.text());
  }

  const send = (token: string, data: object, complete = true): Promise<Answer> =>
    by(token, `/v1/forms/${form.formId}/submissions`, {
      body: JSON.stringify({ complete, data, locale: 'fr-TN' }),
      method: 'POST',
    });

  test('a customer opens the link, saves, uploads, agrees and sends', async () => {
    const { case_id, session_token: token, url } = await open();
    expect(url).toBe(`${gateway.origin}/o/#${token}`);
    const own = await by(token, '/v1/onboarding/sessions/own', {
      headers: { 'X-SDK-Version': 'web/1.0.0' },
    });
    expect(own.status, own.text).toBe(200);
    expect(own.json()).toMatchObject({ case_id, draft: null, form_id: form.formId });
    const old = await by(token, '/v1/onboarding/sessions/own', {
      headers: { 'X-SDK-Version': 'web/0.9.0' },
    });
    expect([old.status, old.headers.get('upgrade')]).toEqual([426, 'onboarding-sdk-web/1.0.0']);
    const active = await by(token, `/v1/forms/${form.formId}/active`);
    expect(active.json()).toMatchObject({ version_id: form.versionId });
    expect((await send(token, { first_name: 'Amira' }, false)).status).toBe(201);
    const upload = new FormData();
    upload.append('kind', 'passport');
    upload.append('file', new Blob([Uint8Array.from(PHOTO)]));
    const documents = `/v1/kyc/cases/${case_id}/documents`;
    const stored = await by(token, documents, { body: upload, method: 'POST' });
    expect(stored.status, stored.text).toBe(201);
    const agreed = await by(token, `/v1/kyc/cases/${case_id}/consent`, {
      body: JSON.stringify({
        given: true,
        locale: 'fr-TN',
        method: 'checkbox',
        purpose: 'document_storage',
        text_version: '2026-01',
      }),
      method: 'POST',
    });
    expect(agreed.status, agreed.text).toBe(201);
    const again = await by(token, '/v1/onboarding/sessions/own');
    expect(again.json()).toMatchObject({ draft: { data: { first_name: 'Amira' } } });
    const sent = await send(token, FILLED);
    expect(sent.status, sent.text).toBe(201);
    expect(sent.json()).toMatchObject({ case_id, channel: 'web', complete: true });
    expect((await send(token, FILLED)).problem().code).toBe('state-conflict');
    const shown = await agent.get(`/v1/kyc/cases/${case_id}`);
    expect(shown.json()).toMatchObject({ subject: { first_name: 'Amira' } });
  });

  test('it reaches nothing but its own case and form', async () => {
    const { case_id, session_token: token } = await open();
    const other = await open();
    const beyond = [
      ['GET', `/v1/kyc/cases/${case_id}`],
      ['GET', '/v1/kyc/cases'],
      ['GET', '/v1/forms'],
      ['GET', `/v1/forms/${other.case_id}/active`],
      ['GET', `/v1/forms/${form.formId}/submissions`],
      ['GET', '/v1/audit/events'],
      ['POST', `/v1/kyc/cases/${other.case_id}/documents`],
      ['POST', `/v1/kyc/cases/${other.case_id}/consent`],
      ['POST', `/v1/kyc/cases/${crypto.randomUUID()}/consent`],
      ['POST', '/v1/onboarding/sessions'],
    ] as const;
    for (const [method, path] of beyond) {
      const answer = await by(token, path, { method });
      expect([answer.status, answer.problem().code], path).toEqual([403, 'session-scope']);
    }
    const crossed = await by(token, `/v1/forms/${form.formId}/submissions`, {
      body: JSON.stringify({ case_id: other.case_id, data: FILLED, locale: 'fr-TN' }),
      method: 'POST',
    });
    expect(crossed.problem().code).toBe('session-scope');
    const named = await agent.post(`/v1/forms/${form.formId}/submissions`, {
      data: FILLED,
      locale: 'fr-TN',
    });
    expect(named.problem().code).toBe('body-invalid');
  });

  test('a voided link says so, and asks for a fresh one with one answer for all', async () => {
    const { case_id, session_token: token } = await open();
    const newer = await agent.post('/v1/onboarding/sessions', {
      case_id,
      channel: 'web',
      form_id: form.formId,
    });
    expect(newer.status, newer.text).toBe(201);
    const voided = await by(token, '/v1/onboarding/sessions/own');
    expect(voided.problem()).toMatchObject({ code: 'session-ended', status: 401 });
    const regenerate = '/v1/onboarding/sessions/regenerate';
    const texts = new Set<string>();
    for (const one of [token, newer.json<Opened>().session_token]) {
      const answer = await by(one, regenerate, { method: 'POST' });
      expect(answer.status, answer.text).toBe(202);
      texts.add(answer.text);
    }
    expect([...texts]).toEqual(['{"accepted":true}']);
    const unknown = await by(`${token.slice(0, -6)}AAAAAA`, regenerate, { method: 'POST' });
    expect(unknown.problem()).toMatchObject({ code: 'credential-invalid', status: 401 });
  });

  test('a repeated request shows the same link, and it is kept sealed', async () => {
    const key = crypto.randomUUID();
    const { case_id } = await open();
    const body = { case_id, channel: 'web', form_id: form.formId };
    const first = await agent.post('/v1/onboarding/sessions', body, { key });
    const second = await agent.post('/v1/onboarding/sessions', body, { key });
    expect(second.text).toBe(first.text);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
  });

  test.skipIf(technology !== 'node:http')(`${LINKS} links at once cross no case`, async () => {
    const queue = Array.from({ length: LINKS }, (_, at) => at);
    const opened = new Map<string, string>();
    const work = async (): Promise<void> => {
      for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
        const { case_id, session_token: token } = await open();
        const name = `Amira ${'abcdefghij'.at(at % 10)}${String.fromCharCode(97 + (at % 26))}`;
        const sent = await send(token, { ...FILLED, first_name: name, last_name: case_id });
        expect(sent.json<{ case_id: string }>().case_id, sent.text).toBe(case_id);
        opened.set(case_id, name);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    expect(opened.size).toBe(LINKS);
    let crossed = 0;
    for (const [caseId, name] of opened) {
      const { subject } = (await agent.get(`/v1/kyc/cases/${caseId}`)).json<{
        subject: { first_name: string; last_name: string };
      }>();
      if (subject.last_name !== caseId || subject.first_name !== name) crossed++;
    }
    expect(crossed).toBe(0);
  });
});
