/**
 * A report within its signature, as a stream: the digest is known from a first reading, so that
 * SignedInfo can stand before what it signs, where the schema has it. What is written of the
 * signature is in canonical form already; only `SignedInfo` gets its namespace when it is signed.
 */
import { createHash, createSign, type KeyObject, type X509Certificate } from 'node:crypto';
import { DSIG, INCLUSIVE, RSA_SHA256, SHA256 } from './envelope.ts';
import { payloadOf, type ReportFacts, type ReportSource, reportRefused } from './reportPayload.ts';

/** Id of the signed `Object`: a document has one. */
export const OBJECT_ID = 'Report';

/** Who signs. The certificate alone goes into KeyInfo: names of its subject made files rejected. */
export interface PackageSigner {
  readonly certificate: X509Certificate;
  readonly key: KeyObject;
}

const LINE = /.{1,76}/g;

/** Long lines were taken for threats. */
const lines = (bytes: Uint8Array): string =>
  (Buffer.from(bytes).toString('base64').match(LINE) ?? []).join('\n');

/** Ends of elements are written out, as the canonical form has them. */
const element = (name: string, algorithm: string): string =>
  `<${name} Algorithm="${algorithm}"></${name}>`;

function signedInfo({ digest }: Pick<ReportFacts, 'digest'>): string {
  return [
    element('CanonicalizationMethod', INCLUSIVE),
    element('SignatureMethod', RSA_SHA256),
    `<Reference URI="#${OBJECT_ID}">`,
    `<Transforms>${element('Transform', INCLUSIVE)}</Transforms>`,
    element('DigestMethod', SHA256),
    `<DigestValue>${digest.toString('base64')}</DigestValue></Reference></SignedInfo>`,
  ].join('');
}

/** Throws `package-report-invalid` where the report is no longer what `facts` were read from. */
export async function* signedReport(
  source: ReportSource,
  facts: Pick<ReportFacts, 'digest' | 'sha256'>,
  { certificate, key }: PackageSigner,
): AsyncGenerator<Uint8Array> {
  const info = signedInfo(facts);
  const signature = createSign('sha256').update(`<SignedInfo xmlns="${DSIG}">${info}`).sign(key);
  yield Buffer.from(
    [
      '<?xml version="1.0" encoding="UTF-8" standalone="no"?>',
      `<Signature xmlns="${DSIG}" Id="SignatureId"><SignedInfo>${info}`,
      `<SignatureValue>${lines(signature)}</SignatureValue>`,
      `<KeyInfo><X509Data><X509Certificate>${lines(certificate.raw)}`,
      `</X509Certificate></X509Data></KeyInfo><Object Id="${OBJECT_ID}">`,
    ].join(''),
  );
  const sha256 = createHash('sha256');
  for await (const piece of payloadOf(source())) {
    sha256.update(piece);
    yield piece;
  }
  if (sha256.digest('hex') !== facts.sha256) throw reportRefused('it changed while it was read');
  yield Buffer.from('</Object></Signature>');
}
