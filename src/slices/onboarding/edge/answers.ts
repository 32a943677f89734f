/** Answers of onboarding to questions of the slices on its left. */
import type { FreshLink } from '#slices/customers';
import { freshLinkOf } from '#slices/onboarding';
import type { SliceProcess } from '../../processes.ts';
import { onboardingPartsOf } from './parts.ts';

/** One for the process. */
export const freshLink = (process: SliceProcess): FreshLink =>
  freshLinkOf(onboardingPartsOf(process));
