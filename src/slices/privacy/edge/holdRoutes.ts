/** Legal holds over HTTP: placed by two persons, lifted by two (customers.md 5.3). */
import type { Static } from 'typebox';
import {
  askForHold,
  askToExtend,
  askToLift,
  confirmHold,
  type HoldAsk,
  type HoldNow,
  isErasureInHand,
  isHolding,
  type KeptHold,
} from '#slices/privacy';
import { instantOf } from '../../../api/instants.ts';
import { kept } from '../../../api/keptAnswer.ts';
import type { Operation, OperationContext } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import { actorOf } from './actorOf.ts';
import { presentHold } from './presentation.ts';
import { BODY_BYTES_MAX, COMMON, type PrivacyRouteOptions } from './routeOptions.ts';
import { ConfirmHoldBody, HoldBody, HoldResult, LiftBody } from './schemas.ts';

const PATH = '/v1/privacy/subject/{external_ref}/hold';
const CHANGING = {
  ...COMMON,
  bodyBytesMax: BODY_BYTES_MAX,
  idempotency: 'required',
  method: 'POST',
  problems: ['person-required', 'privacy-hold-state', 'privacy-request-invalid', 'state-altered'],
  responses: { 200: { description: 'The hold as it became', schema: HoldResult } },
  roles: roles.hold,
  scope: 'privacy:write',
} as const;

export const holdRoutes = (options: PrivacyRouteOptions): Operation[] => [
  get(options),
  place(options),
  extend(options),
  lift(options),
  confirm(options),
];

const get = (options: PrivacyRouteOptions): Operation => ({
  ...COMMON,
  bodyBytesMax: 0,
  description: 'A subject of whom nobody has asked for one has `state` null.',
  id: 'getLegalHold',
  idempotency: 'none',
  method: 'GET',
  path: PATH,
  problems: ['state-altered'],
  responses: { 200: { description: 'The hold', schema: HoldResult } },
  roles: roles.confirmHold,
  scope: 'privacy:read',
  summary: 'Whether a legal hold keeps all that is held of a subject',
  async handle({ params, tenantId }) {
    const { ports } = options;
    const of = { subjectRef: params.external_ref ?? '', tenantId };
    const hold = await ports.signed.holdOf(of);
    const isInForce = isHolding(hold, ports.clock.now()) && !(await isErasureInHand(ports, of));
    return { body: presentHold(of.subjectRef, { hold, isInForce }), status: 200 };
  },
});

const place = (options: PrivacyRouteOptions): Operation => ({
  ...CHANGING,
  body: HoldBody,
  description:
    'It holds at once, and until it is declined or lifted, or `until` has come; another ' +
    'registered person confirms it. An erasure that was approved waits, and goes on by itself ' +
    'afterwards.',
  example: { reason: 'Order of the court of 12 January', until: '2031-01-12T00:00:00Z' },
  id: 'askForLegalHold',
  path: PATH,
  summary: 'Ask for a legal hold of a subject',
  handle: (context) =>
    step(options, context, (ask, idempotency) => {
      const { reason, until } = context.body as Static<typeof HoldBody>;
      const end = instantOf(until, '/until');
      return askForHold(options.ports, { ...ask, reason, until: end }, idempotency);
    }),
});

const extend = (options: PrivacyRouteOptions): Operation => ({
  ...CHANGING,
  body: HoldBody,
  description:
    'A hold that is placed lasts until the later `until`, unless another registered person ' +
    'declines it: then until the one that it had before. So there is no moment without one.',
  example: { reason: 'The proceedings go on', until: '2036-01-12T00:00:00Z' },
  id: 'askToExtendLegalHold',
  path: `${PATH}/extend`,
  summary: 'Ask that a legal hold end later',
  handle: (context) =>
    step(options, context, (ask, idempotency) => {
      const { reason, until } = context.body as Static<typeof HoldBody>;
      const end = instantOf(until, '/until');
      return askToExtend(options.ports, { ...ask, reason, until: end }, idempotency);
    }),
});

const lift = (options: PrivacyRouteOptions): Operation => ({
  ...CHANGING,
  body: LiftBody,
  description: 'It holds until another registered person has confirmed it.',
  example: { reason: 'The proceedings have ended' },
  id: 'askToLiftLegalHold',
  path: `${PATH}/lift`,
  summary: 'Ask that a legal hold be lifted',
  handle: (context) =>
    step(options, context, (ask, idempotency) => {
      const { reason } = context.body as Static<typeof LiftBody>;
      return askToLift(options.ports, { ...ask, reason }, idempotency);
    }),
});

const confirm = (options: PrivacyRouteOptions): Operation => ({
  ...CHANGING,
  body: ConfirmHoldBody,
  description: 'Who asked may take it back by declining.',
  example: { confirm: true },
  id: 'confirmLegalHold',
  path: `${PATH}/confirm`,
  problems: [...CHANGING.problems, 'dual-control-same-person'],
  roles: roles.confirmHold,
  summary: 'Confirm, or decline, a legal hold, its extension or its end',
  handle: (context) =>
    step(options, context, (ask, idempotency) => {
      const { confirm: isConfirmed } = context.body as Static<typeof ConfirmHoldBody>;
      return confirmHold(options.ports, { ...ask, isConfirmed }, idempotency);
    }),
});

async function step(
  { identity, ports }: PrivacyRouteOptions,
  context: OperationContext,
  act: (ask: HoldAsk, idempotency: KeptHold | undefined) => Promise<HoldNow>,
) {
  const subjectRef = context.params.external_ref ?? '';
  const answer = kept<HoldNow>(ports, context, {
    present: (now) => presentHold(subjectRef, now),
    status: 200,
  });
  const by = await actorOf({ identity }, context);
  return answer.reply(await act({ by, subjectRef }, answer.idempotency.idempotency));
}
