/**
 * Notifications of the IRS: every code of a file and of a record, by its schema, signed and
 * encrypted as the IRS does it; and what is none (tax.md 5.1 and 5.2).
 */
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { validateXML } from 'xmllint-wasm';
import { FILE_CODES, IRS, RECORD_CODES, readNotification } from '#slices/tax';
import { forgePackage, signAsIrs } from './forgedPackage.ts';
import { readKeyStore } from './javaKeyStore.ts';
import { fileError, SENDER_FILE, validFile } from './notificationKit.ts';
import { openWithOpenssl, type Party, party, REPORT, SENDER } from './packageKit.ts';
import { runTax } from './taxCommandLine.ts';

const directory = process.env.TEST_DATA_DIR;
if (directory === undefined) console.warn('SKIPPED: the IRS on notifications (no TEST_DATA_DIR)');

const REJECTED = {
  content: ['NTD', 'NVS'],
  environment: ['NTP', 'NPT'],
  message: ['NSV', 'NMR', 'NDM'],
  transport: ['NDW', 'NDC', 'NDP', 'NSC', 'NKS', 'NCF', 'NDF', 'NIF'],
} as const;

describe('a code of a file', () => {
  test.each(
    Object.entries(REJECTED).flatMap(([cause, codes]) => codes.map((code) => [code, cause])),
  )('%s rejects by %s', (code = '', cause) => {
    const found = readNotification(fileError(code));
    expect(found.effect).toMatchObject({ cause, status: 'rejected' });
    expect(found).toMatchObject({ code, recordErrors: [], senderFileId: SENDER_FILE });
  });

  test('is one of nineteen', () => {
    const rejecting = Object.values(REJECTED).flat();
    expect(Object.keys(FILE_CODES).toSorted()).toEqual(
      [...rejecting, 'NVF', 'NPP', 'NPA', 'NPN'].toSorted(),
    );
  });

  test.skipIf(directory === undefined)('and of a record are those of the schema 2.4', () => {
    const schema = readFileSync(
      `${directory}/tax/fatca_notification_xsd_v2.4/BASE-FATCA-NOTIFICATION-2.4.xsd`,
      'utf8',
    );
    const codesOf = (form: RegExp): string[] =>
      [...schema.matchAll(form)].map(([, code = '']) => code).toSorted();
    expect(codesOf(/enumeration value="(80[0-9]{2})"/g)).toEqual(Object.keys(RECORD_CODES));
    expect(codesOf(/enumeration value="(N[A-Z]{2})"/g).filter((code) => code !== 'NEW')).toEqual(
      Object.keys(FILE_CODES).toSorted(),
    );
  });

  test.each([
    ['NEW', { outcome: 'clean', status: 'accepted' }],
    ['REV', { outcome: 'clean', status: 'accepted' }],
    ['DUP', { because: 'a duplicate file', status: 'unchanged' }],
    ['UNK', { because: 'a type of file not known', status: 'needs_review' }],
  ])('NVF of a file that is %s', (fileType, effect) => {
    const found = readNotification(validFile({ fileType }));
    expect(found.effect).toEqual(effect);
    expect(found).toMatchObject({
      counts: { FinancialInstitutionCnt: 1, RecordCnt: 166 },
      messageRefId: `${SENDER}.2025.1`,
      sender: IRS,
    });
  });

  test.each<[string, string]>([
    ['a code that nobody knows', fileError('NXX')],
    ['a valid file that says it was rejected', validFile({ code: 'NDC' })],
    ['a rejection that says it is valid', fileError('NVF')],
    ['a code of paper in the form of a file', fileError('NPP')],
    ['a record with an unknown code', validFile({ groups: [[{ code: '9999', docRefId: 'd' }]] })],
  ])('%s is looked at by somebody', (_, xml) => {
    expect(readNotification(xml).effect.status).toBe('needs_review');
  });
});

describe('a code of a record', () => {
  const codes = Object.keys(RECORD_CODES);

  test('is one of twenty-one, and is told of its record', () => {
    expect(codes).toEqual(Array.from({ length: 21 }, (_, index) => String(8001 + index)));
    const faults = codes.map((code) => ({
      code,
      docRefId: `${SENDER}.${code}`,
      fields: ['TIN', 'Name'],
    }));
    const found = readNotification(validFile({ groups: [faults.slice(0, 10), faults.slice(10)] }));
    expect(found.effect).toEqual({ outcome: 'record_errors', status: 'accepted' });
    expect(found.recordErrors.map(({ code, docRefId }) => [code, docRefId])).toEqual(
      faults.map(({ code, docRefId }) => [code, docRefId]),
    );
    expect(found.recordErrors[11]).toEqual({
      code: '8012',
      docRefId: `${SENDER}.8012`,
      docType: 'FATCA1',
      fields: ['TIN', 'Name'].map((name) => ({ code: '', name, text: 'Wrong.' })),
      meaning: 'account report: amendment without matching original',
      pointer: '/FATCARecordErrorFIGrp/1/FATCARecordErrorDetailGrp/1',
      reportType: 'ACCOUNT_REPORT',
      reportingFi: SENDER,
    });
  });
});

