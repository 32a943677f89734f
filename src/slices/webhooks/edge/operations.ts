/** Webhook administration (interface.md 4.7). */
import type { Operation } from '../../../api/operation.ts';
import type { PublicPage } from '../../../api/ports.ts';
import type { GatewayProcess } from '../../processes.ts';
import { deliveryOperations } from './deliveries.ts';
import { describedCalls } from './describedCalls.ts';
import { endpointOperations } from './endpoints.ts';
import { eventTypeOperations } from './eventTypes.ts';
import { figureOperations } from './figures.ts';
import { configurePorts, eventTypesOf } from './parts.ts';
import { replayOperations } from './replays.ts';
import type { WebhookRouteOptions } from './routeOptions.ts';
import { schemaPage } from './schemaPage.ts';
import { secretOperations } from './secrets.ts';
import { strEventOperations } from './strEvents.ts';
import { tlsOperations } from './tls.ts';

export function operations(process: GatewayProcess): readonly Operation[] {
  const { cursors } = process;
  const wake = (deliveryId: string): void => process.wake('webhooks', deliveryId);
  // Opened when it is first used: the description of the API is made without an installation.
  const ports = () => process.once(configurePorts);
  const kpiPorts = () => ({ ...ports(), audit: process.storage.audit });
  return webhookOperations({ cursors, kpiPorts, ports, wake });
}

export const calls = describedCalls;

export const pages = (process: GatewayProcess): readonly PublicPage[] => [
  schemaPage(() => eventTypesOf(process), process.origin),
];

export const webhookOperations = (options: WebhookRouteOptions): Operation[] => [
  ...endpointOperations(options),
  ...secretOperations(options),
  ...tlsOperations(options),
  ...eventTypeOperations(options),
  ...deliveryOperations(options),
  ...figureOperations(options),
  ...replayOperations(options),
  ...strEventOperations(options),
];
