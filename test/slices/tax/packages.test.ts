/**
 * Packages for IDES: what we make is opened by the `openssl` program byte for byte, its signature
 * holds for xml-crypto and OpenSSL, and what was tampered with is refused (tax.md 4 and 6).
 */
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { IRS, readMetadata } from '#slices/tax';
import { rootOf, xmlCrypto } from '../../platform/xml/xmlCrypto.ts';
import { DSIG, type Forged, forgePackage, SECRET } from './forgedPackage.ts';
import {
  gathered,
  HCTA,
  NOW,
  opened,
  openWithOpenssl,
  type Party,
  packageOf,
  party,
  pieces,
  REPORT,
  SENDER,
  unzip,
  verifiesWithOpenssl,
} from './packageKit.ts';

const RUNS = Number(process.env.FUZZ_RUNS ?? 60);
/** Without the declaration and the white space around. */
const PAYLOAD = REPORT.slice(REPORT.indexOf('<ftc:')).trimEnd();

let own: Party;
let irs: Party;
let authority: Party;
let stranger: Party;
let made: { readonly name: string; readonly bytes: Buffer };
let signedXml: string;

beforeAll(async () => {
  [own, irs, authority, stranger] = [party('own'), party('irs'), party('hcta'), party('stranger')];
  made = await packageOf({
    approver: { certificate: authority.certificate, id: HCTA },
    receiver: { certificate: irs.certificate, id: IRS },
    signer: own,
  });
  signedXml = openWithOpenssl(made.bytes, IRS, irs.keyPem).toString();
});

const asIrs = () => ({ key: irs.key, trusted: [own.certificate] });

describe('a package', () => {
  test('has the names that IDES reads', () => {
    expect(made.name).toBe(`20260331T093000123Z_${SENDER}.zip`);
    expect([...unzip(made.bytes).keys()]).toEqual([
      `${SENDER}_Payload`,
      `${SENDER}_Metadata.xml`,
      `${IRS}_Key`,
      `${HCTA}_Key`,
    ]);
  });

  test('is opened by openssl for both receivers, and has the bytes of the report', () => {
    const object = signedXml.slice(signedXml.indexOf('<Object'), signedXml.indexOf('</Object>'));
    expect(object).toBe(`<Object Id="Report">${PAYLOAD}`);
    expect(openWithOpenssl(made.bytes, HCTA, authority.keyPem).toString()).toBe(signedXml);
  });

  test('has a signature that holds for openssl and for xml-crypto', () => {
    const info = /<SignedInfo>(.*)<\/SignedInfo>/s.exec(signedXml)?.[1] ?? '';
    const value = /<SignatureValue>([^<]*)</.exec(signedXml)?.[1] ?? '';
    const signed = `<SignedInfo xmlns="${DSIG}">${info}</SignedInfo>`;
    expect(verifiesWithOpenssl(signed, Buffer.from(value, 'base64'), own.certificate)).toBe(true);
    const checker = new xmlCrypto.SignedXml({ publicCert: own.certificatePem });
    checker.loadSignature(rootOf(signedXml));
    expect(checker.checkSignature(signedXml)).toBe(true);
  });

  test('has metadata of its kind', async () => {
    const metadata = unzip(made.bytes).get(`${SENDER}_Metadata.xml`) ?? Buffer.alloc(0);
    expect(readMetadata(metadata)).toEqual({
      createdAt: '2026-03-31T09:30:00.123Z',
      kind: 'RPT',
      originalTransmissionId: '',
      receiver: IRS,
      sender: SENDER,
      senderFileId: made.name,
      taxYear: '2025',
    });
  });

  test('is opened by us, too: the canonical form of what was signed', async () => {
    const { form, signed } = await opened(made.bytes, asIrs());
    expect(form).toBe('inclusive');
    expect(signed).toContain('<sfa:Warning></sfa:Warning>');
    expect(signed).toContain(`<sfa:Name nameType="OECD207">L'Étoile &amp; Fils</sfa:Name>\n`);
  });
});

