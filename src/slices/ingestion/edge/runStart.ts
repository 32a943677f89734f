/** The start of a run, answered once it is on record; a worker takes it from there. */
import type { Asker, IdempotencyRecord } from '#core/audit';
import type { AppliedChange } from '#core/identity';
import { DomainError, type SourceId } from '#core/kernel';
import { type ListRun, newSource, type RunPorts, type StartRun, startRun } from '#slices/ingestion';
import { presentRun } from './runSchemas.ts';

export interface RunStartOptions extends RunPorts {
  readonly isAirGapped: boolean;
  /** Tells the workers of a new run. Neither throws nor waits. */
  readonly wake: (runId: string) => void;
}

export interface RunStart {
  readonly ask: Omit<StartRun, 'ip' | 'triggeredBy'>;
  readonly asker: Asker;
  /** The answer that is kept under the caller's key. */
  readonly idempotency?: (answer: AppliedChange) => IdempotencyRecord;
}

export async function start(
  options: RunStartOptions,
  { ask, asker, idempotency }: RunStart,
): Promise<AppliedChange> {
  const { actor, ip } = asker;
  await refuseWithoutOrigin(options, ask.sourceId);
  const answerOf = (run: ListRun): AppliedChange => ({
    body: JSON.stringify(presentRun(run, true)),
    status: 202,
  });
  const run = await startRun(options, {
    ...ask,
    alongside: (started) => ({
      ...ask.alongside?.(started),
      ...(idempotency !== undefined && { idempotency: () => idempotency(answerOf(started)) }),
    }),
    ...(ip !== undefined && { ip }),
    triggeredBy: actor,
  });
  options.wake(run.runId);
  return answerOf(run);
}

/** Better said now than by a run that can only fail. */
export async function refuseWithoutOrigin(
  options: Pick<RunStartOptions, 'isAirGapped' | 'lists'>,
  sourceId: string,
): Promise<void> {
  const source = (await options.lists.findSource(sourceId as SourceId)) ?? newSource(sourceId);
  const { airGapPath, url } = source;
  if (airGapPath !== undefined || (url !== undefined && !options.isAirGapped)) return;
  const expected = options.isAirGapped ? 'air_gap_path' : 'url or air_gap_path';
  throw new DomainError('state-conflict', {
    detail: `source ${sourceId}: expected ${expected}, got none: there is nothing to fetch`,
  });
}
