/**
 * What people are told of an endpoint (W10, W11): that it fails, that it will be disabled in a day,
 * that it is disabled, that it has moved, that it takes deliveries again. Each is a commit that
 * notes on the record that it was told, so it is told once over all workers.
 */
import { entry, overwrite } from '#core/audit';
import { allRecords, type BusTopic, chainOf, DomainError } from '#core/kernel';
import { allTogether, type PerTenant } from '#core/work';
import { type EpochMs, toTimestamp } from '#platform/clock';
import { configure, endpointEntry, findEndpoint, nextState } from './configure.ts';
import type { WebhookPorts } from './ports.ts';
import { heldTo } from './signedEndpoints.ts';
import { failuresOf } from './standing.ts';
import { type DisabledReason, endpointTable, type WebhookEndpoint } from './tables.ts';

const HOUR_MS = 3_600_000;
/** Milliseconds without any success after which an endpoint is disabled. */
export const FAILING_MS_MAX = 120 * HOUR_MS;
/** Milliseconds before that in which people are told of it. */
export const NOTICE_MS = 24 * HOUR_MS;
/** Failed attempts in a row, without a success between, of which people are told. */
export const FAILURES_TOLD = 3;

const ACTOR = 'system:webhooks';

/** What is told, with what only this has to say. */
export type EndpointNews =
  | { readonly what: 'failing' | 'moved' | 'recovered' }
  | { readonly what: 'disabling'; readonly disablesAt: EpochMs };

const TOPICS = {
  disabling: 'webhooks.endpoint.disabling',
  failing: 'webhooks.endpoint.failing',
  moved: 'webhooks.endpoint.moved',
  recovered: 'webhooks.endpoint.recovered',
} as const satisfies Record<EndpointNews['what'], BusTopic>;

/** People know that it fails, and not that it has taken a delivery since. */
export const isTold = ({
  disablingToldAt,
  failingToldAt,
}: Pick<WebhookEndpoint, 'disablingToldAt' | 'failingToldAt'>): boolean =>
  failingToldAt !== undefined || disablingToldAt !== undefined;

/** Once: the record says whether it has been told. An endpoint that went tells nothing. */
export async function tellOfEndpoint(
  ports: WebhookPorts,
  place: Pick<WebhookEndpoint, 'endpointId' | 'tenantId'>,
  news: EndpointNews,
): Promise<void> {
  const { what } = news;
  await overwrite(async () => {
    const endpoint = await findEndpoint(ports, place);
    const told = afterTelling(endpoint, what, ports.clock.now());
    if (told === undefined) return;
    await ports.signed.require(endpoint);
    const next = nextState(told);
    const { endpointId, tenantId } = place;
    const when = 'disablesAt' in news && { disablesAt: toTimestamp(news.disablesAt) };
    await ports.commit(chainOf(tenantId), {
      bus: [{ partition: tenantId, payload: { endpointId, ...when }, topic: TOPICS[what] }],
      changes: [endpointTable.put(next, endpoint.version)],
      events: [
        entry(ports, {
          action: `webhook.endpoint.${what}`,
          actor: ACTOR,
          members: heldTo(next),
          target: endpointId,
        }),
      ],
    });
  }).catch(unlessRemoved);
}

/** Undefined where it has been told already. */
function afterTelling(
  endpoint: WebhookEndpoint,
  what: EndpointNews['what'],
  now: EpochMs,
): WebhookEndpoint | undefined {
  if (what === 'recovered') {
    const { disablingToldAt: _, failingToldAt: __, ...others } = endpoint;
    return isTold(endpoint) ? others : undefined;
  }
  const member = `${what}ToldAt` as const;
  return endpoint[member] === undefined ? { ...endpoint, [member]: now } : undefined;
}