describe('a report is refused that', () => {
  test.each<[string, string, string]>([
    ['has a threat', REPORT.replace('Fils', 'Fils -- x'), 'expected no --'],
    ['has a comment', REPORT.replace('Fils', '<!- x>'), 'expected no <!'],
    ['begins with a comment', REPORT.replace('\n', '<!-- a -->\n'), 'expected a root with nothing'],
    ['is in another encoding', REPORT.replace('UTF-8', 'ISO-8859-1'), 'the encoding UTF-8'],
    ['is none', '<a/>', 'expected the root FATCA_OECD'],
    ['is nothing', '', 'expected a root with nothing'],
    ['breaks off', REPORT.slice(0, -30), 'not well-formed'],
    ['has a wrong sender', REPORT.replace(SENDER, 'X'), 'SendingCompanyIN'],
    ['has no period', REPORT.replace('2025-12-31', ''), 'ReportingPeriod'],
    [
      'has elements of no namespace',
      REPORT.replace('<ftc:FATCA>', '<ftc:FATCA><x/>'),
      'a namespace',
    ],
    ['has a reference', REPORT.replace('Fils', '&#65;'), 'expected no &#'],
  ])('%s', async (_, report, words) => {
    const making = packageOf({
      receiver: { certificate: irs.certificate, id: IRS },
      report: () => pieces(report, 7),
      signer: own,
    });
    await expect(making).rejects.toMatchObject({
      code: 'package-report-invalid',
      message: expect.stringContaining(words),
    });
  });

  test('changes between its two readings', async () => {
    let readings = 0;
    const making = packageOf({
      receiver: { certificate: irs.certificate, id: IRS },
      report: () => pieces(readings++ === 0 ? REPORT : REPORT.replace('FATCA<', 'fatca<')),
      signer: own,
    });
    await expect(making).rejects.toThrow('changed while it was read');
  });

  test('goes to its own sender', async () => {
    const making = packageOf({
      receiver: { certificate: irs.certificate, id: SENDER },
      signer: own,
    });
    await expect(making).rejects.toThrow('different');
  });
});

describe('a certificate is refused', () => {
  const receiver = (of: Party) => ({ certificate: of.certificate, id: IRS });

  test('after its time, and where the key is not its own', async () => {
    const old = party('old', { until: new Date(NOW) });
    await expect(packageOf({ receiver: receiver(old), signer: own })).rejects.toMatchObject({
      code: 'certificate-expired',
    });
    await expect(packageOf({ receiver: receiver(irs), signer: old })).rejects.toMatchObject({
      code: 'certificate-expired',
    });
    const mixed = { certificate: own.certificate, key: irs.key };
    await expect(packageOf({ receiver: receiver(irs), signer: mixed })).rejects.toMatchObject({
      code: 'certificate-invalid',
    });
  });
});

const forged = (given: Partial<Forged>): Promise<Buffer> =>
  forgePackage({ document: signedXml, to: irs, ...given });

