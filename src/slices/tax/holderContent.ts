/** What is said of a holder: sealed blobs under a key of the holder, so that it can be erased. */
import { type DataKey, dataKeyTable, openSealed, putSealed } from '#core/blobs';
import { DomainError, type TableChange } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { sha256Hex } from '#platform/crypto';
import { type Holder, holderKey } from './holder.ts';
import type { TaxPorts, TaxReadPorts } from './ports.ts';

const SALT_BYTES = 16;

/** Every sealed content has one, in base64: without it a digest would tell who guesses. */
export interface Salted {
  readonly salt: string;
}

/** The key of a holder, made with the first content. */
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

const hashOf = (content: Salted, label: string): string =>
  sha256Hex(`${label}-v1\0${canonicalJson(content as never)}`);

/** Seals it; answers what its record says of it. */
export async function sealForHolder(
  ports: Pick<TaxPorts, 'blobs' | 'random'>,
  given: object,
  { key, label }: { readonly key: Pick<DataKey, 'secret'>; readonly label: string },
): Promise<{ readonly blob: string; readonly contentHash: string }> {
  const salt = Buffer.from(ports.random.bytes(SALT_BYTES)).toString('base64');
  const content = { ...given, salt };
  const bytes = Buffer.from(canonicalJson(content as never));
  const blob = await putSealed(ports, bytes, { label, secret: key.secret });
  return { blob, contentHash: hashOf(content, label) };
}

/** Throws `blob-damaged` where it is gone, or not what its record was signed with. */
export async function openOfHolder<Content extends Salted>(
  { blobs, dataKeys }: Pick<TaxReadPorts, 'blobs' | 'dataKeys'>,
  record: Holder & { readonly blob: string; readonly contentHash: string },
  { label, what }: { readonly label: string; readonly what: string },
): Promise<Content> {
  const [key, bytes] = await Promise.all([
    dataKeys.find(holderKey(record)),
    blobs.get(record.blob),
  ]);
  if (key === undefined || bytes === undefined) {
    throw new DomainError('blob-damaged', { detail: `${what} is gone` });
  }
  const plain = await openSealed(bytes, { label, secret: key.secret });
  const content = JSON.parse(plain.toString()) as Content;
  if (hashOf(content, label) === record.contentHash) return content;
  throw new DomainError('blob-damaged', { detail: `${what} is not what was signed` });
}