describe('what is no notification', () => {
  const whole = fileError('NDC');
  test.each<[string, string, string]>([
    ['a report', REPORT.slice(REPORT.indexOf('<ftc')), 'expected one of'],
    ['another namespace', whole.replace('fatcafileerrornotification', 'x'), 'expected one of'],
    [
      'one without a code',
      whole.replace(/<FATCANotificationCd>.*?<.FATCANotificationCd>/, ''),
      'Cd',
    ],
    [
      'one with two codes',
      whole.replace('<FATCANotificationCd>', '<FATCANotificationCd>NVF</FATCANotificationCd>$&'),
      'one FATCAN',
    ],
    ['one of no file', whole.replace(/<SenderFileId>[^<]*/, '<SenderFileId>'), 'SenderFileId'],
    ['a code of signs', fileError('__proto__'), 'letters and digits'],
    ['a count of letters', validFile().replace('>166<', '>many<'), 'RecordCnt'],
    [
      'a record without an id',
      validFile({ groups: [[{ code: '8001', docRefId: '' }]] }),
      'a DocRefId',
    ],
    ['nothing', '', 'well-formed'],
  ])('%s is refused', (_, xml, words) => {
    expect(() => readNotification(xml)).toThrow(words);
  });
});

describe('tax notification read', () => {
  let folder: string;
  let own: Party;
  let irs: Party;
  const at = (name: string): string => join(folder, name);

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'tax-notification-'));
    [own, irs] = [party('own'), party('irs')];
    writeFileSync(at('own.pem'), own.keyPem);
    writeFileSync(at('own.crt'), own.certificatePem);
    writeFileSync(at('irs.crt'), irs.certificatePem);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const read = async (document: string, certificate = 'irs.crt', kind = 'NTF') => {
    const zip = await forgePackage({
      document,
      metadata: (xml) => xml.replace('RPT', kind),
      receiver: SENDER,
      sender: IRS,
      to: own,
    });
    writeFileSync(at('n.zip'), zip);
    const files = ['--key', at('own.pem'), '--certificate', at(certificate)];
    return runTax('tax', 'notification', 'read', ...files, at('n.zip'), '--json');
  };

  test('says what follows', async () => {
    const { code, err, out } = await read(signAsIrs(fileError('NTP'), irs));
    expect([code, err]).toEqual([0, '']);
    expect(JSON.parse(out)).toMatchObject({
      cause: 'environment',
      code: 'NTP',
      next_step: 'stop: test and production were mixed up',
      sender_file_id: SENDER_FILE,
      status: 'rejected',
    });
  });

  test('refuses what the IRS did not sign, and what is no notification', async () => {
    const signed = signAsIrs(fileError('NDC'), irs);
    const changed = signed.replace('>NDC<', '>NVF<');
    expect((await read(changed)).err).toContain('Object: expected another digest');
    expect((await read(signAsIrs(validFile(), own))).err).toContain('KeyInfo: expected');
    expect((await read(signed, 'own.crt')).err).toContain('KeyInfo: expected');
    expect((await read(signed, 'irs.crt', 'RPT')).err).toContain('a package of NTF');
  });

  test.skipIf(directory === undefined)('rejects by the sample of the IRS', async () => {
    const read = (name: string) => readFileSync(join(directory ?? '', 'tax/irs_ides', name));
    const canada = readKeyStore(read('test_keys/KSprivateCA.jks'), 'CAN2014');
    const sample = read('SampleNotification_840FX44u+n_IsjiyF9CqaVRbCcCIswIX.zip');
    const keyPem = canada.key.export({ format: 'pem', type: 'pkcs8' }).toString();
    const document = openWithOpenssl(sample, '2IW3WK.00000.LE.152', keyPem).toString();
    const raw = /<ds:X509Certificate>([^<]*)/.exec(document)?.[1] ?? '';
    const signer = new X509Certificate(Buffer.from(raw, 'base64'));
    writeFileSync(at('canada.pem'), keyPem);
    writeFileSync(at('signer.der'), signer.raw);
    writeFileSync(at('sample.zip'), sample);
    const files = ['--key', at('canada.pem'), '--certificate', at('signer.der'), at('sample.zip')];
    const { code, out } = await runTax('tax', 'notification', 'read', ...files, '--json');
    expect([code, JSON.parse(out)]).toEqual([
      0,
      expect.objectContaining({
        cause: 'transport',
        code: 'NDC',
        ides_transmission_id: '152F+84k1YOeIAIRbt5BPPjkj7BlgoUX',
        sender_file_id: '20161123T123846885Z_2IW3WK.00000.LE.152.zip',
        status: 'rejected',
      }),
    ]);
  });
});

describe.skipIf(directory === undefined)('what we take for notifications', () => {
  test('is valid by the schema of the IRS', async () => {
    const folder = join(directory ?? '', 'tax/fatca_notification_xsd_v2.4');
    const schema = (name: string) => ({
      contents: readFileSync(join(folder, name), 'utf8'),
      fileName: name,
    });
    const base = [schema('BASE-FATCA-NOTIFICATION-2.4.xsd')];
    const errors = async (name: string, xmls: readonly string[]) => {
      const found = await validateXML({
        preload: base,
        schema: [schema(name)],
        xml: xmls.map((contents, place) => ({ contents, fileName: `${place}.xml` })),
      });
      return found.errors.map(({ rawMessage }) => rawMessage);
    };
    const rejecting = Object.values(REJECTED)
      .flat()
      .map((code) => fileError(code));
    expect(await errors('FATCA-FILE-ERROR-NOTIFICATION-2.4.xsd', rejecting)).toEqual([]);
    const groups = [
      Object.keys(RECORD_CODES).map((code) => ({ code, docRefId: 'd', fields: ['TIN'] })),
    ];
    const valid = [validFile(), validFile({ groups })];
    expect(await errors('FATCA-VALID-FILE-NOTIFICATION-2.4.xsd', valid)).toEqual([]);
  });
});
