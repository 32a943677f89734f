/**
 * Signed documents that are refused: changed ones, wrapped ones, those of strangers, and references
 * that sign something else, though the right key made the signature.
 */
import { createSign } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { IRS } from '#slices/tax';
import { DSIG, forgePackage, signAsIrs } from './forgedPackage.ts';
import {
  opened,
  openWithOpenssl,
  type Party,
  packageOf,
  party,
  sha256Base64,
} from './packageKit.ts';

const INCLUSIVE = 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315';

let own: Party;
let irs: Party;
let stranger: Party;
let signedXml: string;

beforeAll(async () => {
  [own, irs, stranger] = [party('own'), party('irs'), party('stranger')];
  const { bytes } = await packageOf({
    receiver: { certificate: irs.certificate, id: IRS },
    signer: own,
  });
  signedXml = openWithOpenssl(bytes, IRS, irs.keyPem).toString();
});

const openForged = async (document: string) =>
  opened(await forgePackage({ document, to: irs }), { key: irs.key, trusted: [own.certificate] });

/** Signed anew over a changed SignedInfo, by whoever. */
function resigned(xml: string, by: Party, change: (info: string) => string): string {
  const info = change(/<SignedInfo>(.*)<\/SignedInfo>/s.exec(xml)?.[1] ?? '');
  const canonical = `<SignedInfo xmlns="${DSIG}">${info}</SignedInfo>`;
  const value = createSign('sha256').update(canonical).sign(by.key).toString('base64');
  return xml
    .replace(/<SignedInfo>.*<\/SignedInfo>/s, () => `<SignedInfo>${info}</SignedInfo>`)
    .replace(/<SignatureValue>[^<]*/, () => `<SignatureValue>${value}`)
    .replace(/<X509Certificate>[^<]*/, () => {
      return `<X509Certificate>${by.certificate.raw.toString('base64')}`;
    });
}

const OBJECT = /<Object.*<\/Object>/s;
const objectOf = (xml: string): string => OBJECT.exec(xml)?.[0] ?? '';
const keyInfoOf = (xml: string): string => /<KeyInfo>.*<\/KeyInfo>/s.exec(xml)?.[0] ?? '';
const EVIL = '<evil xmlns="urn:evil"></evil>';

