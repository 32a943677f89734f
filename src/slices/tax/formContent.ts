/** What stands on a form, and what people wrote of it: a sealed blob under a key of the holder. */
import type { DataKey } from '#core/blobs';
import type { CheckedTin } from './formFindings.ts';
import type { TaxForm } from './formTable.ts';
import { openOfHolder, type Salted, sealForHolder } from './holderContent.ts';
import type { TaxPorts, TaxReadPorts } from './ports.ts';
import type { FormFinding, FormInput } from './taxForm.ts';
import type { FfiState, FormFacts } from './taxSubject.ts';

const LABEL = 'tax-form';

/** Why somebody revoked a form, or says that it is incorrect. */
export interface FormNote {
  readonly by: string;
  readonly on: string;
  readonly text: string;
}

/** What is sealed. */
export interface FormContent extends Salted {
  readonly form: FormInput;
  readonly findings: readonly FormFinding[];
  readonly tins: readonly CheckedTin[];
  /** What the FFI list said of the GIIN when the form came, by the list of which day. */
  readonly giin_check?: { readonly listed_on: string; readonly state: FfiState };
  /** What it says to the tables. */
  readonly facts: FormFacts;
  readonly notes: readonly FormNote[];
}

/** Seals it; answers what the record says of it. */
export const sealForm = (
  ports: Pick<TaxPorts, 'blobs' | 'random'>,
  given: Omit<FormContent, 'salt'>,
  key: Pick<DataKey, 'secret'>,
): Promise<Pick<TaxForm, 'blob' | 'contentHash'>> =>
  sealForHolder(ports, given, { key, label: LABEL });

/** Throws `blob-damaged` where it is gone, or not what its record was signed with. */
export const readFormContent = (
  ports: Pick<TaxReadPorts, 'blobs' | 'dataKeys'>,
  record: TaxForm,
): Promise<FormContent> => openOfHolder(ports, record, { label: LABEL, what: 'a form' });
