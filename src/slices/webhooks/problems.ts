/** Problems of endpoints, their secrets and their deliveries. */
import type { CodesOf, ProblemRows } from '#core/kernel';
import { SEE_ERRORS } from '#core/kernel';

/** Folded into the table of an installation by src/app/sliceRows.ts. */
export const problems = {
  'webhook-url-refused': {
    status: 422,
    title: 'URL refused',
    meaning: 'The endpoint’s URL is not one that webhooks are sent to.',
    remedy: SEE_ERRORS,
  },
  'webhook-certificate-refused': {
    status: 422,
    title: 'Certificate refused',
    meaning: 'A certificate, its key or an authority is not one that connections can be made with.',
    remedy: SEE_ERRORS,
  },
  'webhook-limit': {
    status: 422,
    title: 'Too many endpoints',
    meaning: 'The tenant has as many endpoints as it may have.',
    remedy: 'Remove one, or let one endpoint take more events.',
  },
  'webhook-taken': {
    status: 409,
    title: 'Endpoint exists',
    meaning: 'The tenant has an endpoint of this URL and catalogue already.',
    remedy: 'Change that one; `GET /v1/webhooks/config` names it.',
  },
  'webhook-unknown': {
    status: 404,
    title: 'Unknown endpoint, delivery or order',
    meaning: 'The tenant has no endpoint, no delivery and no order of replays of that id.',
    remedy: 'Use an id of `GET /v1/webhooks/config` or of `GET /v1/webhooks/deliveries`.',
    exit: 'notFound',
  },
  'webhook-endpoint-unnamed': {
    status: 422,
    title: 'Endpoint not named',
    meaning: 'The tenant has more than one endpoint, or none, so one has to be named.',
    remedy: 'Send `endpoint_id`.',
  },
  'webhook-secret-overlap': {
    status: 409,
    title: 'Two secrets are live',
    meaning: 'The secret was rotated less than 24 hours ago, and the former one still holds.',
    remedy: 'Wait until `previous_expires_at`, or end the former one: `{"revoke_previous": true}`.',
  },
  'secret-revealed': {
    status: 410,
    title: 'Secret revealed already',
    meaning: 'A secret is shown once: when it is made, and once after a rotation.',
    remedy: 'Rotate the secret if it is lost.',
  },
  'webhook-time-range': {
    status: 422,
    title: 'Time range refused',
    meaning: 'The time ends before it begins.',
    remedy: SEE_ERRORS,
  },
  'webhook-endpoint-disabled': {
    status: 409,
    title: 'Endpoint disabled',
    meaning: 'The endpoint is disabled, so nothing is sent to it.',
    remedy: 'Enable it first.',
  },
  'event-unknown': {
    status: 400,
    title: 'Unknown event',
    meaning: 'An event is not in the endpoint’s catalogue.',
    remedy: 'Use names of `GET /v1/webhooks/event-types`, or `*` alone.',
  },
} as const satisfies ProblemRows;

declare module '#core/kernel' {
  interface ProblemCodes extends CodesOf<typeof problems> {}
}
