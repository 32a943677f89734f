/**
 * Writes what attempts came to: per tenant, as many together as have come in a fifth of a second.
 * One commit holds the states and the entry that tells of every attempt, so neither is without the
 * other. What another worker wrote first is left out, and its attempt is told all the same: it was
 * made.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { entry, StaleChange } from '#core/audit';
import { type BusEvent, chainOf, type LeaseClaim, type TenantId } from '#core/kernel';
import type { JudgedAttempt } from './attempt.ts';
import type { WebhookPorts } from './ports.ts';
import { deliveryTable } from './tables.ts';

/** Milliseconds for which attempts of a tenant are gathered, */
const FLUSH_MS = 200;
/** or so many of them. */
export const FLUSH_ATTEMPTS_MAX = 100;
/** Milliseconds before a commit that the store refused is tried again. */
const RETRY_MS = 500;
/** A row that is lost by then belongs to another worker. */
const TRIES_MAX = 60;

/** An attempt with the lease under which it was made. */
export interface DoneAttempt extends JudgedAttempt {
  readonly claim: LeaseClaim;
}

export type FlushPorts = Pick<WebhookPorts, 'clock' | 'commit' | 'random' | 'tables'> & {
  readonly onFailure: (error: unknown) => void;
};

interface Waiting {
  readonly done: DoneAttempt;
  readonly settle: () => void;
}

/** Gathers the attempts of all tenants. */
export class AttemptFlush {
  readonly #ports: FlushPorts;
  readonly #waiting = new Map<TenantId, Waiting[]>();
  readonly #timers = new Map<TenantId, NodeJS.Timeout>();

  constructor(ports: FlushPorts) {
    this.#ports = ports;
  }

  /** Resolves once it is written, or was given up for another worker. Never rejects. */
  add(done: DoneAttempt): Promise<void> {
    const { tenantId } = done.next;
    return new Promise((settle) => {
      const waiting = this.#waiting.get(tenantId) ?? [];
      this.#waiting.set(tenantId, waiting);
      waiting.push({ done, settle });
      if (waiting.length >= FLUSH_ATTEMPTS_MAX) this.#flush(tenantId);
      else if (!this.#timers.has(tenantId)) {
        this.#timers.set(
          tenantId,
          setTimeout(() => this.#flush(tenantId), FLUSH_MS),
        );
      }
    });
  }

  /** Writes what waits, without waiting for more. */
  now(): void {
    for (const tenantId of [...this.#waiting.keys()]) this.#flush(tenantId);
  }

  #flush(tenantId: TenantId): void {
    clearTimeout(this.#timers.get(tenantId));
    this.#timers.delete(tenantId);
    const waiting = this.#waiting.get(tenantId) ?? [];
    this.#waiting.delete(tenantId);
    if (waiting.length === 0) return;
    const done = waiting.map((one) => one.done);
    void writeAttempts(this.#ports, tenantId, done)
      .catch(this.#ports.onFailure)
      .finally(() => {
        for (const { settle } of waiting) settle();
      });
  }
}

/** In one commit; then the rows that wait for another attempt are given back. */
export async function writeAttempts(
  ports: FlushPorts,
  tenantId: TenantId,
  done: readonly DoneAttempt[],
): Promise<void> {
  let written = [...done];
  for (let tries = 1; ; ) {
    try {
      await commitAttempts(ports, tenantId, { all: done, written });
      break;
    } catch (error) {
      if (error instanceof StaleChange) {
        written = written.filter((_, place) => place !== error.changeIndex);
        continue;
      }
      if (tries++ >= TRIES_MAX) throw error;
      ports.onFailure(error);
      await delay(RETRY_MS);
    }
  }
  await Promise.all(written.map((one) => giveBack(ports, one)));
}

function commitAttempts(
  ports: FlushPorts,
  tenantId: TenantId,
  of: { readonly all: readonly DoneAttempt[]; readonly written: readonly DoneAttempt[] },
): Promise<unknown> {
  return ports.commit(chainOf(tenantId), {
    bus: of.written.flatMap(({ next }) => failedEvent(next)),
    changes: of.written.map(({ next }) => deliveryTable.put(next, next.version - 1)),
    events: [
      entry(ports, {
        action: 'webhook.attempts',
        actor: 'system:webhooks',
        members: { attempts: of.all.map((one) => memberOf(one, of.written.includes(one))) },
        target: 'webhooks',
      }),
    ],
  });
}

/** An attempt is told though the state that stands is another worker's: it was made. */
const memberOf = ({ member }: DoneAttempt, isWritten: boolean): DoneAttempt['member'] =>
  isWritten ? member : { ...member, superseded: true };

const failedEvent = (delivery: JudgedAttempt['next']): BusEvent[] => {
  const { deliveryId, endpointId, eventType, failureReason, isTest, status, tenantId } = delivery;
  if (status !== 'FAILED' || isTest === true) return [];
  return [
    {
      partition: tenantId,
      payload: { deliveryId, endpointId, eventType, failureReason },
      topic: 'webhooks.delivery.failed',
    },
  ];
};

/** A row that has ended holds no lease any more. */
async function giveBack({ tables }: FlushPorts, { claim, next }: DoneAttempt): Promise<void> {
  const { deliveryId, nextAttemptAt, tenantId } = next;
  if (nextAttemptAt === undefined) return;
  await tables
    .giveBack(deliveryTable, {
      claim,
      isTried: false,
      key: { deliveryId, tenantId },
      work: { dueAt: nextAttemptAt },
    })
    // A row that cannot be given back is found silent, later.
    .catch(() => undefined);
}
