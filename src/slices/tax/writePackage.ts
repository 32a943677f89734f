/**
 * A package for IDES: the report is signed, compressed, encrypted under a key of its own, and put
 * beside that key, wrapped for each receiver, and the metadata. All of it streams; the report is
 * read twice, since the digest of a signature stands before what is signed.
 */
import type { X509Certificate } from 'node:crypto';
import { DomainError } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { Random } from '#platform/random';
import { type ZipEntry, zipped } from '#platform/zipStream';
import { readGiin } from './giin.ts';
import { PACKAGE_BYTES_MAX } from './limits.ts';
import { requireCurrent, requireKeyOf } from './packageCertificate.ts';
import { encrypted, newSecret, wrapSecret } from './packageCipher.ts';
import { writeMetadata } from './packageMetadata.ts';
import { keyName, metadataName, packageName, payloadName, reportName } from './packageNames.ts';
import { type ReportFacts, type ReportSource, readReport, reportRefused } from './reportPayload.ts';
import { OBJECT_ID, type PackageSigner, signedReport } from './signReport.ts';

/** Who can open a package. */
export interface PackageReceiver {
  /** As entities of IDES are named: a GIIN, or an authority. */
  readonly id: string;
  readonly certificate: X509Certificate;
}

/** What a package is made of. */
export interface PackageOf {
  readonly report: ReportSource;
  readonly signer: PackageSigner;
  readonly receiver: PackageReceiver;
  /** The authority that approves it first, under Model 1 option 2. */
  readonly approver?: PackageReceiver | undefined;
  readonly now: EpochMs;
  readonly random: Random;
}

/** A package that is yet to be read. */
export interface PreparedPackage {
  /** Name of the file, and its SenderFileId. */
  readonly name: string;
  readonly report: ReportFacts;
  readonly pieces: AsyncIterable<Uint8Array>;
}

/** Reads the report a first time. Throws what is wrong with it, or with a certificate. */
export async function preparePackage(of: PackageOf): Promise<PreparedPackage> {
  const receivers = [of.receiver, ...(of.approver ? [of.approver] : [])];
  requireCurrent(of.signer.certificate, 'signing certificate', of.now);
  requireKeyOf(of.signer.certificate, of.signer.key);
  for (const { certificate, id } of receivers) {
    const found = readGiin(id, { takesAuthorities: true });
    if (!found.isValid) throw reportRefused(`receiver: expected ${found.expected}`);
    requireCurrent(certificate, `certificate of ${id}`, of.now);
  }
  const report = await readReport(of.report, OBJECT_ID);
  const ids = [report.sender, ...receivers.map(({ id }) => id)];
  if (new Set(ids).size < ids.length) {
    throw reportRefused('expected a sender, a receiver and an approver that are different');
  }
  return {
    name: packageName(report.sender, of.now),
    pieces: bounded(zipped(entriesOf(of, report, receivers))),
    report,
  };
}

function* entriesOf(
  of: PackageOf,
  report: ReportFacts,
  receivers: readonly PackageReceiver[],
): Generator<ZipEntry> {
  const secret = newSecret(of.random);
  const { sender, taxYear } = report;
  const signed = signedReport(of.report, report, of.signer);
  const inner = zipped([{ content: signed, path: reportName(sender) }]);
  yield { content: encrypted(inner, secret), path: payloadName(sender) };
  const metadata = writeMetadata({
    createdAt: of.now,
    receiver: of.receiver.id,
    sender,
    senderFileId: packageName(sender, of.now),
    taxYear,
  });
  yield { content: [metadata], path: metadataName(sender) };
  for (const { certificate, id } of receivers) {
    yield { content: [wrapSecret(secret, certificate.publicKey)], path: keyName(id) };
  }
}

async function* bounded(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    if (bytes > PACKAGE_BYTES_MAX) {
      const detail = `expected at most ${PACKAGE_BYTES_MAX} bytes: split the report`;
      throw new DomainError('package-too-large', { detail });
    }
    yield piece;
  }
}
