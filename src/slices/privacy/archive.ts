/**
 * The archive that a person is given: a ZIP under AES-256, whose entries are numbers, for the
 * directory of a ZIP is not encrypted. A signed manifest has the digest of every file.
 */
import { configure, Uint8ArrayReader, ZipWriter } from '@zip.js/zip.js';
import { DomainError } from '#core/kernel';
import type { HeldFile } from '#core/privacy';
import { canonicalJson } from '#platform/canonicalJson';
import { type EpochMs, toTimestamp } from '#platform/clock';
import { type Signer, sha256Hex } from '#platform/crypto';
import { type ArchiveFile, indexPage, rightsPage } from './archivePages.ts';
import { ARCHIVE_FILE_BYTES_MAX } from './limits.ts';
import type { PrivacyRequest } from './tables.ts';

/** AES-256. */
const ENCRYPTION_STRENGTH = 3;
const SIGNATURE_DOMAIN = 'privacy-manifest-v1\0';

// No worker threads: what is compressed is small, and the process bounds its threads itself.
configure({ useWebWorkers: false });

/** What an archive is made from. */
export interface ArchiveOf {
  readonly request: Pick<PrivacyRequest, 'receivedAt' | 'requestId' | 'tenantId'>;
  readonly files: AsyncIterable<HeldFile>;
  readonly passphrase: string;
  readonly signer: Signer;
  readonly now: EpochMs;
}

/** The ZIP in pieces; `written` resolves to the files that it has, once it was read. */
export function writeArchive(of: ArchiveOf): {
  readonly pieces: AsyncIterable<Uint8Array>;
  readonly written: Promise<readonly ArchiveFile[]>;
} {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const zip = new ZipWriter(writable, {
    encryptionStrength: ENCRYPTION_STRENGTH,
    lastModDate: new Date(of.now),
    password: of.passphrase,
    zipCrypto: false,
  });
  const written = fill(zip, of);
  // The stream ends with the error, so who reads the pieces gets it too.
  const failed = written.catch((error: unknown) => writable.abort(error));
  return { pieces: readable as AsyncIterable<Uint8Array>, written: failed.then(() => written) };
}

async function fill(zip: ZipWriter<unknown>, of: ArchiveOf): Promise<readonly ArchiveFile[]> {
  const files: ArchiveFile[] = [];
  const add = async (entry: string, bytes: Uint8Array): Promise<void> => {
    await zip.add(entry, new Uint8ArrayReader(bytes));
  };
  for await (const { content, name } of of.files) {
    const isBytes = content instanceof Uint8Array;
    const bytes = isBytes ? content : Buffer.from(JSON.stringify(content, undefined, 2));
    if (bytes.length > ARCHIVE_FILE_BYTES_MAX) {
      const detail = `a file of ${bytes.length} bytes; at most ${ARCHIVE_FILE_BYTES_MAX} are given`;
      throw new DomainError('privacy-request-invalid', { detail });
    }
    const ending = /[.][a-z0-9]{1,5}$/.exec(name)?.[0] ?? '.bin';
    const entry = `${String(files.length + 1).padStart(3, '0')}${ending}`;
    await add(entry, bytes);
    files.push({ bytes: bytes.length, entry, name, sha256: sha256Hex(bytes) });
  }
  const pages = [
    ['index.html', indexPage(of.request, files)],
    ['rights.html', rightsPage()],
  ] as const;
  const named = pages.map(([entry, text]) => {
    const bytes = Buffer.from(text);
    return { bytes: bytes.length, entry, name: entry, sha256: sha256Hex(bytes), text: bytes };
  });
  for (const { entry, text } of named) await add(entry, text);
  const pagesTold = named.map(({ text: _, ...told }) => told);
  await add('manifest.json', manifestOf(of, [...files, ...pagesTold]));
  await zip.close();
  return files;
}

/** Signed over `"privacy-manifest-v1\0" ‖ JCS(manifest without signature)`. */
function manifestOf({ now, request, signer }: ArchiveOf, files: readonly ArchiveFile[]): Buffer {
  const manifest = {
    files: files.map((file) => ({ ...file })),
    key_id: signer.keyId,
    made_at: toTimestamp(now),
    request_id: request.requestId,
    tenant_id: request.tenantId,
    version: 1,
  };
  const message = Buffer.from(SIGNATURE_DOMAIN + canonicalJson(manifest));
  const signature = Buffer.from(signer.sign(message)).toString('base64');
  return Buffer.from(JSON.stringify({ ...manifest, signature }, undefined, 2));
}
