/** What a customer is shown of their session: the form that it is for, and their own draft. */
import { DomainError, type TenantId } from '#core/kernel';
import {
  draftOf,
  type FormSubmission,
  type SubmittedValues,
  submissionTable,
  submittedValues,
} from '#slices/forms';
import type { OnboardingPorts } from './ports.ts';
import type { SessionRecord } from './tables.ts';

/** A session, and how far the customer is. */
export interface SeenSession {
  readonly session: SessionRecord;
  readonly draft?: { readonly record: FormSubmission; readonly values: SubmittedValues };
  /** The form was sent whole. */
  readonly isSubmitted: boolean;
}

/** Throws `session-ended` for one that is gone. */
export async function viewSession(
  ports: OnboardingPorts,
  key: { readonly tenantId: TenantId; readonly sessionId: string },
): Promise<SeenSession> {
  const session = await ports.sessions.find(key);
  if (session === undefined) throw new DomainError('session-ended');
  const { caseId, formId, sessionId, tenantId } = session;
  const whole = { isComplete: true, sessionId, tenantId };
  const isSubmitted =
    (await ports.tables.findUnique(submissionTable, 'bySession', whole)) !== undefined;
  const record = await draftOf(ports, { caseId, formId, tenantId });
  if (record === undefined) return { isSubmitted, session };
  return { draft: { record, values: await submittedValues(ports, record) }, isSubmitted, session };
}
