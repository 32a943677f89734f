/** Where lists come from: the way to their publishers, or an air-gapped folder. */
import { type EnvironmentReader, optional } from './environmentReader.ts';
import { ALLOWED_HOSTS_MAX, type AllowedHost, parseAllowedHost } from './outbound/allowedHosts.ts';

const USER_AGENT = 'compliance-screening/1.0 (list ingestion)';
/** Text that a header may contain. */
const TEXT = /^[\x20-\x7e]{1,255}$/;
const HOSTS_TEXT = /^[\x20-\x7e]{1,8192}$/;

export interface ListConfig {
  readonly userAgent: string;
  /** May contain credentials: never logged. */
  readonly proxyUrl?: string;
  /** It is asked for names, and judges where they lead; else for checked addresses. */
  readonly proxyResolvesNames: boolean;
  /** Places beside the public internet that may be called. */
  readonly allowedHosts: readonly AllowedHost[];
  /** The one folder from which files are taken, and the keys that may have signed them. */
  readonly airGap?: { readonly directory: string; readonly keysFile: string };
  /** The commercial feed's OAuth 2.0 client credentials. */
  readonly commercial?: {
    readonly tokenUrl: string;
    readonly clientId: string;
    readonly clientSecretFile: string;
    /** The only origin that the token is sent to. */
    readonly feedOrigin: string;
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
  const proxyResolvesNames = read.flag('FETCH_PROXY_RESOLVES_NAMES');
  if (proxyResolvesNames && proxyUrl === undefined) {
    read.refuse('FETCH_PROXY_URL', 'a URL, beside FETCH_PROXY_RESOLVES_NAMES', 'nothing');
  }
  return {
    allowedHosts: readAllowedHosts(read),
    proxyResolvesNames,
    userAgent: read.text('FETCH_USER_AGENT', { fallback: USER_AGENT, form: TEXT }),
    ...optional('airGap', readAirGap(read)),
    ...optional('commercial', readCommercial(read)),
    ...optional('proxyUrl', proxyUrl),
  };
}

/** Separated by commas. */
function readAllowedHosts(read: EnvironmentReader): readonly AllowedHost[] {
  const text = read.text('FETCH_ALLOWED_HOSTS', { fallback: '', form: HOSTS_TEXT });
  const entries = text.split(',').map((entry) => entry.trim());
  const hosts: AllowedHost[] = [];
  for (const entry of entries.filter((one) => one !== '')) {
    const host = parseAllowedHost(entry);
    if (host !== undefined) hosts.push(host);
    else {
      const expected = 'host names, addresses and subnets (10.1.0.0/16), separated by commas';
      read.refuse('FETCH_ALLOWED_HOSTS', expected, `'${entry.slice(0, 100)}'`);
    }
  }
  if (hosts.length > ALLOWED_HOSTS_MAX) {
    read.refuse('FETCH_ALLOWED_HOSTS', `at most ${ALLOWED_HOSTS_MAX} entries`, `${hosts.length}`);
  }
  return hosts;
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
  const feedUrl = read.webUrl('COMMERCIAL_FEED_ORIGIN');
  const clientId = read.text('COMMERCIAL_CLIENT_ID', { fallback: '', form: TEXT });
  const clientSecretFile = read.path('COMMERCIAL_CLIENT_SECRET_FILE');
  const scope = read.text('COMMERCIAL_SCOPE', { fallback: '', form: TEXT });
  if (tokenUrl !== undefined && clientId !== '' && clientSecretFile !== undefined) {
    const { origin: feedOrigin } = new URL(feedUrl ?? tokenUrl);
    return { clientId, clientSecretFile, feedOrigin, tokenUrl, ...(scope !== '' && { scope }) };
  }
  const missing = [
    tokenUrl === undefined && 'COMMERCIAL_TOKEN_URL',
    clientId === '' && 'COMMERCIAL_CLIENT_ID',
    clientSecretFile === undefined && 'COMMERCIAL_CLIENT_SECRET_FILE',
  ].filter((name) => name !== false);
  if (missing.length === 3 && scope === '' && feedUrl === undefined) return undefined;
  for (const name of missing) read.refuse(name, 'a value, beside the other COMMERCIAL_', 'nothing');
  return undefined;
}
