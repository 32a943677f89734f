/**
 * The thread in which a gateway reads messages of payments: ten mebibytes of XML take up to a
 * second. Tenants take turns for it, a body each. It starts with the first, and ends when it has
 * rested.
 *
 * A thread that dies fails what it had in hand; Piscina starts a new one with the next call.
 */
import { Piscina } from 'piscina';
import { DomainError, type ErrorCode } from '#core/kernel';
import { TurnLine } from '#platform/turnLine';
import type { MessageTask, MessageThread, ReadTransactions } from '#slices/monitoring';
import { rethrowFromLine } from './lineRefusal.ts';
import type { MessageAnswer } from './messageReader.ts';

const WAITING_MAX = 512;
const IDLE_MS = 60_000;
const READER = new URL('./messageReader.ts', import.meta.url);

export async function messageThread(): Promise<MessageThread> {
  const line = new TurnLine({ places: 1, waitingMax: WAITING_MAX, what: 'messages of payments' });
  let threads: Piscina<MessageTask, MessageAnswer> | undefined;
  const read = async (task: MessageTask): Promise<ReadTransactions> => {
    threads ??= new Piscina({
      filename: READER.href,
      idleTimeout: IDLE_MS,
      maxThreads: 1,
      minThreads: 0,
      name: 'readTask',
    });
    return readIn(await threads.run(task));
  };
  return {
    close: async () => {
      line.refuseAll(new Error('messages: closed'));
      await threads?.destroy();
    },
    read: (task, by) => line.run(by, () => read(task)).catch(rethrowFromLine),
  };
}

/** Errors lose their class on the way between threads; codes of ours do not. */
function readIn(answer: MessageAnswer): ReadTransactions {
  if ('read' in answer) return answer.read;
  const { code, message, violations } = answer;
  if (code === undefined) throw new Error(`messages: ${message}`);
  throw new DomainError(code as ErrorCode, { detail: message, violations });
}
