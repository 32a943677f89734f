/** What gateway, worker and command line share of webhooks: secrets, guards, and the catalogue. */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import type { PublicEvent } from '#core/kernel';
import { isLoopback } from '#platform/config';
import { type AllowedHost, allowedPlaces } from '#platform/outbound/allowedHosts';
import { createOutboundGuard, type OutboundGuard } from '#platform/outbound/outboundGuard';
import { ensureSecretBox } from '#platform/secretBox';
import { WEBHOOK_ALLOWED_SUBNETS } from '#platform/webhookConfig';
import type { ConfigurePorts, EndpointGuards } from '#slices/webhooks';
import type { SliceProcess } from '../../processes.ts';
import { TEST_EVENT_TYPE } from './testEventType.ts';

/** One for the process: `process.once(configurePorts)`. */
export function configurePorts(process: SliceProcess): ConfigurePorts {
  const { clock, commit, config, random, storage } = process;
  const file = config.secretsKeyFile;
  return {
    clock,
    commit,
    eventTypes: async () => [...(await process.publicEvents()), TEST_EVENT_TYPE].map(shown),
    guards: guardsOf(config),
    random,
    secrets: ensureSecretBox({
      defaultFile: join(config.dataDir, 'keys', 'secrets.key'),
      random,
      ...(file !== undefined && { file }),
    }),
    tables: storage.tables,
  };
}

const shown = ({
  about: _,
  audience: __,
  dataOf: ___,
  topic: ____,
  ...type
}: Pick<PublicEvent<never>, 'name' | 'catalogs' | 'description' | 'schema' | 'example' | 'since'> &
  Partial<PublicEvent<never>>) => type;

const LOOPBACK = [
  { bits: 8, network: '127.0.0.0' },
  { bits: 128, network: '::1' },
  { name: 'localhost' },
] as const;

/** This machine is for sandboxes of an installation that serves this machine alone. */
function guardsOf(config: SliceProcess['config']): EndpointGuards {
  const { deploymentMode, host, port, webhooks } = config;
  const { allowedSubnets } = webhooks;
  const variable = WEBHOOK_ALLOWED_SUBNETS;
  return {
    common:
      deploymentMode === 'air-gapped'
        ? namedOnly(allowedSubnets, variable)
        : createOutboundGuard({ allowed: allowedSubnets, variable }),
    ownPorts: new Set(isLoopback(host) ? [port] : []),
    ...(isLoopback(host) && {
      loopback: createOutboundGuard({ allowed: LOOPBACK, variable }),
    }),
  };
}

/** Where no outbound call is made: what the operator named alone, whatever a name leads to. */
function namedOnly(allowed: readonly AllowedHost[], variable: string): OutboundGuard {
  const places = allowedPlaces(allowed);
  const guard = createOutboundGuard({
    allowed,
    resolve: async (hostname) => {
      const found = await lookup(hostname, { all: true });
      if (found.every(({ address }) => places.hasAddress(address))) return found;
      throw guard.refusal();
    },
    variable,
  });
  const hostOf = (target: URL | string): string =>
    (typeof target === 'string' ? target : target.hostname).replace(/^\[|\]$/g, '');
  const allows = (target: URL | string): boolean =>
    guard.allows(target) && (isIP(hostOf(target)) === 0 || guard.isNamed(target));
  return {
    ...guard,
    allows,
    check: async (url) => {
      if (!allows(url)) throw guard.refusal();
      await guard.check(url);
    },
  };
}
