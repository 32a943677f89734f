/** Answers of privacy to questions of the slices on its left. */
import type { MayProcess } from '#core/privacy';
import type { FlagsOf } from '#slices/customers';
import { mayProcessBy, signedPrivacyOf } from '#slices/privacy';
import type { SliceProcess } from '../../processes.ts';

export const mayProcess = (process: SliceProcess): MayProcess =>
  mayProcessBy(signedPrivacyOf(process));

/** Flags of a customer, by the reference that their cases have. */
export const flagsOfSubject = (process: SliceProcess): FlagsOf => {
  const signed = signedPrivacyOf(process);
  return async ({ externalRef, tenantId }) => {
    const flag = await signed.flagOf({ subjectRef: externalRef, tenantId });
    return {
      opposed: flag?.opposed ?? false,
      processing_restricted: flag?.processingRestricted ?? false,
    };
  };
};
