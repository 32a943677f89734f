/** Where calls of tenants may go: endpoints of webhooks, and other systems that they name. */
import { type Config, isLoopback } from '#platform/config';
import { createOutboundGuard } from '#platform/outbound/outboundGuard';
import { isOwnAddress } from '#platform/outbound/ownAddresses';
import { WEBHOOK_ALLOWED_SUBNETS } from '#platform/webhookConfig';
import type { EndpointGuards } from './ports.ts';

const LOOPBACK = [
  { bits: 8, network: '127.0.0.0' },
  { bits: 128, network: '::1' },
  { name: 'localhost' },
] as const;

/** This machine is for sandboxes of an installation that serves this machine alone. */
export function endpointGuards(config: Config): EndpointGuards {
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
