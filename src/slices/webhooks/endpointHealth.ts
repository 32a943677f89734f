/**
 * How endpoints fare (W10): three failures in a row are told once, and so is the success after
 * them; an endpoint that is gone is disabled at once, one without any success for 120 hours by the
 * job that looks at it.
 *
 * Counts are work of the endpoint's record, saved now and then; each worker adds to what it last
 * saw there. What people are told of is a commit, so it is told once over all workers.
 */
import { entry, overwrite } from '#core/audit';
import { allRecords, type BusTopic, chainOf, DomainError } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { JudgedAttempt } from './attempt.ts';
import { configure, endpointEntry, findEndpoint, nextState } from './configure.ts';
import type { WebhookPorts } from './ports.ts';
import { type DisabledReason, endpointTable, type WebhookEndpoint } from './tables.ts';

/** Failed attempts in a row, without a success between, of which people are told. */
const FAILURES_TOLD = 3;
/** Milliseconds between two saves of one endpoint's counts. */
const SAVE_MS = 1_000;
const HOUR_MS = 3_600_000;
/** Without any success for so long it is disabled, */
export const FAILING_MS_MAX = 120 * HOUR_MS;
/** and people are told so long before. */
const NOTICE_MS = 24 * HOUR_MS;

const ACTOR = 'system:webhooks';

interface Fared {
  endpoint: WebhookEndpoint;
  failures: number;
  failingSince: EpochMs | undefined;
  lastFailureAt: EpochMs | undefined;
  lastSuccessAt: EpochMs | undefined;
  savedMs: number;
  timer: NodeJS.Timeout | undefined;
}

type HealthPorts = WebhookPorts & { readonly onFailure: (error: unknown) => void };

/** Notes how attempts end. */
export class EndpointHealth {
  readonly #ports: HealthPorts;
  readonly #all = new Map<string, Fared>();
  readonly #saving = new Set<Promise<void>>();

  constructor(ports: HealthPorts) {
    this.#ports = ports;
  }

  async note(endpoint: WebhookEndpoint, judged: JudgedAttempt): Promise<void> {
    const ports = this.#ports;
    const { failureReason, status } = judged.next;
    if (failureReason === 'rate-limited' && status !== 'FAILED') return;
    const fared = await this.#known(endpoint);
    const before = fared.failures;
    count(fared, status === 'DELIVERED', ports.clock.now());
    this.#saveSoon(fared);
    if (judged.isGone) return disableEndpoint(ports, endpoint, 'gone');
    if (before < FAILURES_TOLD && fared.failures >= FAILURES_TOLD) {
      await tell(ports, endpoint, 'failing');
    }
    const isTold = endpoint.failingToldAt !== undefined || before >= FAILURES_TOLD;
    if (fared.failures === 0 && isTold) await tell(ports, endpoint, 'recovered');
  }

  async close(): Promise<void> {
    for (const fared of this.#all.values()) {
      if (fared.timer === undefined) continue;
      clearTimeout(fared.timer);
      this.#begin(fared);
    }
    await Promise.all(this.#saving);
  }

  async #known(endpoint: WebhookEndpoint): Promise<Fared> {
    const name = `${endpoint.tenantId}/${endpoint.endpointId}`;
    const found = this.#all.get(name);
    if (found !== undefined) {
      found.endpoint = endpoint;
      if (isForgotten(found.failingSince, endpoint)) {
        found.failingSince = undefined;
        found.failures = 0;
      }
      return found;
    }
    const { endpointId, tenantId } = endpoint;
    const key = { endpointId, tenantId };
    const stored = (await this.#ports.tables.find(endpointTable, key)) ?? endpoint;
    const isAfresh = isForgotten(stored.failingSince, stored);
    // Another attempt may have come to the end of the same read first.
    const fared: Fared = this.#all.get(name) ?? {
      endpoint,
      failingSince: isAfresh ? undefined : stored.failingSince,
      failures: isAfresh ? 0 : (stored.consecutiveFailures ?? 0),
      lastFailureAt: stored.lastFailureAt,
      lastSuccessAt: stored.lastSuccessAt,
      savedMs: Number.NEGATIVE_INFINITY,
      timer: undefined,
    };
    this.#all.set(name, fared);
    return fared;
  }

