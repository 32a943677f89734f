/** Forms of holders as their entries made them. */
import type { SignedRecordPorts } from '#core/audit';
import type { Tables } from '#core/kernel';
import { type TaxForm, taxFormTable } from './formTable.ts';
import { digestOfRecord, type SignedTable, signedTable } from './signedTable.ts';

/** SHA-256 hex of all of a record. */
export const formDigest = digestOfRecord<TaxForm>('tax-form-v1');

/** As entries name it. */
export const formTarget = ({ formId }: Pick<TaxForm, 'formId'>) => `tax-form:${formId}`;

/** Actions that change a form. */
export const FORM_ACTIONS = [
  'tcr.form.received',
  'tcr.form.superseded',
  'tcr.form.changed',
  'tcr.form.revoked',
  'tcr.form.ending',
  'tcr.form.expired',
  'tcr.form.rested',
] as const;
/** One of FORM_ACTIONS. */
export type FormAction = (typeof FORM_ACTIONS)[number];

/** One for a process. */
export type SignedForms = SignedTable<TaxForm>;

export const signedForms = (
  ports: SignedRecordPorts & { readonly tables: Pick<Tables, 'find' | 'page'> },
): SignedForms =>
  signedTable(ports, {
    actions: FORM_ACTIONS,
    digestOf: formDigest,
    member: 'form_digest',
    noun: 'form',
    table: taxFormTable,
    targetOf: formTarget,
  });
