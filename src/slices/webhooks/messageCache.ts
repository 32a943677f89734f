/** Messages of the last deliveries in memory: the endpoints of a tenant share each of them. */
import type { Tables } from '#core/kernel';
import type { SecretBox } from '#platform/secretBox';
import { isAsSealed } from './signedMessage.ts';
import { messageTable, type WebhookDelivery, type WebhookMessage } from './tables.ts';

/** Characters of bodies that are kept. */
const CHARS_MAX = 8 * 1_024 * 1_024;

type Place = Pick<WebhookDelivery, 'eventId' | 'eventType' | 'tenantId'>;

const nameOf = ({ eventId, eventType, tenantId }: Place): string =>
  `${tenantId}/${eventId}/${eventType}`;

/** Messages that are what was made of their events, read through, the oldest dropped first. */
export class MessageCache {
  readonly #tables: Pick<Tables, 'find' | 'findMany'>;
  readonly #secrets: SecretBox;
  readonly #messages = new Map<string, WebhookMessage>();
  #chars = 0;

  constructor(tables: Pick<Tables, 'find' | 'findMany'>, secrets: SecretBox) {
    this.#tables = tables;
    this.#secrets = secrets;
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

  /** Undefined: its time to be kept is over; altered: it was written past the service. */
  async get(place: Place): Promise<WebhookMessage | 'altered' | undefined> {
    const known = this.#messages.get(nameOf(place));
    if (known !== undefined) return known;
    const { eventId, eventType, tenantId } = place;
    const found = await this.#tables.find(messageTable, { eventId, eventType, tenantId });
    if (found === undefined) return undefined;
    return this.#keep(found) ? found : 'altered';
  }

  /** Whether it is what was sealed: another is read anew whenever it is asked for. */
  #keep(message: WebhookMessage): boolean {
    const name = nameOf(message);
    if (this.#messages.has(name)) return true;
    if (!isAsSealed(this.#secrets, message)) return false;
    this.#messages.set(name, message);
    this.#chars += message.body.length;
    for (const [oldest, { body }] of this.#messages) {
      if (this.#chars <= CHARS_MAX) break;
      this.#messages.delete(oldest);
      this.#chars -= body.length;
    }
    return true;
  }
}
