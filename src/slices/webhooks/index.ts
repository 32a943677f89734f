/** Webhooks: endpoints of tenants, their secrets, and deliveries to them. */
export { type ArrivalAsk, Arrivals, checkArrivals } from './arrivals.ts';
export * from './attempt.ts';
export {
  type BulkReplay,
  type BulkReplayAsk,
  endReplay,
  findReplay,
  lastReplays,
  orderReplay,
  type ReplayHold,
  type ReplayWorkPorts,
  replayStep,
} from './bulkReplay.ts';
export * from './changeTls.ts';
export * from './configure.ts';
export * from './deliveries.ts';
export {
  DELIVERY_LEASE_MS,
  Dispatcher,
  type DispatchPorts,
  type EndpointCaller,
} from './dispatch.ts';
export { createEndpointCache, type EndpointCache } from './endpointCache.ts';
export { endpointGuards } from './endpointGuards.ts';
export { EndpointHealth } from './endpointHealth.ts';
export { requireUrl, type UrlFault, urlFault } from './endpointUrl.ts';
export { daysToTell, tellOfCertificates } from './expiringCertificates.ts';
export { type FanOutPorts, fanOut, type KnownEndpoints, type OutboxTold } from './fanOut.ts';
export { countAnew, type FoldPorts, placeOf, TallyFold } from './foldTallies.ts';
export * from './judgeAttempt.ts';
export * from './kpis.ts';
export * from './limits.ts';
export { deliveryOf, derivedId, eventIdOf, type MessageSource, messageOf } from './message.ts';
export * from './openConfidential.ts';
export { pendingTotal } from './pending.ts';
export * from './ports.ts';
export { type ReplayFailure, type ReplayJob, replayTable } from './replayTables.ts';
export * from './rotateSecret.ts';
export { liveSecrets, makeSecret, SECRET_OVERLAP_MS } from './secrets.ts';
export { settings as webhookSettings, type WebhookSettings } from './settings.ts';
export * from './signedEndpoints.ts';
export { checkMessages, sealMessage } from './signedMessage.ts';
export * from './signing.ts';
export { failuresOf } from './standing.ts';
export * from './tables.ts';
export {
  type CountsBy,
  KPI_PERIOD_NAMES,
  KPI_PERIODS,
  type KpiPeriod,
  type StateCounts,
} from './tally.ts';
export * from './tallyTables.ts';
export * from './tellOfEndpoint.ts';
export { TenantTokens } from './tenantTokens.ts';
export { sendTest, TEST_EVENT, type TestAsk } from './testEvent.ts';
export { type CallRefusal, refusalOf, TOLERANCE_S } from './verifyCall.ts';
export { createWebhookFigures, type WebhookFigures } from './webhookFigures.ts';
