/** What tax reporting needs of others, and what it asks them. */
import { adapter } from '#core/kernel';
import type { AnswerReader } from './answerReader.ts';

/** Reads answers in a thread of its own. */
export interface AnswerThread extends AnswerReader {
  close(): Promise<void>;
}

/** One for a gateway. */
export const answerThread = adapter<() => Promise<AnswerThread>>();
