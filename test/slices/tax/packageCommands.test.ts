/** `tax package` and `tax verify` at the command line, with keys and certificates in files. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { IRS } from '#slices/tax';
import { HCTA, openWithOpenssl, type Party, party, REPORT, SENDER } from './packageKit.ts';
import { runTax as run } from './taxCommandLine.ts';

let folder: string;
let own: Party;
let irs: Party;
let hcta: Party;
const at = (name: string): string => join(folder, name);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tax-package-'));
  [own, irs, hcta] = [party('own'), party('irs'), party('hcta')];
  for (const [name, of] of Object.entries({ hcta, irs, own })) {
    writeFileSync(at(`${name}.pem`), of.keyPem);
    writeFileSync(at(`${name}.crt`), of.certificatePem);
    writeFileSync(at(`${name}.der`), of.certificate.raw);
  }
  writeFileSync(at('report.xml'), REPORT);
});
afterAll(() => rmSync(folder, { recursive: true }));

const given = (change: Record<string, string> = {}): string[] =>
  Object.entries({
    certificate: at('own.crt'),
    key: at('own.pem'),
    out: folder,
    'receiver-certificate': at('irs.der'),
    xml: at('report.xml'),
    ...change,
  }).flatMap(([name, value]) => [`--${name}`, value]);

describe('tax package', () => {
  test('writes a package that both receivers open, and tax verify checks', async () => {
    const approver = { approver: HCTA, 'approver-certificate': at('hcta.crt') };
    const made = await run('tax', 'package', ...given(approver), '--json');
    expect(made).toMatchObject({ code: 0, err: '' });
    const said = JSON.parse(made.out) as { readonly file: string; readonly sha256: string };
    expect(said).toMatchObject({
      sender: SENDER,
      sender_file_id: `20260331T093000123Z_${SENDER}.zip`,
      tax_year: 2025,
    });
    const zip = readFileSync(said.file);
    for (const [id, { keyPem }] of [[IRS, irs] as const, [HCTA, hcta] as const]) {
      expect(openWithOpenssl(zip, id, keyPem).toString()).toContain('L&apos;Étoile');
    }
    const checking = ['tax', 'verify', '--key', at('irs.pem'), '--certificate', at('own.crt')];
    const checked = await run(...checking, '--out', at('signed.xml'), said.file);
    expect(checked).toMatchObject({ code: 0, err: '' });
    expect(readFileSync(at('signed.xml'), 'utf8')).toMatch(
      /^<ftc:FATCA_OECD .*<\/ftc:FATCA_OECD>$/s,
    );
    rmSync(said.file);
  });

  test.each<[string, Record<string, string>, string]>([
    ['a key of somebody else', { key: 'irs.pem' }, 'expected the one of the signing certificate'],
    ['a key that is none', { key: 'own.crt' }, 'expected an RSA private key'],
    [
      'a certificate that is none',
      { certificate: 'own.pem' },
      'expected a certificate in PEM or DER',
    ],
    ['a report that is none', { xml: 'own.crt' }, 'expected a root'],
  ])('refuses %s', async (_, change, words) => {
    const changed = Object.entries(change).map(([name, file]) => [name, at(file)]);
    const { code, err } = await run('tax', 'package', ...given(Object.fromEntries(changed)));
    expect([code, err]).toEqual([4, expect.stringContaining(words)]);
    expect(readdirSync(folder).filter((name) => name.endsWith('.zip'))).toEqual([]);
  });

  test('wants an approver with its certificate', async () => {
    const { code, err } = await run('tax', 'package', ...given({ approver: HCTA }));
    expect([code, err]).toEqual([2, expect.stringContaining('belong together')]);
  });
});

describe('tax verify', () => {
  test('ends with 1, says why, and writes nothing', async () => {
    await run('tax', 'package', ...given());
    const file = at(`20260331T093000123Z_${SENDER}.zip`);
    const check = (key: string, certificate: string) =>
      run(
        ...['tax', 'verify', '--key', at(key), '--certificate', at(certificate)],
        ...['--out', at('nothing.xml'), file, '--json'],
      );
    const stranger = await check('irs.pem', 'hcta.crt');
    expect([stranger.code, JSON.parse(stranger.out).code]).toEqual([
      1,
      'package-signature-invalid',
    ]);
    const other = await check('hcta.pem', 'own.crt');
    expect([other.code, JSON.parse(other.out).code]).toEqual([1, 'package-undecryptable']);
    writeFileSync(file, 'PK');
    const none = await check('irs.pem', 'own.crt');
    expect([none.code, JSON.parse(none.out).code]).toEqual([1, 'package-unreadable']);
    expect(readdirSync(folder)).not.toContain('nothing.xml');
  });
});
