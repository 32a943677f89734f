/** A case from its first call to its end, and its customer evaluated: by people and by workers. */
import { expect, vi } from 'vitest';
import workflows from '../../../config/kyc-workflows.json' with { type: 'json' };
import type { Caller } from '../../api/realGateway.ts';
import { FILLED } from '../forms/formDesk.ts';

/** Somebody of the shipped list. */
export const LISTED = 'Tarek Velmorani';
/** Until a worker has done its part. */
export const WAIT = { interval: 50, timeout: 60_000 };

/** A case of which nothing is known yet; its id. */
export async function openCase(caller: Caller): Promise<string> {
  const made = await caller.post('/v1/kyc/cases', {
    external_ref: 'client-2',
    locale: 'fr-TN',
    subject_type: 'individual',
    workflow_code: 'individual_standard',
  });
  expect(made.status, made.text).toBe(201);
  return made.json<{ case_id: string }>().case_id;
}

async function agree(caller: Caller, path: string): Promise<void> {
  const agreed = await caller.post(`${path}/consent`, {
    given: true,
    locale: 'fr-TN',
    method: 'checkbox',
    purpose: 'identity_verification',
    text_version: '2026-01',
  });
  expect(agreed.status, agreed.text).toBe(201);
}

/** The customer fills in the form by a link of his own. */
async function fillByLink(caller: Caller, caseId: string, formId: string): Promise<void> {
  const opened = await caller.post('/v1/onboarding/sessions', {
    case_id: caseId,
    channel: 'web',
    form_id: formId,
  });
  expect(opened.status, opened.text).toBe(201);
  const { session_token: token } = opened.json<{ session_token: string }>();
  const sent = await fetch(`${caller.origin}/v1/forms/${formId}/submissions`, {
    body: JSON.stringify({ data: FILLED, locale: 'fr-TN' }),
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': crypto.randomUUID(),
    },
    method: 'POST',
  });
  expect(sent.status, await sent.text()).toBe(201);
}

/** A case that the worker's checks bring to review, for its customer is listed; and its end. */
export async function rejectCase(caller: Caller): Promise<void> {
  const { individual_standard: workflow } = workflows;
  const put = await caller.send('/v1/kyc/workflows/documentless', {
    body: JSON.stringify({
      ...workflow,
      checks: ['consent', 'screening'],
      required_documents: [],
    }),
    headers: { 'Content-Type': 'application/json' },
    method: 'PUT',
  });
  expect(put.status, put.text).toBe(200);
  const made = await caller.post('/v1/kyc/cases', {
    external_ref: 'client-1',
    locale: 'fr-TN',
    subject: { dob: '1971-03-14', full_name: LISTED, nationality: 'TN' },
    subject_type: 'individual',
    workflow_code: 'documentless',
  });
  expect(made.status, made.text).toBe(201);
  const path = `/v1/kyc/cases/${made.json<{ case_id: string }>().case_id}`;
  await agree(caller, path);
  await vi.waitFor(
    async () =>
      expect((await caller.get(path)).json()).toMatchObject({
        screening: { decision: 'MATCH_DIRECT_SANCTIONS' },
        status: 'manual_review',
      }),
    WAIT,
  );
  const done = await caller.post(`${path}/decisions`, {
    decision: 'reject',
    email_template: 'rejected',
    reason: 'The customer is the listed party',
    reason_code: 'listed',
  });
  expect(done.status, done.text).toBe(200);
  expect(done.json()).toMatchObject({ decision: { reason_code: 'listed' }, status: 'rejected' });
  expect(done.text).not.toContain('listed party');
  const client = { external_ref: 'client-1' };
  const evaluated = await caller.post('/v1/risk/evaluations', { client });
  expect(evaluated.status, evaluated.text).toBe(201);
}

/** A case that its customer fills in by a link, and that the checks approve: after `rejectCase`. */
export async function approveByLink(caller: Caller, formId: string): Promise<void> {
  const made = await caller.post('/v1/kyc/cases', {
    external_ref: 'client-3',
    locale: 'fr-TN',
    subject_type: 'individual',
    workflow_code: 'documentless',
  });
  expect(made.status, made.text).toBe(201);
  const { case_id: caseId } = made.json<{ case_id: string }>();
  const path = `/v1/kyc/cases/${caseId}`;
  await fillByLink(caller, caseId, formId);
  await agree(caller, path);
  await vi.waitFor(
    async () => expect((await caller.get(path)).json()).toMatchObject({ status: 'approved' }),
    WAIT,
  );
}
