/**
 * A package of strangers, opened: exactly the entries of a package, metadata that fit them, a key
 * that is ours, and within it an archive of exactly one document. What is encrypted is written to a
 * file as it is, and deciphered where it is read, so that nothing readable touches a disk and the
 * memory does not grow.
 */
import type { KeyObject } from 'node:crypto';
import { DomainError } from '#core/kernel';
import { type ReadableBytes, type ReadEntry, readZip, ZipDamaged } from '#platform/zipReading';
import {
  METADATA_BYTES_MAX,
  PACKAGE_BYTES_MAX,
  PACKAGE_ENTRIES_MAX,
  REPORT_BYTES_MAX,
  WRAPPED_KEY_BYTES_MAX,
} from './limits.ts';
import { deciphered, type PackageSecret, unwrapSecret } from './packageCipher.ts';
import { type PackageMetadata, readMetadata } from './packageMetadata.ts';
import { readEntryName, reportName } from './packageNames.ts';

/** What stands outside of the encryption. */
export interface OuterPackage {
  readonly metadata: PackageMetadata;
  /** Whom it has keys for. */
  readonly receivers: readonly string[];
  readonly payload: ReadEntry;
  readonly keys: readonly ReadEntry[];
}

/** Keeps pieces where they can be read at any place. */
export type Spool = (pieces: AsyncIterable<Uint8Array>) => Promise<ReadableBytes>;

const unreadable = (detail: string, cause?: unknown): DomainError =>
  new DomainError('package-unreadable', { cause, detail });

/** The same words whatever was wrong: who asks learns nothing of the key. */
const undecryptable = (cause?: unknown): DomainError =>
  new DomainError('package-undecryptable', {
    cause,
    detail: 'expected, with this key, an archive of one report under AES-256-CBC',
  });

/** Throws `package-unreadable`. */
export async function readOuter(source: ReadableBytes): Promise<OuterPackage> {
  if (source.bytes > PACKAGE_BYTES_MAX) {
    throw unreadable(`expected at most ${PACKAGE_BYTES_MAX} bytes, got ${source.bytes}`);
  }
  try {
    return await sortEntries(await readZip(source, PACKAGE_ENTRIES_MAX));
  } catch (error) {
    if (error instanceof ZipDamaged) throw unreadable(`no archive: ${error.message}`, error);
    throw error;
  }
}

async function sortEntries(entries: readonly ReadEntry[]): Promise<OuterPackage> {
  const named = entries.map((entry) => ({ entry, read: readEntryName(entry.name) }));
  if (named.some(({ read }) => read === undefined)) {
    throw unreadable('expected only _Payload, _Metadata.xml and _Key of entities');
  }
  if (new Set(entries.map(({ name }) => name)).size < entries.length) {
    throw unreadable('expected each entry once');
  }
  const of = (part: string) => named.filter(({ read }) => read?.part === part);
  const [payload, morePayload] = of('Payload');
  const [metadata, moreMetadata] = of('Metadata.xml');
  const keys = of('Key');
  const isWhole = payload && metadata && keys.length > 0 && !morePayload && !moreMetadata;
  if (!isWhole) throw unreadable('expected one payload, one metadata file, and keys');
  const said = readMetadata(await readAll(metadata.entry, METADATA_BYTES_MAX));
  const receivers = keys.map(({ read }) => read?.entity ?? '');
  const senders = [payload.read?.entity, metadata.read?.entity];
  if (senders.some((sender) => sender !== said.sender)) {
    throw unreadable('expected payload and metadata named by their sender');
  }
  if (!receivers.includes(said.receiver)) throw unreadable('expected a key for the receiver');
  return {
    keys: keys.map(({ entry }) => entry),
    metadata: said,
    payload: payload.entry,
    receivers,
  };
}

async function readAll(entry: ReadEntry, bytesMax: number): Promise<Buffer> {
  if (entry.bytes > bytesMax) {
    throw unreadable(`expected at most ${bytesMax} bytes, got ${entry.bytes} in an entry`);
  }
  const pieces: Uint8Array[] = [];
  for await (const piece of readGuarded(entry, unreadable)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** How a payload is opened. */
export interface PayloadOf {
  readonly key: KeyObject;
  readonly spool: Spool;
  /** Bytes of the document; absent: those of a report. */
  readonly bytesMax?: number;
}

/** The signed document. Throws `package-undecryptable`, also while it is read. */
export async function openPayload(
  outer: OuterPackage,
  { bytesMax = REPORT_BYTES_MAX.all, key, spool }: PayloadOf,
): Promise<AsyncIterable<Uint8Array>> {
  const secrets: PackageSecret[] = [];
  for (const entry of outer.keys) {
    const secret = unwrapSecret(await readAll(entry, WRAPPED_KEY_BYTES_MAX), key);
    if (secret !== undefined) secrets.push(secret);
  }
  if (secrets.length === 0) throw undecryptable();
  const source = await spool(readGuarded(outer.payload, unreadable));
  for (const secret of secrets) {
    const plain = await deciphered(source, secret);
    const name = reportName(outer.metadata.sender);
    const document = plain && (await documentIn(plain, { bytesMax, name }));
    if (document !== undefined) return readGuarded(document, (_, error) => undecryptable(error));
  }
  throw undecryptable();
}

/** Undefined where there is no archive of exactly that one document. */
async function documentIn(
  plain: ReadableBytes,
  { bytesMax, name }: { readonly bytesMax: number; readonly name: string },
): Promise<ReadEntry | undefined> {
  try {
    const [document] = await readZip(plain, 1);
    const isOurs = document?.name === name && document.bytes <= bytesMax;
    return isOurs ? document : undefined;
  } catch (error) {
    if (error instanceof ZipDamaged) return undefined;
    throw error;
  }
}

async function* readGuarded(
  entry: ReadEntry,
  refuse: (detail: string, error: unknown) => DomainError,
): AsyncGenerator<Uint8Array> {
  try {
    yield* entry.content();
  } catch (error) {
    if (error instanceof ZipDamaged) throw refuse(error.message, error);
    throw error;
  }
}
