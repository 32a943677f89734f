/**
 * How endpoints fare (W10). Each worker notes how its attempts end, and adds that now and then to
 * what is stored; people are told of it by commits (tellOfEndpoint.ts).
 *
 * Counts are work of the endpoint's record, written by several workers without a version. So each
 * save reads what is there, and no worker writes what another one could take back: a success writes
 * its time alone, a failure never that of a success, and what failed before the last success counts
 * no more, whoever writes last.
 */
import type { EpochMs } from '#platform/clock';
import type { JudgedAttempt } from './attempt.ts';
import type { WebhookPorts } from './ports.ts';
import { failuresOf, type Standing } from './standing.ts';
import { endpointTable, type WebhookEndpoint } from './tables.ts';
import { disableEndpoint, FAILURES_TOLD, isTold, tellOfEndpoint } from './tellOfEndpoint.ts';

/** Milliseconds between two saves of one endpoint's counts. */
const SAVE_MS = 1_000;

/** What has happened since the last save. */
interface Unsaved {
  readonly failures: EpochMs[];
  successAt: EpochMs | undefined;
}

interface Fared {
  endpoint: WebhookEndpoint;
  unsaved: Unsaved;
  savedMs: number;
  timer: NodeJS.Timeout | undefined;
}

type HealthPorts = WebhookPorts & { readonly onFailure: (error: unknown) => void };

/** Notes how attempts end. */
export class EndpointHealth {
  readonly #ports: HealthPorts;
  readonly #all = new Map<string, Fared>();
  readonly #saving = new Set<Promise<void>>();
  #forgotMs = Number.NEGATIVE_INFINITY;

  constructor(ports: HealthPorts) {
    this.#ports = ports;
  }

  /** Resolves once it is saved, where that is done now; never later than others need the slot. */
  async note(endpoint: WebhookEndpoint, judged: JudgedAttempt): Promise<void> {
    const ports = this.#ports;
    const fared = this.#fared(endpoint);
    const now = ports.clock.now();
    if (judged.next.status === 'DELIVERED') fared.unsaved.successAt = now;
    else fared.unsaved.failures.push(now);
    await this.#saveSoon(fared);
    if (judged.isMoved && endpoint.movedToldAt === undefined) {
      await tellOfEndpoint(ports, endpoint, { what: 'moved' });
    }
    if (judged.isGone) await disableEndpoint(ports, endpoint, 'gone');
  }

  /** Saves what waits to be saved. */
  async settled(): Promise<void> {
    for (const fared of this.#all.values()) {
      if (fared.timer === undefined) continue;
      clearTimeout(fared.timer);
      void this.#begin(fared);
    }
    await Promise.all(this.#saving);
  }

  close(): Promise<void> {
    return this.settled();
  }

  #fared(endpoint: WebhookEndpoint): Fared {
    const name = `${endpoint.tenantId}/${endpoint.endpointId}`;
    const found = this.#all.get(name);
    if (found !== undefined) {
      found.endpoint = endpoint;
      return found;
    }
    const fared: Fared = {
      endpoint,
      savedMs: Number.NEGATIVE_INFINITY,
      timer: undefined,
      unsaved: nothing(),
    };
    this.#forgetQuiet();
    this.#all.set(name, fared);
    return fared;
  }

  /**
   * Endpoints come and go, each with its certificates. What is saved is read again from the store.
   */
  #forgetQuiet(): void {
    const savedBeforeMs = this.#ports.clock.monotonicMs() - SAVE_MS;
    if (this.#forgotMs > savedBeforeMs) return;
    this.#forgotMs = this.#ports.clock.monotonicMs();
    for (const [name, { savedMs, timer, unsaved }] of this.#all) {
      const isSaved = unsaved.failures.length === 0 && unsaved.successAt === undefined;
      const isBegun = savedMs !== Number.NEGATIVE_INFINITY;
      if (isSaved && isBegun && timer === undefined && savedMs <= savedBeforeMs) {
        this.#all.delete(name);
      }
    }
  }

  #saveSoon(fared: Fared): Promise<void> | undefined {
    if (fared.timer !== undefined) return undefined;
    const nowMs = this.#ports.clock.monotonicMs();
    if (fared.savedMs + SAVE_MS <= nowMs) return this.#begin(fared);
    // At the same moments for all endpoints, so that the store writes them together.
    const atMs = Math.ceil((fared.savedMs + SAVE_MS) / SAVE_MS) * SAVE_MS;
    fared.timer = setTimeout(() => this.#begin(fared), atMs - nowMs);
    return undefined;
  }

  #begin(fared: Fared): Promise<void> {
    const saved = this.#save(fared)
      .catch(this.#ports.onFailure)
      .finally(() => this.#saving.delete(saved));
    this.#saving.add(saved);
    return saved;
  }

  async #save(fared: Fared): Promise<void> {
    const { unsaved } = fared;
    fared.timer = undefined;
    fared.savedMs = this.#ports.clock.monotonicMs();
    fared.unsaved = nothing();
    try {
      await saveFared(this.#ports, fared.endpoint, unsaved);
    } catch (error) {
      fared.unsaved.failures.unshift(...unsaved.failures);
      fared.unsaved.successAt ??= unsaved.successAt;
      throw error;
    }
  }
}

const nothing = (): Unsaved => ({ failures: [], successAt: undefined });

async function saveFared(
  ports: WebhookPorts,
  endpoint: WebhookEndpoint,
  { failures, successAt }: Unsaved,
): Promise<void> {
  const { endpointId, tenantId } = endpoint;
  const key = { endpointId, tenantId };
  const isHealthy = failures.length === 0;
  // All that a success writes is its own, so nothing need be read for it.
  const stored = isHealthy ? endpoint : await ports.tables.find(endpointTable, key);
  if (stored === undefined) return; // removed
  const work = isHealthy ? { lastSuccessAt: successAt } : added(stored, { failures, successAt });
  await ports.tables.saveWork(endpointTable, { key, work });
  const now = { ...stored, ...work } as WebhookEndpoint;
  const count = failuresOf(now).failures;
  if (count >= FAILURES_TOLD && stored.failingToldAt === undefined) {
    await tellOfEndpoint(ports, endpoint, { what: 'failing' });
  }
  if (count === 0 && successAt !== undefined && isTold(stored)) {
    await tellOfEndpoint(ports, endpoint, { what: 'recovered' });
  }
}

/** The stored counts, with what has happened here. */
function added(stored: WebhookEndpoint, { failures, successAt }: Unsaved): Standing {
  const lastSuccessAt = latest(stored.lastSuccessAt, successAt);
  const before = failuresOf({ ...stored, ...(lastSuccessAt !== undefined && { lastSuccessAt }) });
  const since = failures.filter((at) => at > (lastSuccessAt ?? 0));
  const failingSince = before.failingSince ?? since[0];
  const lastFailureAt = latest(stored.lastFailureAt, failures.at(-1));
  return {
    consecutiveFailures: before.failures + since.length,
    ...(failingSince !== undefined && { failingSince }),
    ...(lastFailureAt !== undefined && { lastFailureAt }),
    ...(successAt !== undefined && lastSuccessAt !== undefined && { lastSuccessAt }),
  };
}

const latest = (one: EpochMs | undefined, other: EpochMs | undefined): EpochMs | undefined =>
  one === undefined || (other !== undefined && other > one) ? other : one;
