/** What is said of a holder, and what was made of it: a sealed blob under a key of the holder. */
import type { DataKey } from '#core/blobs';
import { canonicalJson } from '#platform/canonicalJson';
import { sha256Hex } from '#platform/crypto';
import type { ClassificationResult } from './classify.ts';
import { openOfHolder, type Salted, sealForHolder } from './holderContent.ts';
import type { TaxPorts, TaxReadPorts } from './ports.ts';
import type { TaxClassification } from './tables.ts';
import type { ClassificationInputs } from './taxSubject.ts';

const LABEL = 'tax-classification';

/** A person's explanation of an indicium. */
export interface CureNote {
  readonly indicium: string;
  readonly country: string;
  readonly by: string;
  readonly on: string;
  readonly explanation?: string;
}

/** What is sealed. */
export interface ClassificationContent extends Salted {
  readonly inputs: ClassificationInputs;
  readonly result: ClassificationResult;
  readonly notes: readonly CureNote[];
}

/** SHA-256 hex of a result alone: the same for the same inputs, day and tables. */
export const resultDigest = (result: ClassificationResult): string =>
  sha256Hex(canonicalJson(result as never));

/** Seals it; answers what the record says of it. */
export async function sealContent(
  ports: Pick<TaxPorts, 'blobs' | 'random'>,
  given: Omit<ClassificationContent, 'salt'>,
  key: Pick<DataKey, 'secret'>,
): Promise<Pick<TaxClassification, 'blob' | 'contentHash' | 'resultDigest'>> {
  const sealed = await sealForHolder(ports, given, { key, label: LABEL });
  return { ...sealed, resultDigest: resultDigest(given.result) };
}

/** Throws `blob-damaged` where it is gone, or not what its record was signed with. */
export const readClassificationContent = (
  ports: Pick<TaxReadPorts, 'blobs' | 'dataKeys'>,
  record: TaxClassification,
): Promise<ClassificationContent> =>
  openOfHolder(ports, record, { label: LABEL, what: 'what a holder was classified by' });
