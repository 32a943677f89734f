/** Answers of policies to questions of the slices on their left. */
import { policySettingsOf } from '#slices/policies';
import type { PolicyInForce } from '#slices/screening';
import type { SliceProcess } from '../../processes.ts';

export const policyInForce = (process: SliceProcess): PolicyInForce => policySettingsOf(process);
