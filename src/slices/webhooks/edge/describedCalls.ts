/** Deliveries in the description of the API (W14): events, headers, and what answers do. */
import type { PublicEvent } from '#core/kernel';
import type { CallHeader, DescribedCall } from '../../../api/openapiCalls.ts';
import { TEST_EVENT_TYPE } from './testEventType.ts';

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const Id = { format: 'uuid', type: 'string' };
const Seconds = { pattern: '^[0-9]{1,12}$', type: 'string' };

const HEADERS: readonly CallHeader[] = [
  {
    name: 'X-Service-Event-Id',
    description: 'As in the body. The same in every attempt and replay.',
    schema: Id,
  },
  { name: 'X-Service-Event-Type', description: 'As in the body.', schema: { type: 'string' } },
  { name: 'X-Service-Tenant-Id', description: 'Whose event it is.', schema: Id },
  {
    name: 'X-Service-Timestamp',
    description: 'Seconds since 1970 at which this attempt was signed.',
    schema: Seconds,
  },
  {
    name: 'X-Service-Delivery-Attempt',
    description: 'Which attempt of this delivery it is.',
    schema: { maximum: 8, minimum: 1, type: 'integer' },
  },
  {
    name: 'X-Service-Idempotency-Key',
    description: 'Take each once. A replay with `force` has a key of its own.',
    schema: { pattern: `^${UUID}:${UUID}(?::r[0-9]+)?$`, type: 'string' },
  },
  {
    name: 'X-Service-Signature',
    description:
      'HMAC-SHA-256 over `<t>.<body>`, the key being the 32 bytes behind `whsec_`; one `v1` for ' +
      'each live secret, the newest first.',
    schema: { pattern: '^t=[0-9]{1,12}(?:,v1=[0-9a-f]{64}){1,2}$', type: 'string' },
  },
  { name: 'webhook-id', description: 'As Standard Webhooks has it: the event’s id.', schema: Id },
  { name: 'webhook-timestamp', description: 'As Standard Webhooks has it.', schema: Seconds },
  {
    name: 'webhook-signature',
    description: 'As Standard Webhooks has it, over `<id>.<timestamp>.<body>`.',
    schema: { pattern: '^v1,[A-Za-z0-9+/]{43}=(?: v1,[A-Za-z0-9+/]{43}=)?$', type: 'string' },
  },
  {
    name: 'traceparent',
    description: 'W3C Trace Context, a trace for each attempt.',
    schema: { pattern: '^00-[0-9a-f]{32}-[0-9a-f]{16}-01$', type: 'string' },
  },
];

const ANSWERS = {
  '2XX': 'Taken.',
  '307': 'Followed, up to three times, with the same body and headers; so is 308.',
  '410': 'The endpoint is gone: it is disabled, and nothing is sent to it any more.',
  '429': 'Tried again at `Retry-After`, within 24 hours.',
  '4XX': 'Failed for good, but for 408 and 429; it can be replayed.',
  '5XX': 'Tried again, eight times in all; not before a `Retry-After` of up to an hour.',
} as const;

/** Every event that is sent, and the test. */
export const describedCalls = (events: readonly PublicEvent<never>[]): readonly DescribedCall[] =>
  [...events, TEST_EVENT_TYPE].map(({ catalogs, description, example, name, schema }) => ({
    answers: ANSWERS,
    catalogs,
    description,
    example,
    headers: HEADERS,
    name,
    schema,
  }));
