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
  type TaxClassification,
  type TaxForm,
  type TaxPorts,
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
      const records = await classificationsOf(ports, subject);
      for (const { isErased, record } of await withErased(ports, records)) {
        const { classificationId, createdAt, status } = record;
        const name = `tax/${classificationId}.json`;
        const created_at = toTimestamp(createdAt);
        if (isErased) {
          yield { content: { created_at, is_erased: true, status }, name };
          continue;
        }
        const { inputs, result } = await readClassificationContent(ports, record);
        yield { content: { created_at, inputs, result, status }, name };
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
      const records = await formsOf(ports, subject);
      for (const { isErased, record } of await withErased(ports, records)) {
        const name = `tax/forms/${record.formId}.json`;
        if (isErased) {
          const { createdAt, status, type } = record;
          const content = { created_at: toTimestamp(createdAt), is_erased: true, status, type };
          yield { content, name };
          continue;
        }
        const content = await readFormContent(ports, record);
        // What people noted of a form is about their work, and not the holder's own.
        const { notes: _, ...shown } = presentForm({ content, record });
        yield { content: shown, name };
      }
    },
    store: taxFormTable.name,
  },
];

/**
 * The key of what was erased is gone, also where the person has returned and has another. While
 * nobody has returned there is nothing that could be given.
 */
async function withErased<R extends TaxClassification | TaxForm>(
  ports: TaxPorts,
  records: readonly R[],
): Promise<readonly { readonly isErased: boolean; readonly record: R }[]> {
  const [first] = records;
  if (first === undefined || (await ports.dataKeys.find(holderKey(first))) === undefined) return [];
  const erased = await ports.signedHolders.erasedAmong(first, records);
  return records.map((record) => ({ isErased: erased.has(record), record }));
}
