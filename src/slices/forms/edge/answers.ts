/** Answers of forms to questions of the slices on their left. */
import type { ForgetSubmissions, KnowsForm } from '#slices/customers';
import { forgetSubmissions as forget, formTable, submissionPartsOf } from '#slices/forms';
import type { SliceProcess } from '../../processes.ts';

/** Whether a tenant has a form of this code. */
export const knowsForm =
  ({ storage: { tables } }: SliceProcess): KnowsForm =>
  async ({ code, tenantId }) =>
    (await tables.findUnique(formTable, 'byCode', { code, tenantId })) !== undefined;

/** What was filled in for a case whose time is over. */
export const forgetSubmissions =
  (process: SliceProcess): ForgetSubmissions =>
  (of) =>
    forget(submissionPartsOf(process), of);
