/** Who reads the subjects of alerts: it is worth reading for as long as somebody waits for it. */
import type { ReadingCaller } from '#slices/batches';
import type { HttpRequest } from '../../../api/http/port.ts';

/** Milliseconds that a chunk may take. */
const DEADLINE_MS = 10_000;

export const readingCaller = ({ signal }: Pick<HttpRequest, 'signal'>): ReadingCaller => ({
  deadlineMs: DEADLINE_MS,
  signal,
});

/** Refusals of the thread that reads for them. */
export const READING_REFUSALS = ['deadline-exceeded', 'engine-queue-full'] as const;
