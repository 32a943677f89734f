/** Answers of privacy to questions of the slices on its left. */
import type { IsHeld, MayProcess } from '#core/privacy';
import type { ErasePersonAgain } from '#slices/audit';
import type { FlagsOf } from '#slices/customers';
import {
  hasOpenRequest,
  identified,
  isNeeded,
  mayProcessBy,
  privacyDeskOf,
  privacyPartsOf,
  repeatErasure,
  signedPrivacyOf,
} from '#slices/privacy';
import type { SliceProcess } from '../../processes.ts';

export const mayProcess = (process: SliceProcess): MayProcess =>
  mayProcessBy(signedPrivacyOf(process));

/** Asked by whatever erases something of a person outside of his erasure. */
export const isHeld =
  (process: SliceProcess): IsHeld =>
  async (named) => {
    const holdings = await process.holdings();
    const subject = await identified(holdings, named);
    if (await isNeeded(holdings, subject)) return true;
    const { subjectRef, tenantId } = subject;
    // An open request is about what there was when it was made.
    return (
      subjectRef !== undefined && hasOpenRequest(privacyPartsOf(process), { subjectRef, tenantId })
    );
  };

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

/** An erasure that a newer export names, done again after the restore of an old backup. */
export const erasePersonAgain = (process: SliceProcess): ErasePersonAgain => {
  const ports = privacyDeskOf(process);
  return (of) => repeatErasure(ports, process, of);
};
