/**
 * The thread in which a gateway opens and reads answers of tax authorities: twenty megabytes of XML
 * under encryption and a signature take some seconds. Tenants take turns for it, an answer each. It
 * starts with the first, and ends when it has rested. Its memory is bounded.
 *
 * A thread that dies fails what it had in hand; Piscina starts a new one with the next call.
 */
import { Piscina } from 'piscina';
import { DomainError, type ErrorCode } from '#core/kernel';
import { type LineAsk, TurnLine } from '#platform/turnLine';
import type { AnswerThread, ReadAnswer, ReadErrors } from '#slices/tax';
import type { AnswerRead, AnswerTask } from './answerReader.ts';
import { rethrowFromLine } from './lineRefusal.ts';

const WAITING_MAX = 64;
const IDLE_MS = 60_000;
const HEAP_MB_MAX = 768;
const READER = new URL('./answerReader.ts', import.meta.url);

export async function answerThread(): Promise<AnswerThread> {
  const line = new TurnLine({ places: 1, waitingMax: WAITING_MAX, what: 'answers of authorities' });
  let threads: Piscina<AnswerTask, AnswerRead> | undefined;
  const read = async (task: AnswerTask): Promise<ReadAnswer | ReadErrors> => {
    threads ??= new Piscina({
      filename: READER.href,
      idleTimeout: IDLE_MS,
      maxThreads: 1,
      minThreads: 0,
      name: 'readTask',
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX },
    });
    return readIn(await threads.run(task));
  };
  const inTurn = (task: AnswerTask, by: LineAsk) =>
    line.run(by, () => read(task)).catch(rethrowFromLine);
  return {
    close: async () => {
      line.refuseAll(new Error('answers: closed'));
      await threads?.destroy();
    },
    errors: async (of, by) => (await inTurn({ kind: 'errors', of }, by)) as ReadErrors,
    open: async (of, by) => (await inTurn({ kind: 'open', of }, by)) as ReadAnswer,
    read: async (of, by) => (await inTurn({ kind: 'read', of }, by)) as ReadAnswer,
  };
}

/** Errors lose their class on the way between threads; codes of ours do not. */
function readIn(answer: AnswerRead): ReadAnswer | ReadErrors {
  if ('read' in answer) return answer.read;
  const { code, message } = answer;
  if (code === undefined) throw new Error(`answers: ${message}`);
  throw new DomainError(code as ErrorCode, { detail: message });
}
