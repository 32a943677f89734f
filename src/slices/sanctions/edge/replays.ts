/** Replays over HTTP (interface.md 4.8, rule 8): asked for, and read until they have ended. */
import { askForReplay, findReplay, type ReplayAskPorts } from '#slices/sanctions';
import { askerOf } from '../../../api/asker.ts';
import type { Operation, OperationContext } from '../../../api/operation.ts';
import { keptUnder } from '../../../api/storedAnswer.ts';
import { roles } from '../roles.ts';
import { presentReplay } from './presentation.ts';
import { ReplayQueued, ReplayShown } from './schemas.ts';

export interface ReplayRouteOptions {
  readonly parts: () => ReplayAskPorts;
  readonly wake: (replayId: string) => void;
}

export const replayOperations = (options: ReplayRouteOptions): readonly Operation[] => [
  {
    id: 'replayScreening',
    method: 'POST',
    path: '/v1/sanctions/screenings/{id}/replay',
    tag: 'Sanctions',
    summary: 'Repeat a screening from what its event pins',
    description:
      'With the lists, exclusions, re-ranker and settings of the event, over its query. What ' +
      'differs is told by JSON pointer, and is a critical alert.',
    roles: roles.replay,
    scope: 'screening:write',
    problems: ['not-found'],
    idempotency: 'required',
    limits: 'general',
    bodyBytesMax: 0,
    responses: { 202: { description: 'Queued', schema: ReplayQueued } },
    handle: (context) => ask(options, context),
  },
  {
    id: 'getScreeningReplay',
    method: 'GET',
    path: '/v1/sanctions/screenings/{id}/replays/{replay_id}',
    tag: 'Sanctions',
    summary: 'How a replay stands, and what it has shown',
    roles: roles.replay,
    scope: 'screening:read',
    problems: ['not-found'],
    idempotency: 'none',
    limits: 'general',
    bodyBytesMax: 0,
    responses: { 200: { description: 'The replay', schema: ReplayShown } },
    async handle({ params, tenantId }) {
      const { id: screeningId = '', replay_id: replayId = '' } = params;
      const replay = await findReplay(options.parts(), { replayId, screeningId, tenantId });
      return { body: presentReplay(replay), status: 200 };
    },
  },
];

async function ask(options: ReplayRouteOptions, context: OperationContext) {
  const { idempotency, params, tenantId } = context;
  const ports = options.parts();
  const kept = keptUnder(idempotency, ports.clock as never).idempotency;
  const bodyOf = (replayId: string) => JSON.stringify({ replay_id: replayId, status: 'queued' });
  const replay = await askForReplay(ports, {
    ...askerOf(context),
    screeningId: params.id ?? '',
    tenantId,
    ...(kept !== undefined && {
      idempotency: ({ replayId }) => kept({ body: bodyOf(replayId), status: 202 }),
    }),
  });
  options.wake(replay.replayId);
  return { body: bodyOf(replay.replayId), status: 202 };
}