/** Nothing is sent to it until a person enables it. */
export async function disableEndpoint(
  ports: WebhookPorts,
  { endpointId, tenantId }: Pick<WebhookEndpoint, 'endpointId' | 'tenantId'>,
  reason: DisabledReason,
): Promise<void> {
  const owner = { sandbox: false, tenantId };
  await configure(ports, { actor: ACTOR, owner }, async ({ endpoints }) => {
    const endpoint = endpoints.find((one) => one.endpointId === endpointId);
    if (endpoint === undefined) throw new DomainError('webhook-unknown');
    await ports.signed.require(endpoint);
    const isDisabled = endpoint.disabledReason !== undefined;
    const next: WebhookEndpoint = {
      ...nextState(endpoint),
      disabledReason: endpoint.disabledReason ?? reason,
      updatedAt: ports.clock.now(),
    };
    return {
      answered: undefined,
      bus: isDisabled
        ? []
        : [
            {
              partition: tenantId,
              payload: { endpointId, reason },
              topic: 'webhooks.endpoint.disabled' as const,
            },
          ],
      changes: [endpointTable.put(next, endpoint.version)],
      events: [endpointEntry(ports, { actor: ACTOR }, 'webhook.endpoint.changed', next)],
    };
  }).catch(unlessRemoved);
}

/**
 * Disables endpoints without success for too long while there was something to take, a day after
 * people were told that this would come. Answers how many.
 */
export async function disableFailing(
  ports: WebhookPorts,
  perTenant: PerTenant = allTogether,
): Promise<number> {
  const endpoints = await allRecords(ports.tables, endpointTable, { index: 'key' });
  let disabled = 0;
  for (const endpoint of endpoints.filter((one) => one.disabledReason === undefined)) {
    const isDisabled = await perTenant(endpoint.tenantId, () =>
      isDisabledAfterLook(ports, endpoint),
    );
    if (isDisabled === true) disabled++;
  }
  return disabled;
}

async function isDisabledAfterLook(
  ports: WebhookPorts,
  endpoint: WebhookEndpoint,
): Promise<boolean> {
  // Nothing is sent to one that is not what was signed, and checks name it.
  if ((await ports.signed.judge(endpoint)).refusal !== undefined) return false;
  const { failingSince } = failuresOf(endpoint);
  if (failingSince !== undefined) return isDisabledNow(ports, endpoint, failingSince);
  await tellRecovery(ports, endpoint);
  return false;
}

/** For a success whose worker did not know yet that failures had been told. */
async function tellRecovery(ports: WebhookPorts, endpoint: WebhookEndpoint): Promise<void> {
  const { disablingToldAt = 0, failingToldAt = 0, lastSuccessAt = 0 } = endpoint;
  const isSince = lastSuccessAt > Math.max(disablingToldAt, failingToldAt);
  if (isSince && isTold(endpoint)) await tellOfEndpoint(ports, endpoint, { what: 'recovered' });
}

async function isDisabledNow(
  ports: WebhookPorts,
  endpoint: WebhookEndpoint,
  failingSince: EpochMs,
): Promise<boolean> {
  const now = ports.clock.now();
  const { disablingToldAt, lastFailureAt = 0 } = endpoint;
  if (disablingToldAt === undefined) {
    if (now < failingSince + FAILING_MS_MAX - NOTICE_MS) return false;
    // One that had nothing to take in these days has not failed at it.
    const isFailingStill = lastFailureAt > now - NOTICE_MS;
    if (!isFailingStill || failuresOf(endpoint).failures < FAILURES_TOLD) return false;
    const disablesAt = (now + NOTICE_MS) as EpochMs;
    await tellOfEndpoint(ports, endpoint, { disablesAt, what: 'disabling' });
    return false;
  }
  if (now < Math.max(failingSince + FAILING_MS_MAX, disablingToldAt + NOTICE_MS)) return false;
  if (lastFailureAt <= disablingToldAt) return false; // nothing has come since
  await disableEndpoint(ports, endpoint, 'failing');
  return true;
}

function unlessRemoved(error: unknown): void {
  if (!(error instanceof DomainError && error.code === 'webhook-unknown')) throw error;
}
