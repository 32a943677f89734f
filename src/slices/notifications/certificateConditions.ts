/**
 * A client certificate that ends soon is a state of its endpoint: it opens 30 days before the end,
 * people are told once more 7 days and 1 day before it and at the end, and it is over with the
 * renewal, which a look at the endpoint shows.
 */
import type { OutboxEvent } from '#core/reactions';
import { daysToTell, endpointTable, type WebhookEndpoint } from '#slices/webhooks';
import { close, conditionIdOf, findStanding, raise } from './conditions.ts';
import { paramsOf, subjectOf, tellNews, tenantOf } from './endpointNews.ts';
import type { NoticePorts } from './ports.ts';
import type { Condition } from './tables.ts';

type Certified = Pick<WebhookEndpoint, 'clientCertificate'>;

/** The certificate that is configured has come to one of the days that people are told of. */
const isEnding = ({ clock }: NoticePorts, { clientCertificate }: Certified): boolean =>
  clientCertificate !== undefined &&
  daysToTell(clientCertificate.notAfter, clock.now()) !== undefined;

/** One of those days has come: the first opens the state, the others are told of within it. */
export async function onCertificateExpiring(ports: NoticePorts, event: OutboxEvent): Promise<void> {
  const tenantId = tenantOf(event);
  const { subjectId: endpointId } = subjectOf(event);
  const endpoint = await ports.tables.find(endpointTable, { endpointId, tenantId });
  // It was renewed before the event came.
  if (endpoint === undefined || !isEnding(ports, endpoint)) return;
  const seen = {
    ...subjectOf(event),
    at: event.createdAt,
    code: 'CERTIFICATE_EXPIRING',
    eventId: event.id,
    params: paramsOf(event),
    tenantId,
  } as const;
  const standing = await findStanding(ports, seen);
  if (standing !== undefined && standing.conditionId !== conditionIdOf(seen)) {
    const { conditionId, severity } = standing;
    await tellNews(ports, event, { conditionId, kind: 'webhook.certificate', severity });
  }
  await raise(ports, seen);
}

/** Closes it where another certificate is configured, or none. */
export async function closeRenewed(
  ports: NoticePorts,
  endpoint: WebhookEndpoint,
  conditions: readonly Condition[],
): Promise<void> {
  if (conditions.length === 0 || isEnding(ports, endpoint)) return;
  const at = ports.clock.now();
  const isRenewed = endpoint.clientCertificate !== undefined;
  await close(
    ports,
    conditions,
    isRenewed ? { at, because: 'renewed' } : { at, because: 'removed', isSilent: true },
  );
}
