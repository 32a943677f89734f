/** A run of a list in the process of the command line: on record, and audited, like any other. */
import type { Actor } from '#core/audit';
import { DomainError, type Tables } from '#core/kernel';
import { isProcessGone, WorkLost } from '#core/work';
import {
  type Allowances,
  type ExecuteRunPorts,
  endLostRun,
  executeRun,
  holdRun,
  type RunKind,
  type RunOutcome,
  SOURCE_IDS,
  startRun,
} from '#slices/ingestion';

export interface RunListAsk {
  readonly sourceId: string;
  readonly kind: RunKind;
  readonly actor: Actor;
  /** A file at hand, instead of one that is fetched. */
  readonly file?: AsyncIterable<Uint8Array>;
  readonly allow?: Partial<Allowances>;
  readonly onProgress: (progress: { readonly stage: string; readonly bytes: number }) => void;
}

/**
 * Throws DomainError `list-unknown` for a source that no connector reads, `state-conflict` while
 * another run of the source is under way.
 */
export async function runList(
  ports: ExecuteRunPorts & { readonly holder: string; readonly tables: Tables },
  ask: RunListAsk,
): Promise<RunOutcome> {
  const { actor, kind, sourceId, ...options } = ask;
  // Before the run is on record: a mistyped name is no failure of a list.
  if (ports.readerOf(sourceId) === undefined) {
    const known = SOURCE_IDS.filter((id) => ports.readerOf(id) !== undefined).join(', ');
    throw new DomainError('list-unknown', { detail: `source: expected one of ${known}` });
  }
  const { holder } = ports;
  await endLostRun(ports, { holder, isGone: (other) => isProcessGone(other, holder), sourceId });
  const run = await startRun(ports, { kind, reservedFor: holder, sourceId, triggeredBy: actor });
  const hold = await holdRun(ports, { holder, run });
  if (hold === undefined) return { error: new WorkLost('a worker has the run'), status: 'lost' };
  try {
    return await executeRun(ports, hold, options);
  } finally {
    await hold.end();
  }
}
