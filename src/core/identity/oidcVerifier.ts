/**
 * Tokens of persons, verified by a library that the first of them loads: most processes never see
 * one, and it is a third of what the command line would load for its help.
 */
import type { createOidcVerifier as createVerifier, OidcVerifier } from './oidc.ts';

export type { OidcVerifier, TokenIdentity } from './oidc.ts';

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
