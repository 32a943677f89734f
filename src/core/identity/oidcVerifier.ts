/**
 * Tokens of persons, verified by a library that the first of them loads: most processes never see
 * one, and it is a third of what the command line would load for its help.
 */
import type {
  createIdTokenVerifier as createIdVerifier,
  createOidcVerifier as createVerifier,
  IdTokenVerifier,
  OidcVerifier,
} from './oidc.ts';

export type { IdTokenVerifier, OidcVerifier, SignInTold, TokenIdentity } from './oidc.ts';

/** As `createOidcVerifier` of oidc.ts, which is loaded with the first token. */
export function createOidcVerifier(options: Parameters<typeof createVerifier>[0]): OidcVerifier {
  let opening: Promise<OidcVerifier> | undefined;
  const open = async (): Promise<OidcVerifier> =>
    (await import('./oidc.ts')).createOidcVerifier(options);
  return {
    async verify(token) {
      opening ??= open();
      return (await opening).verify(token);
    },
  };
}

/** As `createIdTokenVerifier` of oidc.ts, which is loaded with the first token. */
export function createIdTokenVerifier(
  options: Parameters<typeof createIdVerifier>[0],
): IdTokenVerifier {
  let opening: Promise<IdTokenVerifier> | undefined;
  const open = async (): Promise<IdTokenVerifier> =>
    (await import('./oidc.ts')).createIdTokenVerifier(options);
  return {
    async verify(token, nonce) {
      opening ??= open();
      return (await opening).verify(token, nonce);
    },
  };
}

/** As `discoverAddress` of jwks.ts, which is loaded with the first question. */
export const issuerAddress = async (
  ...ask: Parameters<typeof import('./jwks.ts').discoverAddress>
): Promise<string> => (await import('./jwks.ts')).discoverAddress(...ask);
