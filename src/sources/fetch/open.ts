/** The way to lists, as the environment configures it. */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DomainError } from '#core/kernel';
import type { Clock } from '#platform/clock';
import { type Config, ConfigError, fileProblem } from '#platform/config';
import { removeAbandonedDrafts } from '#platform/draftFile';
import type { Random } from '#platform/random';
import { type ListSource, readTrustedKeys, type TrustedKeys } from '#slices/lists';
import { type Authorizer, oauth2Authorizer, type SendForm } from '../commercial/oauth2.ts';
import { type ClosableFetcher, createListFetcher } from './index.ts';

const COMMERCIAL = 'COMMERCIAL_WATCHLIST';
const SECRET_CHARS_MAX = 4_096;

/**
 * Throws ConfigError where a file that the environment names cannot be read. Files that a crash
 * left in the spool are removed after an hour.
 */
export function openListFetcher(of: {
  readonly config: Pick<Config, 'dataDir' | 'deploymentMode' | 'lists'>;
  readonly clock: Clock;
  readonly random: Random;
}): ClosableFetcher {
  const { clock, config, random } = of;
  const { airGap, allowedHosts, commercial, proxyResolvesNames, proxyUrl, userAgent } =
    config.lists;
  const spoolDirectory = join(config.dataDir, 'spool');
  removeAbandonedDrafts(spoolDirectory);
  const authorizerOf = (source: ListSource, send: SendForm): Authorizer | undefined =>
    commercial === undefined || source.sourceId !== COMMERCIAL
      ? undefined
      : authorizer(commercial, { clock, send });
  return createListFetcher({
    airGap: {
      keys: airGap === undefined ? new Map() : readKeys(airGap.keysFile),
      spoolDirectory,
      ...(airGap !== undefined && { root: airGap.directory }),
    },
    ...(config.deploymentMode !== 'air-gapped' && {
      http: {
        allowedHosts,
        authorizerOf,
        clock,
        proxyResolvesNames,
        random,
        sleep: (ms: number, signal: AbortSignal) => delay(ms, undefined, { signal }),
        spoolDirectory,
        userAgent,
        ...(proxyUrl !== undefined && { proxyUrl }),
      },
    }),
  });
}

function authorizer(
  commercial: NonNullable<Config['lists']['commercial']>,
  ports: { readonly clock: Clock; readonly send: SendForm },
): Authorizer {
  const { clientId, clientSecretFile, feedOrigin, scope, tokenUrl } = commercial;
  return oauth2Authorizer(
    {
      clientId,
      // Read for every token, so a change of the secret needs no restart.
      clientSecret: () => readSecret(clientSecretFile),
      feedOrigin,
      tokenUrl,
      ...(scope !== undefined && { scope }),
    },
    ports,
  );
}

/** The run's log has the reason of a failure, never the path or the content. */
async function readSecret(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw noSecret(cause.code ?? 'no file', cause);
  });
  const secret = text.trim();
  if (secret === '') throw noSecret('an empty file');
  if (secret.length > SECRET_CHARS_MAX) throw noSecret(`${secret.length} characters`);
  return secret;
}

const noSecret = (got: string, cause?: unknown): DomainError =>
  new DomainError('list-unreachable', {
    cause,
    detail: `COMMERCIAL_CLIENT_SECRET_FILE: expected the client secret, got ${got}`,
  });

function readKeys(file: string): TrustedKeys {
  try {
    return readTrustedKeys(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    const got =
      error instanceof Error && error.name === 'KeyError' ? error.message : fileProblem(error);
    throw new ConfigError([`AIR_GAP_KEYS_FILE: expected public keys as JSON, got ${got}`]);
  }
}
