/** What gateway, worker and command line share of webhooks: secrets, guards, and the catalogue. */
import type { PublicEvent } from '#core/kernel';
import { isLoopback } from '#platform/config';
import { createOutboundGuard } from '#platform/outbound/outboundGuard';
import { isOwnAddress } from '#platform/outbound/ownAddresses';
import { WEBHOOK_ALLOWED_SUBNETS } from '#platform/webhookConfig';
import {
  type ConfigurePorts,
  type EndpointGuards,
  type EventType,
  signedEndpoints,
} from '#slices/webhooks';
import type { SliceProcess } from '../../processes.ts';
import { TEST_EVENT_TYPE } from './testEventType.ts';

/** One for the process: `process.once(configurePorts)`. */
export function configurePorts(process: SliceProcess): ConfigurePorts {
  const { clock, commit, config, keyRing, random, secrets, storage } = process;
  const { audit, tables } = storage;
  return {
    clock,
    commit,
    eventTypes: () => eventTypesOf(process),
    guards: guardsOf(config),
    random,
    secrets,
    signed: signedEndpoints({ audit, clock, keyRing, tables }),
    tables,
  };
}

/** All that catalogues show. */
export const eventTypesOf = async (
  process: Pick<SliceProcess, 'publicEvents'>,
): Promise<readonly EventType[]> => [...(await process.publicEvents()), TEST_EVENT_TYPE].map(shown);

const shown = ({
  about: _,
  audience: __,
  dataOf: ___,
  keepsArrival: ____,
  topic: _____,
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
  const { deploymentMode, host, metricsPort, port, webhooks } = config;
  const ownPorts = new Set([port, ...(metricsPort === undefined ? [] : [metricsPort])]);
  const of = { own: { isOwnAddress, ports: ownPorts }, variable: WEBHOOK_ALLOWED_SUBNETS };
  return {
    common: createOutboundGuard({
      ...of,
      allowed: webhooks.allowedSubnets,
      isClosed: deploymentMode === 'air-gapped',
    }),
    ...(isLoopback(host) && { loopback: createOutboundGuard({ ...of, allowed: LOOPBACK }) }),
  };
}
