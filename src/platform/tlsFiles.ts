/**
 * Checks the certificate and its key before anything listens. The two HTTP adapters would each fail
 * with a message of their own, one of them in a native module, and name no variable.
 */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Config, ConfigError, fileProblem } from './config.ts';

/** Throws ConfigError where they cannot be read, are no PEM, or do not belong together. */
export function checkTlsFiles(tls: Config['http']['tls']): void {
  if (tls === undefined) return;
  const problems: string[] = [];
  const certificate = read(tls.certFile, (pem) => new X509Certificate(pem));
  const key = read(tls.keyFile, (pem) => createPrivateKey(pem));
  if ('got' in certificate) {
    problems.push(`TLS_CERT_FILE: expected a certificate as PEM, got ${certificate.got}`);
  }
  if ('got' in key) {
    problems.push(`TLS_KEY_FILE: expected a private key as PEM, got ${key.got}`);
  }
  if ('value' in certificate && 'value' in key && !belongs(key.value, certificate.value)) {
    problems.push(
      `TLS_KEY_FILE: expected the key of TLS_CERT_FILE, got another one at ${tls.keyFile}`,
    );
  }
  if (problems.length > 0) throw new ConfigError(problems);
}

const belongs = (key: KeyObject, certificate: X509Certificate): boolean =>
  certificate.checkPrivateKey(key);

type Read<Value> = { readonly value: Value } | { readonly got: string };

function read<Value>(path: string, parse: (pem: Buffer) => Value): Read<Value> {
  let pem: Buffer;
  try {
    pem = readFileSync(path);
  } catch (error) {
    return { got: `${fileProblem(error)} at ${path}` };
  }
  try {
    return { value: parse(pem) };
  } catch {
    // OpenSSL's own message could quote the material, so it is not kept.
    return { got: `something else at ${path}` };
  }
}
