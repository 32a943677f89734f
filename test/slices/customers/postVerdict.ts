/** A verdict of biometrics over HTTP: by the provider of the workflow, of a customer who agreed. */
import { expect } from 'vitest';
import kycWorkflows from '../../../config/kyc-workflows.json' with { type: 'json' };
import type { Caller } from '../../api/realGateway.ts';

/** By a caller who may change workflows, work on cases, and post verdicts. */
export async function postVerdict(caller: Caller): Promise<void> {
  const content = { ...kycWorkflows.individual_standard, biometric_provider: 'provider-1' };
  const put = await caller.send('/v1/kyc/workflows/with_biometrics', {
    body: JSON.stringify(content),
    headers: { 'Content-Type': 'application/json' },
    method: 'PUT',
  });
  expect(put.status, put.text).toBe(200);
  const made = await caller.post('/v1/kyc/cases', {
    external_ref: 'client-of-biometrics',
    locale: 'fr-TN',
    subject_type: 'individual',
    workflow_code: 'with_biometrics',
  });
  const path = `/v1/kyc/cases/${made.json<{ case_id: string }>().case_id}`;
  const agreed = await caller.post(`${path}/consent`, {
    given: true,
    locale: 'fr-TN',
    method: 'checkbox',
    purpose: 'biometric_processing',
    text_version: '2026-01',
  });
  expect(agreed.status, agreed.text).toBe(201);
  const posted = await caller.post(`${path}/biometric-verdicts`, {
    provider: 'provider-1',
    scoreConsolidated: 0.97,
    subscores: { face_match: 0.96, liveness: 0.98 },
    verdict: 'PASS',
    verificationId: 'v-000123',
  });
  expect(posted.status, posted.text).toBe(201);
  expect(posted.json()).toMatchObject({ check: { status: 'pass' }, verdict: 'PASS' });
}
