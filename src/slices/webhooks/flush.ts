/**
 * Writes what attempts came to: per tenant, as many together as have come in a fifth of a second.
 * One commit holds the states and the entry that tells of every attempt, so neither is without the
 * other. What another worker wrote first is left out, and its attempt is told all the same: it was
 * made.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { entry, type IdempotencyRecord, IdempotencyTaken, StaleChange } from '#core/audit';
import {
  type BusEvent,
  chainOf,
  type LeaseClaim,
  type TableChange,
  type TenantId,
} from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { uuidV7 } from '#platform/random';
import type { JudgedAttempt } from './attempt.ts';
import type { WebhookPorts } from './ports.ts';
import { arrivalTable, deliveryTable, type WebhookDelivery } from './tables.ts';

/** Milliseconds for which attempts are gathered, at most. */
const FLUSH_MS = 200;
/** Attempts of a tenant that are written without waiting for more. */
export const FLUSH_ATTEMPTS_MAX = 100;
/** Milliseconds before a commit that the store refused is tried again. */
const RETRY_MS = 500;
/** A row that is lost by then belongs to another worker. */
const TRIES_MAX = 60;
/** Tries between two renewals of the leases: five seconds, of the 45 after which they are lost. */
const RENEW_TRIES = 10;

/** An attempt with the lease under which it was made. */
export interface DoneAttempt extends JudgedAttempt {
  readonly claim: LeaseClaim;
}

export type FlushPorts = Pick<WebhookPorts, 'clock' | 'commit' | 'random' | 'tables'> & {
  /** Types of events whose arrival is kept for good. */
  readonly keptArrivals: () => Promise<ReadonlySet<string>>;
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
  #timer: NodeJS.Timeout | undefined;

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
      // All tenants at once: a store that writes what waits together then has one write of them.
      else this.#timer ??= setTimeout(() => this.now(), FLUSH_MS);
    });
  }

  /** Writes what waits, without waiting for more. */
  now(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const tenantId of [...this.#waiting.keys()]) this.#flush(tenantId);
  }

  #flush(tenantId: TenantId): void {
    const waiting = this.#waiting.get(tenantId) ?? [];
    this.#waiting.delete(tenantId);
    if (waiting.length === 0) return;
    const done = waiting.map((one) => one.done);
    // Each kind has entries of its own: the trail shows one kind to everybody.
    const kinds = Object.values(Object.groupBy(done, ({ next }) => String(next.isConfidential)));
    void Promise.all(kinds.map((some = []) => writeAttempts(this.#ports, tenantId, some)))
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
  const flushId = uuidV7(ports.clock.now(), ports.random);
  let written = [...done];
  let isUnsure = false;
  for (let tries = 1; ; ) {
    try {
      await commitAttempts(ports, tenantId, { all: done, flushId, written });
      break;
    } catch (error) {
      // A commit that was reported as failed may have been made, or be made only now.
      if (error instanceof IdempotencyTaken) break;
      if (isUnsure && (await isWritten(ports, written))) break;
      if (error instanceof StaleChange && error.changeIndex < written.length) {
        written = written.filter((_, place) => place !== error.changeIndex);
        continue;
      }
      if (tries >= TRIES_MAX) throw error;
      ports.onFailure(error);
      isUnsure = true;
      await delay(RETRY_MS);
      // The attempt may have taken most of its lease already.
      if (tries++ % RENEW_TRIES === 1) await Promise.all(written.map((one) => renew(ports, one)));
    }
  }
  await Promise.all(written.map((one) => giveBack(ports, one)));
}

async function commitAttempts(
  ports: FlushPorts,
  tenantId: TenantId,
  of: {
    readonly all: readonly DoneAttempt[];
    readonly flushId: string;
    readonly written: readonly DoneAttempt[];
  },
): Promise<unknown> {
  const { all, flushId, written } = of;
  const keptTypes = await ports.keptArrivals();
  const told = entry(ports, {
    action: 'webhook.attempts',
    actor: 'system:webhooks',
    members: {
      attempts: all.map((one) => memberOf(one, written.includes(one))),
      ...(all.some(({ next }) => next.isConfidential) && { confidential: true }),
    },
    target: 'webhooks',
  });
  return ports.commit(chainOf(tenantId), {
    bus: written.flatMap(({ next }) => failedEvent(next)),
    changes: [
      ...written.map(({ next }) => deliveryTable.put(next, next.version - 1)),
      ...written.flatMap(({ next }) => arrivalOf(next, keptTypes)),
    ],
    events: [told],
    // Where no row says whether the entry was written, this does.
    ...(written.length === 0 && { idempotency: () => onceOnly(flushId, ports.clock.now()) }),
  });
}

/** An attempt is told though the state that stands is another worker's: it was made. */
const memberOf = ({ member }: DoneAttempt, isWritten: boolean): DoneAttempt['member'] =>
  isWritten ? member : { ...member, superseded: true };

const onceOnly = (flushId: string, now: EpochMs): IdempotencyRecord => ({
  answer: { body: '', contentType: 'text/plain', kind: 'body', status: 200 },
  createdAt: now,
  fingerprint: flushId,
  scope: `webhook-attempts:${flushId}`,
});

/** Written together or not at all, so one row tells. */
async function isWritten(
  { tables }: FlushPorts,
  written: readonly DoneAttempt[],
): Promise<boolean> {
  const keys = written.map(({ next: { deliveryId, tenantId } }) => ({ deliveryId, tenantId }));
  const stored = await tables.findMany(deliveryTable, keys);
  const byId = new Map(stored.map((one) => [one.deliveryId, one]));
  return written.some(({ next }) => isOrFollows(byId.get(next.deliveryId), next));
}

/** A row that another worker has by now still holds the attempt. */
function isOrFollows(stored: WebhookDelivery | undefined, next: WebhookDelivery): boolean {
  if (stored === undefined || stored.version < next.version) return false;
  const last = next.attempts.at(-1);
  const hasLast = last === undefined || stored.attempts.some((one) => isDeepStrictEqual(one, last));
  const isSame = stored.status === next.status && stored.failureReason === next.failureReason;
  return hasLast && (isSame || stored.version > next.version);
}

const arrivalOf = (
  { about, deliveredAt, deliveryId, eventType, isTest, status, tenantId }: WebhookDelivery,
  keptTypes: ReadonlySet<string>,
): TableChange[] =>
  status === 'DELIVERED' && about !== undefined && isTest !== true && keptTypes.has(eventType)
    ? [
        arrivalTable.insert({
          about,
          arrivedAt: deliveredAt ?? (0 as EpochMs),
          deliveryId,
          eventType,
          tenantId,
        }),
      ]
    : [];

const failedEvent = (delivery: JudgedAttempt['next']): BusEvent[] => {
  const { deliveryId, endpointId, eventType, failureReason, isTest, status, tenantId } = delivery;
  if (status !== 'FAILED' || isTest === true || delivery.isConfidential === true) return [];
  return [
    {
      partition: tenantId,
      payload: { deliveryId, endpointId, eventType, failureReason },
      topic: 'webhooks.delivery.failed',
    },
  ];
};

/** A row that is sent again while what it came to is still being written would be sent twice. */
async function renew({ tables }: FlushPorts, { claim, next }: DoneAttempt): Promise<void> {
  const { deliveryId, tenantId } = next;
  const key = { deliveryId, tenantId };
  // The store has just refused something: whoever has the row by then is told by its version.
  await tables.renew(deliveryTable, { claim, key }).catch(() => undefined);
}

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
