/** Onboarding over a real store and the real evidence: a published form, cases, and links. */

import { newKeyRing } from '#core/audit';
import type { Principal } from '#core/identity';
import { signerFromSeed } from '#platform/crypto';
import { type CaseRecord, createCase, taskTable } from '#slices/customers';
import { type FormVersion, publishForm, type SubmitAsk, submitForm } from '#slices/forms';
import {
  callingSession,
  freshLinkOf,
  type GivenSession,
  type OnboardingPorts,
  openSession,
  signedSessions,
} from '#slices/onboarding';
import { openFormDesk, TENANT } from '../forms/formDesk.ts';

export { TENANT } from '../forms/formDesk.ts';
export const ORIGIN = 'https://links.test';
export const BY = { actor: 'key:test', tenantId: TENANT } as const;
export const EMAIL = 'amira@example.org';

export type OnboardingDesk = Awaited<ReturnType<typeof openOnboardingDesk>>;

export async function openOnboardingDesk() {
  const forms = await openFormDesk();
  const { keyRing, signer, storage } = forms;
  const sessionsOf = () =>
    signedSessions({ audit: storage.audit, keyRing, tables: storage.tables });
  const ports: OnboardingPorts = {
    ...forms.ports,
    keyRing,
    originOf: async () => ORIGIN,
    returnOriginsOf: async () => ['https://bank.example'],
    sessions: sessionsOf(),
    signer,
  };
  let cases = 0;
  const published = async (): Promise<FormVersion> => {
    const { version: draft } = await forms.make();
    const { formId, versionId } = draft;
    const signatures = [forms.sign(draft, 'carl'), forms.sign(draft, 'ada')];
    return (await publishForm(forms.ports, { ...forms.as('carl'), formId, signatures, versionId }))
      .version;
  };
  const version = await published();
  return {
    ...forms,
    call: (token: string): Promise<Principal> => callingSession(ports, token),
    freshLink: freshLinkOf(ports),
    mailsOf: async ({ caseId }: Pick<CaseRecord, 'caseId'>) => {
      const ask = { equal: { caseId, tenantId: TENANT }, index: 'byCase', limit: 100 } as const;
      const { records } = await storage.tables.page(taskTable, ask);
      return records.filter(({ kind }) => kind === 'mail');
    },
    open: (caseId: string, more: Partial<GivenSession> = {}) =>
      openSession(ports, BY, {
        case: caseId,
        channel: 'web',
        form: { id: version.formId },
        ...more,
      }),
    openCase: (email: string | null = EMAIL): Promise<CaseRecord> =>
      createCase(ports.cases, BY, {
        external_ref: `client-${++cases}`,
        locale: 'fr-TN',
        subject: email === null ? {} : { email },
        subject_type: 'individual',
        workflow_code: 'individual_standard',
      }),
    ports,
    published,
    /** As the route does it. */
    submit: (caller: Principal, data: object, complete = true) => {
      const { channel = 'web', formId = '', versionId = '', caseId = '' } = caller.session ?? {};
      const ask: SubmitAsk = {
        actor: `session:${caller.id}`,
        channel,
        formId,
        pinned: versionId,
        sessionId: caller.id,
        tenantId: TENANT,
      };
      return submitForm(ports, ask, { caseId, complete, data: { ...data }, locale: 'fr-TN' });
    },
    version,
  };
}

/** A key of somebody else, with a ring of its own. */
export const stranger = () => {
  const signer = signerFromSeed(new Uint8Array(32).fill(77));
  return { keyRing: newKeyRing(signer.publicKey), signer };
};
