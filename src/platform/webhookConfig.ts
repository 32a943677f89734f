/** Where calls of tenants' endpoints may go, and by which way: the operator's to say. */
import { type EnvironmentReader, optional } from './environmentReader.ts';
import { ALLOWED_HOSTS_MAX, type AllowedHost, parseAllowedHost } from './outbound/allowedHosts.ts';

/** The variable: a refusal of the guard names it. */
export const WEBHOOK_ALLOWED_SUBNETS = 'WEBHOOK_ALLOWED_SUBNETS';

const SUBNETS_TEXT = /^[0-9a-fA-F.:/, ]{1,4096}$/;

export interface WebhookConfig {
  /** Subnets alone: a name would be whatever its DNS says. */
  readonly allowedSubnets: readonly AllowedHost[];
  /** It is asked for checked addresses. May contain credentials: never logged. */
  readonly proxyUrl?: string;
}

export function readWebhooks(
  read: EnvironmentReader,
  { isAirGapped }: { readonly isAirGapped: boolean },
): WebhookConfig {
  const proxyUrl = read.secretUrl('WEBHOOK_PROXY_URL', ['http:', 'https:']);
  if (isAirGapped && proxyUrl !== undefined) {
    read.refuse('WEBHOOK_PROXY_URL', 'nothing in an air-gapped deployment', 'a URL');
  }
  return { allowedSubnets: readSubnets(read), ...optional('proxyUrl', proxyUrl) };
}

/** Separated by commas. */
function readSubnets(read: EnvironmentReader): readonly AllowedHost[] {
  const text = read.text(WEBHOOK_ALLOWED_SUBNETS, { fallback: '', form: SUBNETS_TEXT });
  const entries = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  const subnets = entries.map(parseAllowedHost);
  const wrong = entries.filter((_, place) => !isSubnet(subnets[place]));
  for (const entry of wrong) {
    const expected = 'subnets (10.1.0.0/16), separated by commas';
    read.refuse(WEBHOOK_ALLOWED_SUBNETS, expected, `'${entry.slice(0, 100)}'`);
  }
  if (entries.length > ALLOWED_HOSTS_MAX) {
    read.refuse(WEBHOOK_ALLOWED_SUBNETS, `at most ${ALLOWED_HOSTS_MAX}`, `${entries.length}`);
  }
  return subnets.filter(isSubnet);
}

const isSubnet = (host: AllowedHost | undefined): host is AllowedHost =>
  host !== undefined && 'network' in host;
