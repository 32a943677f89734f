/**
 * Whether an event has arrived at a customer's system, as the signed entry of its attempt tells it
 * (W17): a record says where to look, and one that no entry tells of counts for nothing.
 */
import {
  type AuditStore,
  entryPages,
  type JsonRecord,
  type KeyRing,
  seqSince,
  storedMembers,
  verifiedEvent,
} from '#core/audit';
import { chainOf, everyRecord, type Tables, type TenantId } from '#core/kernel';
import { arrivalTable, deliveryTable, type WebhookArrival } from './tables.ts';

const ATTEMPTS_ACTION = 'webhook.attempts';
const ENTRIES_A_PAGE = 50;
/** The entry is written a fifth of a second after the attempt; some of others are between. */
const PAGES_MAX = 20;
/** Arrivals that a process knows to be told. */
const KEPT_MAX = 10_000;
const RECORDS_MAX = 1_000;

export interface ArrivalPorts {
  readonly audit: Pick<AuditStore, 'findBySeq' | 'head' | 'readEvents'>;
  readonly keyRing: KeyRing;
  readonly tables: Pick<Tables, 'page'>;
}

/** What is asked about: an event of this type that tells of this thing. */
export interface ArrivalAsk {
  readonly tenantId: TenantId;
  readonly about: string;
  readonly eventType: string;
}

/** Arrivals as one process has compared them. */
export class Arrivals {
  readonly #ports: ArrivalPorts;
  readonly #told = new Set<string>();

  constructor(ports: ArrivalPorts) {
    this.#ports = ports;
  }

  /** Whether some delivery of this event has arrived; tests do not count. */
  async hasArrived({ about, eventType, tenantId }: ArrivalAsk): Promise<boolean> {
    const { tables } = this.#ports;
    const ask = { equal: { about, tenantId }, index: 'byAbout', limit: RECORDS_MAX };
    const { records } = await tables.page(arrivalTable, ask);
    for (const one of records.filter((arrival) => arrival.eventType === eventType)) {
      if (await this.isTold(one)) return true;
    }
    // Arrivals of a former release are known for as long as their deliveries.
    for (const one of (await tables.page(deliveryTable, ask)).records) {
      const { deliveredAt, deliveryId, isTest, status } = one;
      const isIt = one.eventType === eventType && status === 'DELIVERED' && isTest !== true;
      if (!isIt || deliveredAt === undefined) continue;
      const arrival = { about, arrivedAt: deliveredAt, deliveryId, eventType, tenantId };
      if (await this.isTold(arrival)) return true;
    }
    return false;
  }

  /** Whether a signed entry tells of the attempt with which it arrived. */
  async isTold(arrival: WebhookArrival): Promise<boolean> {
    const key = JSON.stringify([arrival.tenantId, arrival.deliveryId, arrival.about]);
    if (this.#told.has(key)) return true;
    if (!(await this.#find(arrival))) return false;
    this.#told.add(key);
    const [oldest] = this.#told;
    if (this.#told.size > KEPT_MAX && oldest !== undefined) this.#told.delete(oldest);
    return true;
  }

  async #find(arrival: WebhookArrival): Promise<boolean> {
    const { audit, keyRing } = this.#ports;
    const chainId = chainOf(arrival.tenantId);
    const fromSeq = await seqSince(audit, chainId, arrival.arrivedAt);
    const of = { action: ATTEMPTS_ACTION, chainId, entriesAPage: ENTRIES_A_PAGE, fromSeq };
    let pages = 0;
    for await (const page of entryPages(audit, of)) {
      const event = page.find((one) => tellsOf(storedMembers(one), arrival));
      const entry = event && verifiedEvent(event, { chainId, keyRing });
      if (event !== undefined) return entry !== undefined && tellsOf(entry, arrival);
      if (++pages === PAGES_MAX) return false;
    }
    return false;
  }
}

interface ToldAttempt {
  readonly about?: string;
  readonly delivery_id: string;
  readonly event_type: string;
  readonly status: string;
}

const tellsOf = ({ attempts }: JsonRecord, arrival: WebhookArrival): boolean =>
  ((attempts ?? []) as readonly ToldAttempt[]).some(
    (one) =>
      one.delivery_id === arrival.deliveryId &&
      one.event_type === arrival.eventType &&
      one.status === 'DELIVERED' &&
      // Entries of a former release do not name it.
      (one.about ?? arrival.about) === arrival.about,
  );

/** Arrivals of a tenant that no entry tells of, in words; how many there are. */
export async function checkArrivals(
  ports: ArrivalPorts,
  tenantId: TenantId,
): Promise<{ readonly count: number; readonly refusals: readonly string[] }> {
  const arrivals = new Arrivals(ports);
  const refusals: string[] = [];
  let count = 0;
  for await (const one of everyRecord(ports.tables, arrivalTable, {
    equal: { tenantId },
    index: 'key',
  })) {
    count += 1;
    if (await arrivals.isTold(one)) continue;
    refusals.push(`webhook arrival ${one.deliveryId}: no entry tells of it`);
  }
  return { count, refusals };
}
