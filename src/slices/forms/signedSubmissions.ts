/**
 * Submissions are compared with the chain, as cases are: the last entry about each has its digest.
 * The store finds that entry by its target, so a look costs the same however many there are.
 */
import {
  type AuditStore,
  type KeyRing,
  lookSettled,
  type SettlingAudit,
  verifiedEvent,
} from '#core/audit';
import { chainOf, DomainError, type Tables } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { sha256Hex } from '#platform/crypto';
import { type FormSubmission, submissionTable } from './tables.ts';

export const submissionTarget = ({ submissionId }: Pick<FormSubmission, 'submissionId'>): string =>
  `form_submission:${submissionId}`;

/** Digest of a record, whole; the values stand sealed in it. */
export const submissionDigest = (record: FormSubmission): string =>
  sha256Hex(`form-submission-v1\0${canonicalJson(record as never)}`);

/** The submission as it was signed; undefined: there is none. Rejects with `state-altered`. */
export type FindSubmission = (
  key: Pick<FormSubmission, 'submissionId' | 'tenantId'>,
) => Promise<FormSubmission | undefined>;

export const signedSubmissions =
  (ports: {
    readonly audit: Pick<AuditStore, 'lastEntries'> & SettlingAudit;
    readonly keyRing: KeyRing;
    readonly tables: Pick<Tables, 'find'>;
  }): FindSubmission =>
  async ({ submissionId, tenantId }) => {
    const chainId = chainOf(tenantId);
    const target = submissionTarget({ submissionId });
    const { found, refusal } = await lookSettled(ports.audit, async () => {
      const record = await ports.tables.find(submissionTable, { submissionId, tenantId });
      const [event] = await ports.audit.lastEntries({ chainId, targets: [target] });
      const told = event && verifiedEvent(event, { chainId, keyRing: ports.keyRing });
      const isSo =
        record === undefined
          ? event === undefined
          : told?.record_digest === submissionDigest(record);
      return { chainId, found: record, refusal: isSo ? undefined : 'not what was signed' };
    });
    if (refusal === undefined) return found;
    throw new DomainError('state-altered', { detail: `${target}: ${refusal}` });
  };
