/** Where lists come from: the way to their publishers, or an air-gapped folder. */
import { type EnvironmentReader, optional } from './environmentReader.ts';

const USER_AGENT = 'compliance-screening/1.0 (list ingestion)';
/** Text that a header may contain. */
const TEXT = /^[\x20-\x7e]{1,255}$/;

export interface ListConfig {
  readonly userAgent: string;
  /** May contain credentials: never logged. */
  readonly proxyUrl?: string;
  /** The one folder from which files are taken, and the keys that may have signed them. */
  readonly airGap?: { readonly directory: string; readonly keysFile: string };
  /** The commercial feed's OAuth 2.0 client credentials. */
  readonly commercial?: {
    readonly tokenUrl: string;
    readonly clientId: string;
    readonly clientSecretFile: string;
    readonly scope?: string;
  };
}

export function readLists(
  read: EnvironmentReader,
  { isAirGapped }: { readonly isAirGapped: boolean },
): ListConfig {
  const proxyUrl = read.secretUrl('FETCH_PROXY_URL', ['http:', 'https:']);
  if (isAirGapped && proxyUrl !== undefined) {
    read.refuse('FETCH_PROXY_URL', 'nothing in an air-gapped deployment', 'a URL');
  }
  return {
    userAgent: read.text('FETCH_USER_AGENT', { fallback: USER_AGENT, form: TEXT }),
    ...optional('airGap', readAirGap(read)),
    ...optional('commercial', readCommercial(read)),
    ...optional('proxyUrl', proxyUrl),
  };
}

/**
 * The air-gapped folder with its keys. Without keys nothing could be verified, so nothing would be
 * read.
 */
function readAirGap(read: EnvironmentReader): ListConfig['airGap'] {
  const directory = read.path('AIR_GAP_DIR');
  const keysFile = read.path('AIR_GAP_KEYS_FILE');
  if (directory !== undefined && keysFile !== undefined) return { directory, keysFile };
  if (directory !== undefined) {
    read.refuse('AIR_GAP_KEYS_FILE', 'a path, beside AIR_GAP_DIR', 'nothing');
  }
  if (keysFile !== undefined) {
    read.refuse('AIR_GAP_DIR', 'a folder, beside AIR_GAP_KEYS_FILE', 'nothing');
  }
  return undefined;
}

function readCommercial(read: EnvironmentReader): ListConfig['commercial'] {
  const tokenUrl = read.webUrl('COMMERCIAL_TOKEN_URL');
  const clientId = read.text('COMMERCIAL_CLIENT_ID', { fallback: '', form: TEXT });
  const clientSecretFile = read.path('COMMERCIAL_CLIENT_SECRET_FILE');
  const scope = read.text('COMMERCIAL_SCOPE', { fallback: '', form: TEXT });
  if (tokenUrl !== undefined && clientId !== '' && clientSecretFile !== undefined) {
    return { clientId, clientSecretFile, tokenUrl, ...(scope !== '' && { scope }) };
  }
  const missing = [
    tokenUrl === undefined && 'COMMERCIAL_TOKEN_URL',
    clientId === '' && 'COMMERCIAL_CLIENT_ID',
    clientSecretFile === undefined && 'COMMERCIAL_CLIENT_SECRET_FILE',
  ].filter((name) => name !== false);
  if (missing.length === 3 && scope === '') return undefined;
  for (const name of missing) read.refuse(name, 'a value, beside the other COMMERCIAL_', 'nothing');
  return undefined;
}
