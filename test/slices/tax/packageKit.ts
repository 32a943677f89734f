/**
 * What tests of packages need beside the product: keys, a small report, the `openssl` program as an
 * opener that shares nothing with ours, and packages made of parts that do not belong together.
 */
import { execFileSync } from 'node:child_process';
import { createHash, generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import type { EpochMs } from '#platform/clock';
import { systemRandom } from '#platform/random';
import { bytesIn } from '#platform/zipReading';
import { zipped } from '#platform/zipStream';
import {
  checkEnvelope,
  openPayload,
  type PackageMetadata,
  type PackageOf,
  preparePackage,
  readOuter,
  type Spool,
} from '#slices/tax';
import { makeCertificate } from '../../platform/testCertificates.ts';

export const NOW = Date.parse('2026-03-31T09:30:00.123Z') as EpochMs;
export const SENDER = '98Q96B.00000.LE.250';
export const HCTA = '000000.00000.TA.250';

export interface Party {
  readonly certificate: X509Certificate;
  readonly certificatePem: string;
  readonly key: KeyObject;
  readonly keyPem: string;
}

/** RSA, under a certificate of its own. */
export function party(
  name: string,
  { bits = 2_048, until = new Date('2034-01-01T00:00:00Z') } = {},
): Party {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: bits });
  const { certificatePem } = makeCertificate(name, { notAfter: until, publicKey });
  return {
    certificate: new X509Certificate(certificatePem),
    certificatePem,
    key: privateKey,
    keyPem: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
  };
}

/** A report with what canonical forms differ in: prefixes, quotes, empty elements, line ends. */
export const REPORT = `<?xml version="1.0" encoding="UTF-8"?>
<ftc:FATCA_OECD xmlns:sfa="urn:oecd:ties:stffatcatypes:v2" version="2.0"
  xmlns:ftc="urn:oecd:ties:fatca:v2">
  <ftc:MessageSpec>
    <sfa:SendingCompanyIN>${SENDER}</sfa:SendingCompanyIN>
    <sfa:TransmittingCountry>FR</sfa:TransmittingCountry>
    <sfa:ReceivingCountry>US</sfa:ReceivingCountry>
    <sfa:MessageType>FATCA</sfa:MessageType>
    <sfa:Warning/>
    <sfa:MessageRefId>${SENDER}.2025.1</sfa:MessageRefId>
    <sfa:ReportingPeriod>2025-12-31</sfa:ReportingPeriod>
    <sfa:Timestamp>2026-03-01T10:00:00</sfa:Timestamp>
  </ftc:MessageSpec>
  <ftc:FATCA><sfa:Name nameType='OECD207'>L&apos;Étoile &amp; Fils</sfa:Name>\r
  </ftc:FATCA>
</ftc:FATCA_OECD>
`;

export async function* pieces(text: string | Uint8Array, size = 1_000): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text as string);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

export async function gathered(from: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const found: Uint8Array[] = [];
  for await (const piece of from) found.push(piece);
  return Buffer.concat(found);
}

export async function packageOf(
  given: Partial<PackageOf> & Pick<PackageOf, 'receiver' | 'signer'>,
): Promise<{ readonly name: string; readonly bytes: Buffer }> {
  const prepared = await preparePackage({
    now: NOW,
    random: systemRandom,
    report: () => pieces(REPORT),
    ...given,
  });
  return { bytes: await gathered(prepared.pieces), name: prepared.name };
}

/** By the directory at its end, as PKWARE's note has it; no line of it is the product's. */
export function unzip(zip: Buffer): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  const end = zip.lastIndexOf(Buffer.from('PK\x05\x06'));
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    const [nameLength, extraLength] = [zip.readUInt16LE(at + 28), zip.readUInt16LE(at + 30)];
    const name = zip.toString('utf8', at + 46, at + 46 + nameLength);
    const local = zip.readUInt32LE(at + 42);
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const packed = zip.subarray(start, start + zip.readUInt32LE(at + 20));
    files.set(name, zip.readUInt16LE(at + 10) === 8 ? inflateRawSync(packed) : packed);
    at += 46 + nameLength + extraLength + zip.readUInt16LE(at + 32);
  }
  return files;
}

/** Opens a package with the `openssl` program: the signed document. */
export function openWithOpenssl(zip: Buffer, as: string, key: Party['keyPem']): Buffer {
  const files = unzip(zip);
  const folder = mkdtempSync(join(tmpdir(), 'openssl-'));
  try {
    const put = (name: string, bytes: string | Uint8Array): string => {
      writeFileSync(join(folder, name), bytes);
      return join(folder, name);
    };
    const secret = execFileSync('openssl', [
      ...['pkeyutl', '-decrypt', '-inkey', put('key.pem', key)],
      ...['-in', put('key', files.get(`${as}_Key`) ?? '')],
    ]);
    const [sender] = [...files.keys()]
      .map((name) => /^(.*)_Payload$/.exec(name)?.[1])
      .filter(Boolean);
    const inner = execFileSync('openssl', [
      ...['enc', '-d', '-aes-256-cbc', '-in', put('payload', files.get(`${sender}_Payload`) ?? '')],
      ...['-K', secret.toString('hex', 0, 32), '-iv', secret.toString('hex', 32)],
    ]);
    const documents = unzip(inner);
    const document = documents.get(`${sender}_Payload.xml`);
    if (document === undefined || documents.size > 1) throw new Error('not one document');
    return document;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Whether the signature value is that of the bytes, by the `openssl` program. */
export function verifiesWithOpenssl(signed: string, value: Buffer, certificate: X509Certificate) {
  const folder = mkdtempSync(join(tmpdir(), 'openssl-'));
  try {
    const files = { key: join(folder, 'k'), signed: join(folder, 's'), value: join(folder, 'v') };
    writeFileSync(files.key, certificate.publicKey.export({ format: 'pem', type: 'spki' }));
    writeFileSync(files.signed, signed);
    writeFileSync(files.value, value);
    const args = ['dgst', '-sha256', '-verify', files.key, '-signature', files.value, files.signed];
    return execFileSync('openssl', args).toString().trim() === 'Verified OK';
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const inMemory: Spool = async (from) => bytesIn(await gathered(from));

/** What the product makes of a package: what was signed, and by whom it was sent. */
export async function opened(
  zip: Uint8Array,
  { key, trusted }: { readonly key: KeyObject; readonly trusted: readonly X509Certificate[] },
): Promise<{ readonly metadata: PackageMetadata; readonly signed: string; readonly form: string }> {
  const outer = await readOuter(bytesIn(zip));
  const document = await openPayload(outer, { key, spool: inMemory });
  let signed = '';
  const onSigned = (text: string): void => {
    signed += text;
  };
  const { canonicalization: form } = await checkEnvelope(document, { onSigned, trusted });
  return { form, metadata: outer.metadata, signed };
}

/** An archive of these entries. */
export const zipOf = (files: Readonly<Record<string, string | Uint8Array>>): Promise<Buffer> =>
  gathered(zipped(Object.entries(files).map(([path, content]) => ({ content: [content], path }))));

export const sha256Base64 = (text: string): string =>
  createHash('sha256').update(text).digest('base64');