describe('a package is refused', () => {
  const [payload, metadata, key] = [`${SENDER}_Payload`, `${SENDER}_Metadata.xml`, `${IRS}_Key`];
  test.each<[string, () => Promise<Buffer>, string]>([
    ['that is no archive', async () => Buffer.from('PK'), 'package-unreadable'],
    ['that breaks off', async () => made.bytes.subarray(0, -9), 'package-unreadable'],
    [
      'with a file more',
      () => forged({ outer: (f) => ({ ...f, 'a.txt': 'b' }) }),
      'package-unreadable',
    ],
    [
      'with a path',
      () => forged({ outer: ({ [payload]: p = '', ...f }) => ({ ...f, [`../${payload}`]: p }) }),
      'package-unreadable',
    ],
    [
      'in other letters',
      () => forged({ outer: ({ [key]: k = '', ...f }) => ({ ...f, [key.toLowerCase()]: k }) }),
      'package-unreadable',
    ],
    [
      'without metadata',
      () => forged({ outer: ({ [metadata]: _, ...f }) => f }),
      'package-unreadable',
    ],
    ['without a key', () => forged({ outer: ({ [key]: _, ...f }) => f }), 'package-unreadable'],
    [
      'with two payloads',
      () => forged({ outer: (f) => ({ ...f, [`${HCTA}_Payload`]: 'x' }) }),
      'package-unreadable',
    ],
    [
      "with another sender's metadata",
      () =>
        forged({ outer: (f) => ({ ...f, [metadata]: String(f[metadata]).replace(SENDER, HCTA) }) }),
      'package-unreadable',
    ],
    [
      'with metadata of nothing',
      () => forged({ outer: (f) => ({ ...f, [metadata]: '<a/>' }) }),
      'package-unreadable',
    ],
    [
      'for somebody else',
      () => forged({ outer: ({ [key]: k = '', ...f }) => ({ ...f, [`${HCTA}_Key`]: k }) }),
      'package-unreadable',
    ],
    [
      'with a key of 32 bytes',
      () => forged({ secret: SECRET.subarray(0, 32) }),
      'package-undecryptable',
    ],
    ['under another key', () => forged({ secret: Buffer.alloc(48, 7) }), 'package-undecryptable'],
    ['in ECB', () => forged({ cipher: 'aes-256-ecb' }), 'package-undecryptable'],
    [
      'with a short key file',
      () => forged({ outer: (f) => ({ ...f, [key]: Buffer.from(f[key] ?? '').subarray(1) }) }),
      'package-undecryptable',
    ],
    [
      'whose payload lacks a block',
      () =>
        forged({
          outer: (f) => ({ ...f, [payload]: Buffer.from(f[payload] ?? '').subarray(0, -16) }),
        }),
      'package-undecryptable',
    ],
    [
      'whose payload lacks a byte',
      () =>
        forged({
          outer: (f) => ({ ...f, [payload]: Buffer.from(f[payload] ?? '').subarray(0, -1) }),
        }),
      'package-undecryptable',
    ],
    [
      'without a payload',
      () => forged({ outer: (f) => ({ ...f, [payload]: '' }) }),
      'package-undecryptable',
    ],
    [
      'of two documents',
      () => forged({ inner: { [`${SENDER}_Payload.xml`]: signedXml, 'b.xml': 'b' } }),
      'package-undecryptable',
    ],
    [
      'whose document climbs',
      () => forged({ inner: { [`../${SENDER}_Payload.xml`]: signedXml } }),
      'package-undecryptable',
    ],
    ['of no document', () => forged({ inner: {} }), 'package-undecryptable'],
  ])('%s', async (_, make, code) => {
    await expect(opened(await make(), asIrs())).rejects.toMatchObject({ code });
  });

  test('by who has another key, and by who trusts another', async () => {
    const { key, trusted } = asIrs();
    await expect(opened(made.bytes, { key: stranger.key, trusted })).rejects.toMatchObject({
      code: 'package-undecryptable',
    });
    const others = [stranger.certificate, irs.certificate];
    await expect(opened(made.bytes, { key, trusted: others })).rejects.toMatchObject({
      code: 'package-signature-invalid',
    });
  });

  test('or says what was signed, whatever bit is turned', async () => {
    const { signed } = await opened(made.bytes, asIrs());
    const place = fc.tuple(
      fc.integer({ max: made.bytes.length - 1, min: 0 }),
      fc.integer({ max: 7, min: 0 }),
    );
    await fc.assert(
      fc.asyncProperty(place, async ([at, bit]) => {
        const turned = Buffer.from(made.bytes);
        turned[at] = (turned[at] ?? 0) ^ (1 << bit);
        const found = await opened(turned, asIrs()).catch((error: { readonly code?: string }) => {
          expect(error.code, String(error)).toMatch(/^package-/);
          return undefined;
        });
        if (found !== undefined) expect(found.signed).toBe(signed);
      }),
      { numRuns: RUNS },
    );
  });
});

test('a report of megabytes is packaged in pieces', async () => {
  const record = '<ftc:R><sfa:Name>Personne &amp; Cie</sfa:Name></ftc:R>\n'.repeat(1_000);
  const [head = '', tail = ''] = REPORT.split('<ftc:FATCA>');
  const parts = [head, '<ftc:FATCA>', ...Array.from({ length: 10 }, () => record), tail];
  const report = parts.join('');
  const { bytes } = await packageOf({
    receiver: { certificate: irs.certificate, id: IRS },
    report: () => pieces(report, 65_536),
    signer: own,
  });
  const { signed } = await opened(bytes, asIrs());
  expect(signed.split('<ftc:R>')).toHaveLength(10_001);
  expect((await gathered(pieces(signed))).length).toBeGreaterThan(500_000);
});
