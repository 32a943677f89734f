/** What is said of a holder, and what was made of it: a sealed blob under a key of the holder. */
import { type DataKey, dataKeyTable, openSealed, putSealed } from '#core/blobs';
import { DomainError, type TableChange, type TenantId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { sha256Hex } from '#platform/crypto';
import type { ClassificationResult } from './classify.ts';
import type { TaxPorts, TaxReadPorts } from './ports.ts';
import type { TaxClassification } from './tables.ts';
import type { ClassificationInputs } from './taxSubject.ts';

const LABEL = 'tax-classification';
const SALT_BYTES = 16;

/** A person's explanation of an indicium. */
export interface CureNote {
  readonly indicium: string;
  readonly country: string;
  readonly by: string;
  readonly on: string;
  readonly explanation?: string;
}

/** What is sealed. */
export interface ClassificationContent {
  readonly inputs: ClassificationInputs;
  readonly result: ClassificationResult;
  readonly notes: readonly CureNote[];
  /** Base64: without it a digest would tell who guesses. */
  readonly salt: string;
}

type Holder = Pick<TaxClassification, 'subjectRef' | 'tenantId'>;

/** Name of the data key of a holder: a digest stands for the reference, the tenant’s own text. */
export const holderKey = ({ subjectRef, tenantId }: Holder) => ({
  keyId: `tax/${tenantId}/${sha256Hex(`tax-holder-v1\0${subjectRef}`)}`,
  tenantId,
});

/** The key of a holder, made with the first classification. */
export async function keyFor(
  { dataKeys }: Pick<TaxReadPorts, 'dataKeys'>,
  holder: Holder,
): Promise<{ readonly key: DataKey; readonly changes: readonly TableChange[] }> {
  const named = holderKey(holder);
  const key = await dataKeys.find(named);
  if (key !== undefined) return { changes: [], key };
  const made = dataKeys.make(named, { seeds: [] });
  return { changes: [dataKeyTable.insert(made.record)], key: made.key };
}

/** SHA-256 hex of a result alone: the same for the same inputs, day and tables. */
export const resultDigest = (result: ClassificationResult): string =>
  sha256Hex(canonicalJson(result as never));

const hashOf = (content: ClassificationContent): string =>
  sha256Hex(`${LABEL}-v1\0${canonicalJson(content as never)}`);

/** Seals it; answers what the record says of it. */
export async function sealContent(
  ports: Pick<TaxPorts, 'blobs' | 'random'>,
  given: Omit<ClassificationContent, 'salt'>,
  key: Pick<DataKey, 'secret'>,
): Promise<Pick<TaxClassification, 'blob' | 'contentHash' | 'resultDigest'>> {
  const salt = Buffer.from(ports.random.bytes(SALT_BYTES)).toString('base64');
  const content = { ...given, salt };
  const bytes = Buffer.from(canonicalJson(content as never));
  const blob = await putSealed(ports, bytes, { label: LABEL, secret: key.secret });
  return { blob, contentHash: hashOf(content), resultDigest: resultDigest(given.result) };
}

/** Throws `blob-damaged` where it is gone, or not what its record was signed with. */
export async function readClassificationContent(
  { blobs, dataKeys }: Pick<TaxReadPorts, 'blobs' | 'dataKeys'>,
  record: TaxClassification & { readonly tenantId: TenantId },
): Promise<ClassificationContent> {
  const [key, bytes] = await Promise.all([
    dataKeys.find(holderKey(record)),
    blobs.get(record.blob),
  ]);
  if (key === undefined || bytes === undefined) {
    throw new DomainError('blob-damaged', { detail: 'what a holder was classified by is gone' });
  }
  const plain = await openSealed(bytes, { label: LABEL, secret: key.secret });
  const content = JSON.parse(plain.toString()) as ClassificationContent;
  if (hashOf(content) === record.contentHash) return content;
  throw new DomainError('blob-damaged', { detail: 'a classification is not what was signed' });
}
