/** Messages of the last deliveries in memory: the endpoints of a tenant share each of them. */
import type { Tables } from '#core/kernel';
import { messageTable, type WebhookDelivery, type WebhookMessage } from './tables.ts';

/** Characters of bodies that are kept. */
const CHARS_MAX = 8 * 1_024 * 1_024;

type Place = Pick<WebhookDelivery, 'eventId' | 'eventType' | 'tenantId'>;

const nameOf = ({ eventId, eventType, tenantId }: Place): string =>
  `${tenantId}/${eventId}/${eventType}`;

/** Read through, the oldest dropped first. */
export class MessageCache {
  readonly #tables: Pick<Tables, 'find' | 'findMany'>;
  readonly #messages = new Map<string, WebhookMessage>();
  #chars = 0;

  constructor(tables: Pick<Tables, 'find' | 'findMany'>) {
    this.#tables = tables;
  }

  /** Reads those that are not there, together. */
  async load(places: readonly Place[]): Promise<void> {
    const missing = new Map(
      places.filter((place) => !this.#messages.has(nameOf(place))).map((one) => [nameOf(one), one]),
    );
    if (missing.size === 0) return;
    const keys = [...missing.values()].map(({ eventId, eventType, tenantId }) => ({
      eventId,
      eventType,
      tenantId,
    }));
    for (const message of await this.#tables.findMany(messageTable, keys)) this.#keep(message);
  }

  /** Undefined: its time to be kept is over. */
  async get(place: Place): Promise<WebhookMessage | undefined> {
    const known = this.#messages.get(nameOf(place));
    if (known !== undefined) return known;
    const { eventId, eventType, tenantId } = place;
    const found = await this.#tables.find(messageTable, { eventId, eventType, tenantId });
    if (found !== undefined) this.#keep(found);
    return found;
  }

  #keep(message: WebhookMessage): void {
    const name = nameOf(message);
    if (this.#messages.has(name)) return;
    this.#messages.set(name, message);
    this.#chars += message.body.length;
    for (const [oldest, { body }] of this.#messages) {
      if (this.#chars <= CHARS_MAX) return;
      this.#messages.delete(oldest);
      this.#chars -= body.length;
    }
  }
}
