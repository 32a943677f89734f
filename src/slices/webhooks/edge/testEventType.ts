/** The event type of a test that names no other; it is sent on demand alone. */
import type { EventType } from '#slices/webhooks';
import { TEST_EVENT } from '#slices/webhooks';

export const TEST_EVENT_TYPE: EventType = {
  name: TEST_EVENT,
  catalogs: ['A', 'B'],
  since: '2026-11-23',
  description: 'A test that a person ordered. It is sent to the endpoint that was named.',
  schema: {
    properties: {
      endpoint_id: { format: 'uuid', type: 'string' },
      requested_by: { type: 'string' },
      test: { const: true },
    },
    required: ['endpoint_id', 'requested_by', 'test'],
    type: 'object',
  },
  example: {
    endpoint_id: '019a0b2c-7d4e-7000-8000-000000000000',
    requested_by: '019a0b2c-7d4f-7000-8000-000000000000',
    test: true,
  },
};