  #saveSoon(fared: Fared): void {
    const dueMs = Math.max(0, fared.savedMs + SAVE_MS - this.#ports.clock.monotonicMs());
    fared.timer ??= setTimeout(() => this.#begin(fared), dueMs);
  }

  #begin(fared: Fared): void {
    const saved = this.#save(fared)
      .catch(this.#ports.onFailure)
      .finally(() => this.#saving.delete(saved));
    this.#saving.add(saved);
  }

  async #save(fared: Fared): Promise<void> {
    fared.timer = undefined;
    fared.savedMs = this.#ports.clock.monotonicMs();
    const { endpointId, tenantId } = fared.endpoint;
    await this.#ports.tables.saveWork(endpointTable, {
      key: { endpointId, tenantId },
      work: {
        consecutiveFailures: fared.failures,
        failingSince: fared.failingSince,
        lastFailureAt: fared.lastFailureAt,
        lastSuccessAt: fared.lastSuccessAt,
      },
    });
  }
}

/** It was failing before a person enabled it again, which begins its hours anew. */
const isForgotten = (
  failingSince: EpochMs | undefined,
  { enabledAt = 0 as EpochMs }: Pick<WebhookEndpoint, 'enabledAt'>,
): boolean => failingSince !== undefined && failingSince < enabledAt;

function count(fared: Fared, isDelivered: boolean, now: EpochMs): void {
  if (isDelivered) {
    fared.failures = 0;
    fared.failingSince = undefined;
    fared.lastSuccessAt = now;
    return;
  }
  fared.failures++;
  fared.failingSince ??= now;
  fared.lastFailureAt = now;
}

const TOPICS = {
  failing: 'webhooks.endpoint.failing',
  recovered: 'webhooks.endpoint.recovered',
} as const satisfies Record<string, BusTopic>;

/** Once: the record says whether it has been told. An endpoint that went tells nothing. */
async function tell(
  ports: WebhookPorts,
  place: Pick<WebhookEndpoint, 'endpointId' | 'tenantId'>,
  what: 'failing' | 'recovered',
): Promise<void> {
  await overwrite(async () => {
    const endpoint = await findEndpoint(ports, place);
    const { failingToldAt, ...others } = endpoint;
    if ((failingToldAt !== undefined) === (what === 'failing')) return;
    const next: WebhookEndpoint = {
      ...nextState(others),
      ...(what === 'failing' && { failingToldAt: ports.clock.now() }),
    };
    const { endpointId, tenantId } = place;
    await ports.commit(chainOf(tenantId), {
      bus: [{ partition: tenantId, payload: { endpointId }, topic: TOPICS[what] }],
      changes: [endpointTable.put(next, endpoint.version)],
      events: [
        entry(ports, {
          action: `webhook.endpoint.${what}`,
          actor: ACTOR,
          target: endpointId,
        }),
      ],
    });
  }).catch(unlessRemoved);
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

/** Disables endpoints without success for too long; tells of those that have a day left. */
export async function disableFailing(ports: WebhookPorts): Promise<number> {
  const now = ports.clock.now();
  const endpoints = await allRecords(ports.tables, endpointTable, { index: 'key' });
  const failing = endpoints.filter(
    (one) =>
      one.disabledReason === undefined &&
      one.failingSince !== undefined &&
      !isForgotten(one.failingSince, one),
  );
  let disabled = 0;
  for (const endpoint of failing) {
    const failingMs = now - (endpoint.failingSince ?? now);
    if (failingMs >= FAILING_MS_MAX) {
      await disableEndpoint(ports, endpoint, 'failing');
      disabled++;
    } else if (failingMs >= FAILING_MS_MAX - NOTICE_MS) await tell(ports, endpoint, 'failing');
  }
  return disabled;
}

function unlessRemoved(error: unknown): void {
  if (!(error instanceof DomainError && error.code === 'webhook-unknown')) throw error;
}
