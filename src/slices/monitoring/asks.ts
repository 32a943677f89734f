/**
 * What the slice needs beside it: a thread in which messages are read; and what it asks the rules
 * to its right.
 */
import { adapter, port } from '#core/kernel';
import type { EvaluateTransactions } from './ports.ts';
import type { MessageFormat } from './readTransactions.ts';
import type { ReadingContext, ReadTransactions } from './transaction.ts';

/** A body that is to be read. */
export interface MessageTask {
  readonly format: MessageFormat;
  readonly bytes: Uint8Array;
  readonly context: ReadingContext;
}

/** Whose turn it takes, and for how long it is worth reading. */
export interface MessageCaller {
  /** A tenant. */
  readonly turn: string;
  readonly deadlineMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Reads bodies in a thread of its own, in turns of tenants. Rejects as `readMessage` does. */
export interface MessageThread {
  read(task: MessageTask, by: MessageCaller): Promise<ReadTransactions>;
  close(): Promise<void>;
}

/** One for a gateway. */
export const messageThread = adapter<() => Promise<MessageThread>>();

/** What rules say of transactions. Unanswered: there are none, and screening alone decides. */
export const evaluateTransactions = port<EvaluateTransactions>(() => async () => []);
