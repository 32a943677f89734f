/**
 * The token of a session: a JSON Web Token (RFC 7519) signed by Ed25519 (RFC 8037), of a type of
 * its own, so that no other token is taken for one. It is made of its record alone: a mail that is
 * tried again brings the same link. What counts is the record, which knows the token by its digest.
 */
import { chainKeys, type KeyRing } from '#core/audit';
import type { ChainId } from '#core/kernel';
import { type Signer, sha256Hex } from '#platform/crypto';
import { SESSION_MS } from './limits.ts';
import type { SessionRecord } from './tables.ts';

const TYPE = 'onboarding+jwt';
const AUDIENCE = 'onboarding';
const TOKEN_CHARS_MAX = 2_048;

/** What a session is before it has a token. */
export type SessionTerms = Omit<SessionRecord, 'tokenDigest'>;

const encoded = (value: object): string =>
  Buffer.from(JSON.stringify(value), 'utf8').toString('base64url');

/** The token of this session under this key, always the same. */
export function tokenOf(session: SessionTerms, issuer: string, signer: Signer): string {
  const issuedAt = Math.floor(session.createdAt / 1_000);
  const claims = {
    aud: AUDIENCE,
    case_id: session.caseId,
    exp: issuedAt + SESSION_MS / 1_000,
    form_id: session.formId,
    form_version_id: session.versionId,
    iat: issuedAt,
    iss: issuer,
    jti: session.sessionId,
    locale: session.locale,
    sub: session.sessionId,
    tenant_id: session.tenantId,
  };
  const text = `${encoded({ alg: 'EdDSA', kid: signer.keyId, typ: TYPE })}.${encoded(claims)}`;
  return `${text}.${Buffer.from(signer.sign(Buffer.from(text))).toString('base64url')}`;
}

/** All that is kept of a token. */
export const tokenDigest = (token: string): string => sha256Hex(`onboarding-token-v1\0${token}`);

/** Where the session of a token is looked for. */
export interface TokenPlace {
  readonly tenantId: string;
  readonly sessionId: string;
}

/** Whether the token says that it is one of a session. */
export const isSessionToken = (token: string): boolean => partsOf(token)?.header.typ === TYPE;

/** Whose it is; undefined where no key of the installation signed it as a token of a session. */
export function verifiedPlace(token: string, keyRing: KeyRing): TokenPlace | undefined {
  const parts = partsOf(token);
  if (parts === undefined) return undefined;
  const { claims, header, signature, text } = parts;
  const { sub: sessionId, tenant_id: tenantId } = claims;
  if (header.typ !== TYPE || header.alg !== 'EdDSA' || claims.aud !== AUDIENCE) return undefined;
  if (typeof sessionId !== 'string' || typeof tenantId !== 'string') return undefined;
  // A retired key is good for what it signed: the record says which token that was.
  const keys = chainKeys(keyRing, tenantId as ChainId);
  const key = keys.forCheckpoint(String(header.kid), 1);
  if (typeof key === 'string' || !key.verify(Buffer.from(text), signature)) return undefined;
  return { sessionId, tenantId };
}

interface TokenParts {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly signature: Buffer;
  readonly text: string;
}

function partsOf(token: string): TokenParts | undefined {
  if (token.length > TOKEN_CHARS_MAX) return undefined;
  const [head = '', body = '', tail = '', ...others] = token.split('.');
  const header = objectIn(head);
  const claims = objectIn(body);
  if (others.length > 0 || header === undefined || claims === undefined) return undefined;
  return { claims, header, signature: Buffer.from(tail, 'base64url'), text: `${head}.${body}` };
}

function objectIn(part: string): TokenParts['header'] | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as TokenParts['header']) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
