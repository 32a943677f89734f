/** Packages whose parts may not belong together, and documents signed as the IRS signs its own. */
import { constants, createCipheriv, createSign, publicEncrypt } from 'node:crypto';
import { IRS, writeMetadata } from '#slices/tax';
import { NOW, type Party, SENDER, sha256Base64, zipOf } from './packageKit.ts';

export const DSIG = 'http://www.w3.org/2000/09/xmldsig#';
const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
const SHA256 = 'http://www.w3.org/2001/04/xmlenc#sha256';

type Files = Record<string, string | Uint8Array>;

/** What is in a package, and what is done to it. */
export interface Forged {
  readonly document: string;
  /** Who opens it. */
  readonly to: Party;
  readonly sender?: string;
  readonly receiver?: string;
  readonly metadata?: (xml: string) => string;
  readonly inner?: Files;
  readonly outer?: (files: Files) => Files;
  readonly cipher?: 'aes-256-cbc' | 'aes-256-ecb';
  readonly secret?: Uint8Array;
}

export const SECRET = Buffer.from(Array.from({ length: 48 }, (_, index) => index));

export async function forgePackage(given: Forged): Promise<Buffer> {
  const { cipher = 'aes-256-cbc', outer = (files) => files, secret = SECRET } = given;
  const { metadata = (xml) => xml, receiver = IRS, sender = SENDER } = given;
  const inner = given.inner ?? { [`${sender}_Payload.xml`]: given.document };
  const iv = cipher === 'aes-256-cbc' ? SECRET.subarray(32) : null;
  const aes = createCipheriv(cipher, SECRET.subarray(0, 32), iv);
  const payload = Buffer.concat([aes.update(await zipOf(inner)), aes.final()]);
  const padding = constants.RSA_PKCS1_PADDING;
  const key = publicEncrypt({ key: given.to.certificate.publicKey, padding }, secret);
  const told = writeMetadata({
    createdAt: NOW,
    receiver,
    sender,
    senderFileId: 'x.zip',
    taxYear: 2025,
  });
  const files = { [`${sender}_Payload`]: payload, [`${sender}_Metadata.xml`]: metadata(told) };
  return zipOf(outer({ ...files, [`${receiver}_Key`]: key }));
}

const algorithm = (name: string, uri: string): string =>
  `<ds:${name} Algorithm="${uri}"></ds:${name}>`;

/**
 * The signature of the IRS: exclusive, under a prefix, over KeyInfo and Object. `payload` stands in
 * exclusive canonical form; `written` is what stands in the file for it.
 */
export function signAsIrs(payload: string, by: Party, written = payload): string {
  const xmlns = ` xmlns:ds="${DSIG}"`;
  const certificate = by.certificate.raw.toString('base64');
  const data = `<ds:X509Data><ds:X509Certificate>${certificate}</ds:X509Certificate></ds:X509Data>`;
  const reference = (id: string, canonical: string): string =>
    [
      `<ds:Reference URI="#${id}"><ds:Transforms>${algorithm('Transform', EXCLUSIVE)}`,
      `</ds:Transforms>${algorithm('DigestMethod', SHA256)}`,
      `<ds:DigestValue>${sha256Base64(canonical)}</ds:DigestValue></ds:Reference>`,
    ].join('');
  const info = [
    algorithm('CanonicalizationMethod', EXCLUSIVE),
    algorithm('SignatureMethod', RSA_SHA256),
    reference('k', `<ds:KeyInfo${xmlns} Id="k">${data}</ds:KeyInfo>`),
    reference('o', `<ds:Object${xmlns} Id="o">${payload}</ds:Object>`),
    '</ds:SignedInfo>',
  ].join('');
  const value = createSign('sha256').update(`<ds:SignedInfo${xmlns}>${info}`).sign(by.key);
  return [
    `<ds:Signature${xmlns}><ds:SignedInfo>${info}`,
    `<ds:SignatureValue>${value.toString('base64')}</ds:SignatureValue>`,
    `<ds:KeyInfo Id="k">${data}</ds:KeyInfo>`,
    `<ds:Object Id="o">${written}</ds:Object></ds:Signature>`,
  ].join('');
}
