/** Answers of forms to questions of the slices on their left. */
import type { KnowsForm } from '#slices/customers';
import { formTable } from '#slices/forms';
import type { SliceProcess } from '../../processes.ts';

/** Whether a tenant has a form of this code. */
export const knowsForm =
  ({ storage: { tables } }: SliceProcess): KnowsForm =>
  async ({ code, tenantId }) =>
    (await tables.findUnique(formTable, 'byCode', { code, tenantId })) !== undefined;
