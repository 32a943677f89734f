/**
 * Whether a subject's data may be processed for a purpose. Every job that does so asks before it
 * begins (decisions 8.9c). The slice that keeps the flags of subjects answers; without one no
 * subject is restricted.
 */
import { DomainError, port, type TenantId } from '#core/kernel';
import type { Purpose } from './purposes.ts';

/** Whose data a job is about to process. */
export interface SubjectReference {
  readonly tenantId: TenantId;
  /** The tenant's own id of the subject; absent where the job has several, or does not know it. */
  readonly subjectRef?: string;
}

/** Answers false where the job must leave the subject out. */
export type MayProcess = (subject: SubjectReference, purpose: Purpose) => Promise<boolean>;

/** The question; its fallback allows. */
export const mayProcess = port<MayProcess>(() => async () => true);

/** Answers for each of many subjects of a tenant, in their order. */
export type MayProcessEach = (
  of: { readonly tenantId: TenantId; readonly subjectRefs: readonly string[] },
  purpose: Purpose,
) => Promise<readonly boolean[]>;

/** Throws `processing-restricted` where the data may not be processed. */
export async function requireProcessing(
  ask: MayProcess,
  subject: SubjectReference,
  purpose: Purpose,
): Promise<void> {
  if (await ask(subject, purpose)) return;
  const detail = `${purpose}: the processing of this data is restricted`;
  throw new DomainError('processing-restricted', { detail });
}
