/**
 * Files of packages at the command line: keys, certificates, packages read at any place, and a
 * place for what is encrypted in them.
 */
import type { KeyObject, X509Certificate } from 'node:crypto';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DomainError } from '#core/kernel';
import { readPrivateKey } from '#platform/certificates';
import type { ReadableBytes } from '#platform/zipReading';
import {
  type CheckedEnvelope,
  checkEnvelope,
  type EnvelopeCheck,
  type OuterPackage,
  openPayload,
  readCertificate,
  readOuter,
  type Spool,
} from '#slices/tax';
import type { CommandOption, Given } from '../../../cli/command.ts';
import { openInput, readDocument, readSmallFile, writeWhole } from '../../../cli/files.ts';

export const KEY: CommandOption = {
  name: 'key',
  value: 'FILE',
  required: true,
  help: 'the RSA private key, PEM without a passphrase',
};

export const certificateAt = async (file: string): Promise<X509Certificate> =>
  readCertificate(await readSmallFile(file), file);

export async function keyAt(file: string): Promise<KeyObject> {
  const key = readPrivateKey(await readDocument(file));
  if (key?.asymmetricKeyType === 'rsa') return key;
  const detail = `${file}: expected an RSA private key, PEM without a passphrase`;
  throw new DomainError('certificate-invalid', { detail });
}

/** What is encrypted, in a folder of its own until `work` is over. */
async function withSpool<Value>(work: (spool: Spool) => Promise<Value>): Promise<Value> {
  const folder = await mkdtemp(join(tmpdir(), 'ides-'));
  const closes: (() => Promise<void>)[] = [];
  try {
    return await work(async (pieces) => {
      const path = join(folder, 'payload');
      await writeWhole(path, pieces);
      const opened = await openReadable(path);
      closes.push(opened.close);
      return opened.source;
    });
  } finally {
    for (const close of closes) await close();
    await rm(folder, { force: true, recursive: true });
  }
}

async function openReadable(path: string) {
  const { bytes } = await openInput(path);
  const file = await open(path, 'r');
  const source: ReadableBytes = {
    bytes,
    async read(at, count) {
      const buffer = Buffer.allocUnsafe(Math.max(0, Math.min(count, bytes - at)));
      let done = 0;
      while (done < buffer.length) {
        const { bytesRead } = await file.read(buffer, done, buffer.length - done, at + done);
        if (bytesRead === 0) break;
        done += bytesRead;
      }
      return buffer.subarray(0, done);
    },
  };
  return { close: () => file.close(), source };
}

export const TRUSTED: CommandOption = {
  name: 'certificate',
  value: 'FILE',
  required: true,
  repeatable: true,
  help: 'of who should have signed; several where one follows another',
};

/** Opens the package at `file` and gives what was signed to `take`, which may look at it first. */
export async function openSigned(
  given: Given,
  file: string,
  take: (
    check: (onSigned: EnvelopeCheck['onSigned']) => Promise<CheckedEnvelope>,
  ) => Promise<CheckedEnvelope>,
): Promise<OuterPackage & { readonly checked: CheckedEnvelope }> {
  const trusted = await Promise.all(given.all('certificate').map(certificateAt));
  const key = await keyAt(given.value('key'));
  const { close, source } = await openReadable(file);
  try {
    const outer = await readOuter(source);
    const checked = await withSpool(async (spool) => {
      const document = await openPayload(outer, { key, spool });
      return take((onSigned) => checkEnvelope(document, { onSigned, trusted }));
    });
    return { ...outer, checked };
  } finally {
    await close();
  }
}
