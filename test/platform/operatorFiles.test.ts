/** Files that variables name: what is wrong with them is told by the variable, in one sentence. */
import { execFileSync, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ConfigError } from '#platform/config';
import { generatePrivateKeyPem } from '#platform/crypto';
import { ensureSigner } from '#platform/signingKey';
import { checkTlsFiles } from '#platform/tlsFiles';

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
if (!hasOpenssl) console.warn('SKIPPED: TLS files: no openssl to make a certificate with');

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'operator-files-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

function problemsOf(act: () => unknown): readonly string[] {
  try {
    act();
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('AUDIT_SIGNING_KEY_FILE', () => {
  const signer = (path: string) => () =>
    ensureSigner({ defaultFile: join(folder, 'default.pem'), file: path });
  const expected =
    'AUDIT_SIGNING_KEY_FILE: expected an Ed25519 private key as PKCS#8 PEM or base64 seed, got';

  test('that is not there, is a folder or is no key', () => {
    const absent = join(folder, 'absent.pem');
    expect(problemsOf(signer(absent))).toEqual([`${expected} ENOENT at ${absent}`]);
    expect(problemsOf(signer(folder))).toEqual([`${expected} EISDIR at ${folder}`]);
    const noKey = file('no-key.pem', 'secret');
    expect(problemsOf(signer(noKey))).toEqual([`${expected} something else at ${noKey}`]);
    expect(readdirSync(folder)).toEqual(['no-key.pem']);
  });

  test('that is one is taken', () => {
    const path = file('key.pem', generatePrivateKeyPem());
    expect(signer(path)().keyId).toMatch(/^[\w-]{43}$/);
  });
});

test('the key that is made leaves no draft, and an old one of a crash goes', () => {
  const old = file('audit.pem.123.new', 'half a key');
  const young = file('audit.pem.456.new', 'being written');
  utimesSync(old, 1, 1);
  const defaultFile = join(folder, 'audit.pem');
  const made = ensureSigner({ defaultFile });
  expect(ensureSigner({ defaultFile }).keyId).toBe(made.keyId);
  expect(readdirSync(folder).sort()).toEqual(['audit.pem', young.slice(folder.length + 1)]);
});

describe.skipIf(!hasOpenssl)('TLS_CERT_FILE and TLS_KEY_FILE', () => {
  function makeCertificate(): { cert: string; key: string } {
    const made = { cert: join(folder, 'cert.pem'), key: join(folder, 'cert-key.pem') };
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
    const files = ['-keyout', made.key, '-out', made.cert];
    execFileSync('openssl', ['req', '-x509', ...key, '-subj', '/CN=localhost', ...files], {
      stdio: 'ignore',
    });
    return made;
  }

  const check = (certFile: string, keyFile: string) =>
    problemsOf(() => checkTlsFiles({ certFile, keyFile }));

  test('that belong together pass, and none at all', () => {
    const { cert, key } = makeCertificate();
    expect(check(cert, key)).toEqual([]);
    expect(problemsOf(() => checkTlsFiles(undefined))).toEqual([]);
  });

  test('are both named where both are wrong', () => {
    const [absent, noKey] = [join(folder, 'absent'), file('key', 'no PEM')];
    expect(check(absent, noKey)).toEqual([
      `TLS_CERT_FILE: expected a certificate as PEM, got ENOENT at ${absent}`,
      `TLS_KEY_FILE: expected a private key as PEM, got something else at ${noKey}`,
    ]);
  });

  test('that do not belong together', () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    const other = file('key', privateKey.export({ format: 'pem', type: 'pkcs8' }) as string);
    expect(check(makeCertificate().cert, other)).toEqual([
      `TLS_KEY_FILE: expected the key of TLS_CERT_FILE, got another one at ${other}`,
    ]);
  });
});
