/** Answers of privacy to questions of the slices on its left. */
import type { MayProcess } from '#core/privacy';
import { mayProcessBy, signedPrivacyOf } from '#slices/privacy';
import type { SliceProcess } from '../../processes.ts';

export const mayProcess = (process: SliceProcess): MayProcess =>
  mayProcessBy(signedPrivacyOf(process));
