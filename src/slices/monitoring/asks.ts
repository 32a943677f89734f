/**
 * What the slice needs beside it: a thread in which messages are read; and what it asks the rules
 * to its right.
 */
import { adapter, port, type TenantId } from '#core/kernel';
import type { EvaluateTransactions } from './ports.ts';
import type { MessageFormat } from './readTransactions.ts';
import type { TextWords } from './textWords.ts';
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

/** Texts as words, and what read them. */
export interface ReadTextsAnswer {
  readonly reader: string;
  /** In the order of the texts. */
  readonly texts: readonly TextWords[];
}

/** Reads free text in a thread of its own, in turns of tenants. */
export interface TextThread {
  read(texts: readonly string[], by: MessageCaller): Promise<ReadTextsAnswer>;
  close(): Promise<void>;
}

/** One for a process. */
export const textThread = adapter<() => Promise<TextThread>>();

/** What rules say of transactions. Unanswered: there are none, and screening alone decides. */
export const evaluateTransactions = port<EvaluateTransactions>(() => async () => []);

/** What `aml.transaction.alert` tells of an alert of a rule, beside its severity and time. */
export interface RuleAlertFacts {
  readonly account_id: string | null;
  readonly rule_version: number;
  readonly triggering_tx_ids: readonly string[];
  readonly aggregate_value: { readonly amount: string; readonly currency: string } | null;
  readonly window: { readonly from: string; readonly to: string } | null;
}

/** Undefined where no rule raised it. Throws `evidence-altered`. */
export type RuleAlertOf = (of: {
  readonly tenantId: TenantId;
  readonly alertId: string;
}) => Promise<RuleAlertFacts | undefined>;
/** Unanswered: screening alone raises alerts of transactions. */
export const ruleAlert = port<RuleAlertOf>(() => async () => undefined);
