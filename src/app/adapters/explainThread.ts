/** Entry of the thread that takes scores apart: the engine's reading of an entry's text. */

import { DomainError } from '#core/kernel';
import { Deadline, EngineError, explainFor } from '#engine';
import { toIndexEntity } from '#slices/lists';
import type { ExplainAsk, Explained } from '#slices/screening';

export interface ExplainTask extends ExplainAsk {
  readonly version: string;
  /** On the clock that all threads of the process share. */
  readonly expiresAt: number;
  /** In shared memory: not 0 once the caller has left. */
  readonly stop: Int32Array;
}

export type ExplainAnswer =
  | { readonly explained: Explained }
  | { readonly code: string | undefined; readonly message: string };

const deadline = new Deadline();

/** Called by Piscina. */
export function explainHits({
  expiresAt,
  lines,
  query,
  stop,
  version,
}: ExplainTask): ExplainAnswer {
  deadline.set(expiresAt, { at: 0, flags: stop });
  try {
    const entities = lines.map(({ buffer, byteLength, byteOffset }) =>
      toIndexEntity(Buffer.from(buffer, byteOffset, byteLength)),
    );
    return { explained: explainFor(version, query, { deadline, entities }) };
  } catch (error) {
    const isOurs = error instanceof DomainError || error instanceof EngineError;
    const message = error instanceof Error ? error.message : String(error);
    return { code: isOurs ? error.code : undefined, message };
  }
}
