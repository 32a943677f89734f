/** The ports of the console, built from the installation of a process; one for each. */
import { readFileSync } from 'node:fs';
import { createIdTokenVerifier, createOidcVerifier, issuerAddress } from '#core/identity';
import { ConfigError, fileProblem } from '#platform/config';
import { type ConsolePorts, createProvider, type Provider } from '#slices/console';
import type { SliceProcess } from '../../processes.ts';

/** A gateway knows where it listens. */
type Means = SliceProcess & { readonly origin?: () => string };

export const consolePartsOf = (process: Means): ConsolePorts => process.once(open);

function open(process: Means): ConsolePorts {
  const { clock, commit, identity, keyRing, random, storage, tenants } = process;
  const { audit, tables } = storage;
  const provider = providerOf(process);
  const ports = { audit, clock, commit, identity, keyRing, random, tables, tenants };
  return provider === undefined ? ports : { ...ports, provider };
}

/** Undefined where the gateway is no client of an identity provider. */
function providerOf({ clock, config, origin, random, secrets }: Means): Provider | undefined {
  const { oidc } = config;
  if (oidc?.client === undefined || origin === undefined) return undefined;
  const { issuer } = oidc;
  const { id, secretFile } = oidc.client;
  const secret = secretFile === undefined ? undefined : secretIn(secretFile);
  return createProvider({
    addressOf: (name) => issuerAddress({ fetch, issuer }, name),
    client: { id, ...(secret !== undefined && { secret }) },
    clock,
    fetch,
    idTokens: createIdTokenVerifier({ ...oidc, clientId: id, clock, fetch }),
    issuer,
    random,
    secrets,
    verifier: createOidcVerifier({ ...oidc, clock, fetch }),
  });
}

function secretIn(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    const got = fileProblem(error);
    throw new ConfigError([`OIDC_CLIENT_SECRET_FILE: expected a readable file, got ${got}`]);
  }
}
