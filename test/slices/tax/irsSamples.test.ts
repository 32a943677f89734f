/**
 * What the IRS publishes: a report that its own packager packaged and signed, and a notification,
 * opened with the keys of its tests (TEST_DATA_DIR).
 */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { validateXML } from 'xmllint-wasm';
import { sha256Hex } from '#platform/crypto';
import { checkEnvelope, IRS, readReport } from '#slices/tax';
import { readKeyStore } from './javaKeyStore.ts';
import { opened, openWithOpenssl, packageOf, pieces, unzip } from './packageKit.ts';

const directory = process.env.TEST_DATA_DIR;
if (directory === undefined) console.warn('SKIPPED: samples of the IRS (TEST_DATA_DIR is not set)');
/** Of the canonical form of its report. */
const SIGNED_SHA256 = '513fbfe2d7c72d41216b4ba5d02e66f8a8cf33ecab59b9094003aa958c4fc184';
const read = (name: string): Buffer => readFileSync(join(directory ?? '', 'tax/irs_ides', name));
const keysOf = (country: string, password: string) =>
  readKeyStore(read(`test_keys/KSprivate${country}.jks`), password);

const METADATA_XSD =
  'tax/ides_metadata/SenderMetadata__FATCA IDES SENDER FILE METADATA XML LIBRARY__FATCA-IDES-' +
  'SenderFileMetadata-1.1.xsd';

/** What xmllint finds wrong. */
async function refusals(xml: string, schema: string): Promise<readonly string[]> {
  const { errors } = await validateXML({
    schema: [{ contents: schema, fileName: 'x.xsd' }],
    xml: [{ contents: xml, fileName: 'x.xml' }],
  });
  return errors.map(({ rawMessage }) => rawMessage);
}

describe.skipIf(directory === undefined)('the sample report', () => {
  test('is opened by the IRS and by the authority that approves it', async () => {
    const [canada, irs, mexico] = [
      keysOf('CA', 'CAN2014'),
      keysOf('US', 'password'),
      keysOf('MX', 'MEX2014'),
    ];
    const zip = read('Sample_000000.00000.TA.124.zip');
    for (const { key } of [irs, mexico]) {
      const { form, metadata, signed } = await opened(zip, { key, trusted: [canada.certificate] });
      expect(form).toBe('inclusive');
      expect(metadata).toMatchObject({
        createdAt: '20170518120101782',
        kind: 'RPT',
        taxYear: '2016',
      });
      expect(signed.match(/<ns2:AccountReport>/g)).toHaveLength(166);
      expect(sha256Hex(signed)).toBe(SIGNED_SHA256);
    }
    await expect(opened(zip, { key: canada.key, trusted: [] })).rejects.toMatchObject({
      code: 'package-undecryptable',
    });
  });

  test('has the digest that the packager of the IRS took of it', async () => {
    const report = () => pieces(read('Sample.000000.00000.TA.124_Payload.xml'), 60_000);
    const { digest, sender, taxYear } = await readReport(
      report,
      'RefId-fbd59ebb442740b7a8e6cc63871b6cd1',
    );
    const signed = read('Sample.000000.00000.TA.124_Payload.signed.xml').toString();
    expect([sender, taxYear]).toEqual(['000000.00000.TA.124', 2016]);
    expect(signed).toContain(`<DigestValue>${digest.toString('base64')}</DigestValue>`);
  });

  test('is packaged by us, and opened by openssl with the key of the IRS', async () => {
    const [canada, irs] = [keysOf('CA', 'CAN2014'), keysOf('US', 'password')];
    const report = read('Sample.000000.00000.TA.124_Payload.xml');
    const { bytes } = await packageOf({
      receiver: { certificate: irs.certificate, id: IRS },
      report: () => pieces(report, 60_000),
      signer: canada,
    });
    const key = irs.key.export({ format: 'pem', type: 'pkcs8' }).toString();
    const document = openWithOpenssl(bytes, IRS, key).toString();
    const body = report.toString().slice(report.indexOf('<ns2:FATCA_OECD')).trimEnd();
    expect(document).toContain(`<Object Id="Report">${body}</Object>`);
  });

  test('is packaged by us with metadata and a signature of their schemas', async () => {
    const [canada, irs] = [keysOf('CA', 'CAN2014'), keysOf('US', 'password')];
    const report = read('Sample.000000.00000.TA.124_Payload.xml');
    const { bytes } = await packageOf({
      receiver: { certificate: irs.certificate, id: IRS },
      report: () => pieces(report, 60_000),
      signer: canada,
    });
    const metadata = unzip(bytes).get('000000.00000.TA.124_Metadata.xml')?.toString() ?? '';
    expect(
      await refusals(metadata, readFileSync(join(directory ?? '', METADATA_XSD), 'utf8')),
    ).toEqual([]);
    const key = irs.key.export({ format: 'pem', type: 'pkcs8' }).toString();
    const document = openWithOpenssl(bytes, IRS, key).toString();
    const schema = read('Schema__digitalSignature.xsd').toString();
    const empty = document.replace(/(<Object [^>]*>).*(<[/]Object>)/s, '$1$2');
    expect(await refusals(empty, schema)).toEqual([]);
  });

  test('and so are certificates that the IRS publishes', () => {
    for (const country of ['124', '484', '840']) {
      const file = `test_keys/000000.00000.TA.${country}.crt`;
      expect(new X509Certificate(read(file)).publicKey.asymmetricKeyDetails?.modulusLength).toBe(
        2048,
      );
    }
  });
});

describe.skipIf(directory === undefined)('the sample notification', () => {
  test('is exclusive, under a prefix, and signs KeyInfo too', async () => {
    const canada = keysOf('CA', 'CAN2014');
    const zip = read('SampleNotification_840FX44u+n_IsjiyF9CqaVRbCcCIswIX.zip');
    const key = canada.key.export({ format: 'pem', type: 'pkcs8' }).toString();
    const document = openWithOpenssl(zip, '2IW3WK.00000.LE.152', key).toString();
    const raw = /<ds:X509Certificate>([^<]*)/.exec(document)?.[1] ?? '';
    const signer = new X509Certificate(Buffer.from(raw, 'base64'));
    const { form, metadata, signed } = await opened(zip, { key: canada.key, trusted: [signer] });
    expect(form).toBe('exclusive');
    expect(metadata).toMatchObject({
      kind: 'NTF',
      originalTransmissionId: '152F+84k1YOeIAIRbt5BPPjkj7BlgoUX',
      sender: IRS,
    });
    expect(signed).toContain('<FATCANotificationCd>NDC</FATCANotificationCd>');
    await expect(
      checkEnvelope(pieces(document.replace('NDC', 'NVF')), {
        onSigned: () => undefined,
        trusted: [signer],
      }),
    ).rejects.toThrow('Object: expected another digest');
  });
});
