/** Who reads a page of results: it is worth reading for as long as somebody waits for it. */
import type { ReadingCaller } from '#slices/batches';
import type { OperationContext } from '../../../api/operation.ts';

/** Milliseconds that a chunk of a page, and what the lists say of its hits, may take. */
const DEADLINE_MS = 10_000;

export const pageCaller = ({ request, tenantId }: OperationContext) =>
  ({ deadlineMs: DEADLINE_MS, signal: request.signal, turn: tenantId }) satisfies ReadingCaller & {
    readonly turn: string;
  };
