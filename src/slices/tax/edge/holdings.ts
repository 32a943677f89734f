/** What tax reporting holds of a holder: by what. */
import type { Holding } from '#core/privacy';
import { toTimestamp } from '#platform/clock';
import {
  classificationsOf,
  erasureOfHolder,
  formsOf,
  holderKey,
  readClassificationContent,
  readFormContent,
  taxClassificationTable,
  taxFormTable,
} from '#slices/tax';
import type { SliceProcess } from '../../processes.ts';
import { presentForm } from './formPresentation.ts';
import { taxPortsOf } from './parts.ts';

export const holdings = (process: SliceProcess): readonly Holding[] => [
  {
    get erasure() {
      return erasureOfHolder(taxPortsOf(process));
    },
    async *files(subject) {
      const ports = taxPortsOf(process);
      for (const record of await classificationsOf(ports, subject)) {
        // Once the key is destroyed there is nothing that could be given.
        if ((await ports.dataKeys.find(holderKey(record))) === undefined) return;
        const { inputs, result } = await readClassificationContent(ports, record);
        const { classificationId, createdAt, status } = record;
        yield {
          content: { created_at: toTimestamp(createdAt), inputs, result, status },
          name: `tax/${classificationId}.json`,
        };
      }
    },
    store: taxClassificationTable.name,
  },
  {
    get erasure() {
      return erasureOfHolder(taxPortsOf(process), 'forms');
    },
    async *files(subject) {
      const ports = taxPortsOf(process);
      for (const record of await formsOf(ports, subject)) {
        if ((await ports.dataKeys.find(holderKey(record))) === undefined) return;
        const content = await readFormContent(ports, record);
        // What people noted of a form is about their work, and not the holder's own.
        const { notes: _, ...shown } = presentForm({ content, record });
        yield { content: shown, name: `tax/forms/${record.formId}.json` };
      }
    },
    store: taxFormTable.name,
  },
];
