/** Failures between a publisher and us, in words: codes of Node, of undici and of zlib. */
import { errors } from 'undici';
import { AddressRefused } from '#platform/outbound/outboundGuard';
import { ProxyFailure } from '#platform/outbound/proxiedConnector';
import { isPassingStatus } from './retry.ts';

const WORDS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is of nobody whom we trust',
  EAI_AGAIN: 'its name cannot be looked up now',
  ECONNREFUSED: 'nobody listens there',
  ECONNRESET: 'the connection broke',
  EHOSTUNREACH: 'no way leads there',
  ENETUNREACH: 'no way leads there',
  ENOTFOUND: 'there is no host of that name',
  EPIPE: 'the connection broke',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is of another host',
  ETIMEDOUT: 'no connection in time',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is of nobody whom we trust',
  UNABLE_TO_GET_ISSUER_CERT: 'its certificate is of nobody whom we trust',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is of nobody whom we trust',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is of nobody whom we trust',
  UND_ERR_BODY_TIMEOUT: 'nothing more of the file came',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  UND_ERR_HEADERS_TIMEOUT: 'no answer in time',
  UND_ERR_SOCKET: 'the connection broke',
  Z_BUF_ERROR: 'the packed file breaks off',
  Z_DATA_ERROR: 'the packed file is damaged',
};
/** A server whose certificate is not trusted has the same one next time. */
const CERTIFICATE = /^(ERR_TLS|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/;

const THE_PROXY = 'the proxy (FETCH_PROXY_URL)';

/** Who broke it, and whether another attempt may help. */
export function failureOf(error: unknown): { words: string; isWorthRetrying: boolean } {
  if (error instanceof ProxyFailure) {
    const { cause, statusCode } = error;
    if (statusCode === undefined) {
      const { isWorthRetrying, words } = failureOf(cause);
      return { isWorthRetrying, words: `${THE_PROXY} does not answer: ${words}` };
    }
    const isWorthRetrying = isPassingStatus(statusCode);
    return { isWorthRetrying, words: `${THE_PROXY} answers HTTP ${statusCode}` };
  }
  if (error instanceof AddressRefused) return { isWorthRetrying: false, words: error.message };
  const code = codeOf(error);
  // A server that does not answer in HTTP, or has a foreign certificate, does the same next time.
  const isFinal = error instanceof errors.HTTPParserError || CERTIFICATE.test(code);
  return { isWorthRetrying: !isFinal, words: wordsOf(code) };
}

export function codeOf(error: unknown): string {
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

/** The words with the code, since people search for the code. */
function wordsOf(code: string): string {
  const words = Object.hasOwn(WORDS, code) ? WORDS[code] : undefined;
  return words === undefined ? code : `${words} (${code})`;
}