describe('a document is refused', () => {
  test.each<[string, (xml: string) => string, string]>([
    ['of which a letter was changed', (x) => x.replace('Fils', 'Filz'), 'Object: expected another'],
    [
      'whose digest was made to fit',
      (x) => {
        const canonical = `<Object xmlns="${DSIG}" Id="Report">${EVIL}</Object>`;
        return x
          .replace(OBJECT, () => `<Object Id="Report">${EVIL}</Object>`)
          .replace(/<DigestValue>[^<]*/, () => `<DigestValue>${sha256Base64(canonical)}`);
      },
      'SignatureValue',
    ],
    ['signed by a stranger', (x) => resigned(x, stranger, (info) => info), 'KeyInfo: expected the'],
    [
      "signed by a stranger under another's certificate",
      (x) => resigned(x, stranger, (info) => info).replace(/<KeyInfo>.*<\/KeyInfo>/s, keyInfoOf(x)),
      'SignatureValue',
    ],
    [
      'without a value',
      (x) => x.replace(/<SignatureValue>[^<]*/, '<SignatureValue>'),
      'SignatureV',
    ],
    ['without KeyInfo', (x) => x.replace(/<KeyInfo>.*<\/KeyInfo>/s, ''), 'expected KeyInfo'],
    ['without Object', (x) => x.replace(OBJECT, ''), 'expected SignedInfo, SignatureValue'],
    ['wrapped into another', (x) => `<a>${x.slice(x.indexOf('<Sig'))}</a>`, 'expected Signature'],
    [
      'with another Object behind',
      (x) => x.replace('</Signature>', `<Object Id="Report">${EVIL}</Object></Signature>`),
      'nothing after Object',
    ],
    [
      'with another Object before',
      (x) => x.replace('<Object', `<Object Id="Report">${EVIL}</Object><Object`),
      'nothing after Object',
    ],
    [
      'with the signed Object within another',
      (x) => x.replace(OBJECT, () => `<Object Id="Other">${EVIL}${objectOf(x)}</Object>`),
      'references to Object',
    ],
    [
      'with the signed Object within its namesake',
      (x) => x.replace(OBJECT, () => `<Object Id="Report">${EVIL}${objectOf(x)}</Object>`),
      'Object: expected another',
    ],
    [
      'with the signed Object in KeyInfo',
      (x) =>
        x
          .replace(OBJECT, `<Object Id="Other">${EVIL}</Object>`)
          .replace('</KeyInfo>', () => `${objectOf(x)}</KeyInfo>`),
      'references to Object',
    ],
    ['with a text between', (x) => x.replace('<KeyInfo>', 'x<KeyInfo>'), 'no text between'],
    [
      'with a type of its own',
      (x) => x.replace('<Sig', '<!DOCTYPE a [<!ENTITY b "c">]><Sig'),
      'XML',
    ],
    ['that breaks off', (x) => x.slice(0, -5), 'well-formed'],
    ['with an attribute of xml', (x) => x.replace('Id="Sig', 'xml:lang="fr" Id="Sig'), 'of xml'],
    ['of another namespace', (x) => x.replace(DSIG, 'urn:x'), 'expected Signature'],
    [
      'with its parts in disorder',
      (x) => x.replace(OBJECT, '').replace('<KeyI', `${objectOf(x)}<KeyI`),
      'expected KeyInfo',
    ],
  ])('%s', async (_, change, words) => {
    const document = change(signedXml);
    expect(document).not.toBe(signedXml);
    await expect(openForged(document)).rejects.toMatchObject({
      code: 'package-signature-invalid',
      message: expect.stringContaining(words),
    });
  });

  const reference = '<Reference URI="#Report">';
  test.each<[string, (info: string) => string, string]>([
    [
      'that signs nothing',
      (i) => i.replace(/<Reference.*<\/Reference>/s, ''),
      'reference to Object',
    ],
    ['that signs the document', (i) => i.replace('"#Report"', '""'), 'within the document'],
    ['that signs a file elsewhere', (i) => i.replace('"#Report"', '"http://a/"'), 'within the doc'],
    ['that signs something else', (i) => i.replace('"#Report"', '"#SignatureId"'), 'references to'],
    ['with a pointer', (i) => i.replace('#Report', '#xpointer(/)'), 'references to'],
    ['that signs it twice', (i) => i + i.slice(i.indexOf(reference)), 'references to'],
    ['with comments', (i) => i.replaceAll(INCLUSIVE, `${INCLUSIVE}#WithComments`), 'one canonical'],
    [
      'with a transform',
      (i) => i.replace('<Transform ', '<Transform Algorithm="x"></Transform><Transform '),
      'one canon',
    ],
    [
      'with a filter',
      (i) => i.replace('</Transform>', '<XPath>1</XPath></Transform>'),
      'no other part',
    ],
    [
      'with SHA-1',
      (i) => i.replace('2001/04/xmlenc#sha256', '2000/09/xmldsig#sha1'),
      'digests of SHA',
    ],
    ['with a MAC', (i) => i.replace('#rsa-sha256', '#hmac-sha256'), 'RSA with SHA-256'],
    [
      'with a longer digest',
      (i) => i.replace('<DigestValue>', '<DigestValue>AAAA'),
      'another digest',
    ],
  ])('%s, though its key signed that', async (_, change, words) => {
    const document = resigned(signedXml, own, change);
    await expect(openForged(document)).rejects.toMatchObject({
      code: 'package-signature-invalid',
      message: expect.stringContaining(words),
    });
  });

  test('but not for a comment, which is not signed and not given on', async () => {
    const document = signedXml.replace('Fils', 'Fi<!-- not signed -->ls');
    const { signed } = await openForged(document);
    expect(signed).toContain('Fils');
    expect(signed).not.toContain('not signed');
  });
});

describe('KeyInfo', () => {
  const [canonical, written] = [
    '<a:r xmlns:a="urn:a"><a:c>é</a:c><a:b></a:b></a:r>',
    '<a:r xmlns:a="urn:a" xmlns:unused="urn:u"><a:c>&#233;</a:c><a:b/></a:r>',
  ];

  test('may be signed beside Object, in the exclusive form', async () => {
    const document = signAsIrs(canonical, own, written);
    expect(await openForged(document)).toMatchObject({ form: 'exclusive', signed: canonical });
    const changed = document.replace('<ds:X509Data>', '<ds:X509Data> ');
    await expect(openForged(changed)).rejects.toThrow('KeyInfo: expected another digest');
  });
});
