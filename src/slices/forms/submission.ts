/** Values of a form as they are kept: sealed under the subject's key, bound to their record. */
import type { DataKey } from '#core/blobs';
import { DomainError, type Violation } from '#core/kernel';
import type { Random } from '#platform/random';
import { SecretUnreadable, secretBox } from '#platform/secretBox';
import type { FormValue } from './fieldValue.ts';
import type { FormSubmission } from './tables.ts';

/** Values by field id. */
export type SubmittedValues = Readonly<Record<string, FormValue>>;

const purposeOf = ({ submissionId }: Pick<FormSubmission, 'submissionId'>): string =>
  `form-submission-v1/${submissionId}`;

/** As the record stores them. */
export const sealValues = (
  random: Random,
  key: Pick<DataKey, 'secret'>,
  of: { readonly submissionId: string; readonly values: SubmittedValues },
): string => secretBox([key.secret], random).seal(JSON.stringify(of.values), purposeOf(of));

/** Throws `blob-damaged` where they were not sealed for this record under this key. */
export function openValues(
  random: Random,
  key: Pick<DataKey, 'secret'>,
  record: Pick<FormSubmission, 'sealed' | 'submissionId'>,
): SubmittedValues {
  try {
    return JSON.parse(secretBox([key.secret], random).open(record.sealed, purposeOf(record)));
  } catch (cause) {
    if (!(cause instanceof SecretUnreadable)) throw cause;
    throw new DomainError('blob-damaged', { cause, detail: 'a submission is not what was sealed' });
  }
}

/** All that is wrong with the values, by field. */
export const invalidSubmission = (violations: readonly Violation[]): DomainError =>
  new DomainError('submission-invalid', {
    detail: violations.map(({ code, pointer }) => `${pointer}: ${code}`).join('; '),
    violations,
  });
