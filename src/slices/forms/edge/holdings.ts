/** What forms hold of a person: what he has filled in. */
import { everyRecord } from '#core/kernel';
import type { Holding } from '#core/privacy';
import { subjectKeyId } from '#slices/customers';
import {
  type FormSubmission,
  type SubmissionPorts,
  submissionTable,
  submittedValues,
} from '#slices/forms';
import type { SliceProcess } from '../../processes.ts';
import { presentSubmission } from './presentation.ts';
import { submissionPartsOf } from './submissionParts.ts';

export const holdings = (process: SliceProcess): readonly Holding[] => [
  {
    async *files({ caseIds = [], tenantId }) {
      const ports = submissionPartsOf(process);
      for (const caseId of caseIds) {
        const ask = { equal: { caseId, tenantId }, index: 'byCase' };
        for await (const row of everyRecord(ports.tables, submissionTable, ask)) {
          const record = await ports.findSubmission(row);
          if (record === undefined || (await isErased(ports, record))) continue;
          const { received_by: _, ...shown } = presentSubmission(record);
          const content = { ...shown, data: await submittedValues(ports, record) };
          yield { content, name: `submissions/${record.submissionId}.json` };
        }
      }
    },
    store: submissionTable.name,
  },
];

/** Whether its data key was destroyed: nobody reads its values again. */
async function isErased(
  { cases: { dataKeys } }: SubmissionPorts,
  { sealed, subjectId, tenantId }: FormSubmission,
): Promise<boolean> {
  if (sealed === '') return true;
  return (await dataKeys.find({ keyId: subjectKeyId(subjectId), tenantId })) === undefined;
}
