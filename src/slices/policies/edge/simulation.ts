/** What a policy would change, before anybody signs it. */
import { DomainError } from '#core/kernel';
import { type EpochMs, toTimestamp } from '#platform/clock';
import { instantOf } from '../../../api/instants.ts';
import type { Operation, OperationContext } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import { CHANGING, PATH, type PolicyRouteOptions, placeOf } from './routeOptions.ts';
import {
  SAMPLE_DEFAULT,
  SIMULATED_MS_DEFAULT,
  type Simulate,
  SimulateBody,
  SimulationResult,
} from './schemas.ts';
import type { Simulated } from './simulator.ts';

export const simulationOperations = (options: PolicyRouteOptions): Operation[] => [
  {
    ...CHANGING,
    id: 'simulatePolicy',
    method: 'POST',
    path: `${PATH}/{version}/simulate`,
    // Nothing is kept under the key: it may run again, and writes nothing.
    idempotency: 'required',
    roles: roles.simulate,
    scope: 'policies:read',
    problems: [
      'deadline-exceeded',
      'engine-queue-full',
      'list-unavailable',
      'policy-unknown',
      'state-altered',
    ],
    summary: 'What a version would change over past screenings; nothing is written',
    description:
      'Past screenings are scored over the lists in force by the policy that decides and by this ' +
      'version, so that what differs is the policy’s doing. One at a time in a gateway, for ' +
      'twenty seconds at the most; `complete` says whether the whole sample was screened.',
    body: SimulateBody,
    example: { sample: 500 },
    responses: { 200: { description: 'What would change', schema: SimulationResult } },
    async handle(context) {
      const place = placeOf(context);
      const time = timeOf(context.body as Simulate, options.ports().clock.now());
      const found = await options.simulate({
        ...place,
        ...time,
        isSandbox: context.principal.environment === 'sandbox',
        sample: (context.body as Simulate).sample ?? SAMPLE_DEFAULT,
        ...signalOf(context),
      });
      return {
        body: presentSimulation(found, { ...time, version: place.policyVersion }),
        status: 200,
      };
    },
  },
];

const signalOf = ({ request: { signal } }: OperationContext) => (signal ? { signal } : {});

/** Throws `body-invalid` where the time is none. */
export function timeOf(
  { from: since, to: until }: Pick<Simulate, 'from' | 'to'>,
  now: EpochMs,
): { readonly from: EpochMs; readonly to: EpochMs } {
  const to = until === undefined ? now : instantOf(until, '/to');
  const from = since === undefined ? to - SIMULATED_MS_DEFAULT : instantOf(since, '/from');
  if (from < to) return { from: from as EpochMs, to };
  const violations = [{ code: 'range', detail: 'expected from before to', pointer: '/from' }];
  throw new DomainError('body-invalid', { violations });
}

export const presentSimulation = (
  found: Simulated,
  of: { readonly version: number; readonly from: EpochMs; readonly to: EpochMs },
) => ({
  version: of.version,
  base_version: found.baseVersion,
  content_hash: found.contentHash,
  list_version: found.listVersion,
  from: toTimestamp(of.from),
  to: toTimestamp(of.to),
  screened: found.screened,
  erased: found.erased,
  complete: found.isComplete,
  before: found.before,
  after: found.after,
  hits_before: found.hitsBefore,
  hits_after: found.hitsAfter,
  changed: found.changed,
  shifts: found.shifts,
  examples: found.examples.map(({ after, before, occurredAt, screeningId }) => ({
    screening_id: screeningId,
    occurred_at: toTimestamp(occurredAt),
    before: verdictOf(before),
    after: verdictOf(after),
  })),
});

const verdictOf = ({ decision, hits }: Simulated['examples'][number]['before']) => ({
  decision,
  hits: hits.map(({ ftm_id, typology }) => ({ ftm_id, typology })),
});
