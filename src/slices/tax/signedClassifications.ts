/** Classifications as their entries made them. */
import type { SignedRecordPorts } from '#core/audit';
import type { Tables } from '#core/kernel';
import { digestOfRecord, type SignedTable, signedTable } from './signedTable.ts';
import { type TaxClassification, taxClassificationTable } from './tables.ts';

/** SHA-256 hex of all of a record. */
export const classificationDigest = digestOfRecord<TaxClassification>('tax-classification-v1');

/** As entries name it. */
export const targetOf = ({ classificationId }: Pick<TaxClassification, 'classificationId'>) =>
  `tax-classification:${classificationId}`;

/** One for a process. */
export type SignedClassifications = SignedTable<TaxClassification>;

export const signedClassifications = (
  ports: SignedRecordPorts & { readonly tables: Pick<Tables, 'find' | 'page'> },
): SignedClassifications =>
  signedTable(ports, {
    actions: [
      'tcr.classification.made',
      'tcr.classification.superseded',
      'tcr.classification.rested',
    ],
    digestOf: classificationDigest,
    member: 'classification_digest',
    noun: 'classification',
    table: taxClassificationTable,
    targetOf,
  });
