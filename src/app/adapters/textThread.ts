/**
 * The thread in which free text of payments is read as words: the language model takes 36 MB, and a
 * text some 80 µs. Tenants take turns for it, the texts of a body each. It starts with the first,
 * and stays.
 *
 * A thread that dies fails what it had in hand; Piscina starts a new one with the next call.
 */
import { Piscina } from 'piscina';
import { TurnLine } from '#platform/turnLine';
import type { ReadTextsAnswer, TextThread } from '#slices/monitoring';
import { rethrowFromLine } from './lineRefusal.ts';

const WAITING_MAX = 512;
const READER = new URL('./textReader.ts', import.meta.url);

export async function textThread(): Promise<TextThread> {
  const line = new TurnLine({ places: 1, waitingMax: WAITING_MAX, what: 'texts of payments' });
  let threads: Piscina<readonly string[], ReadTextsAnswer> | undefined;
  const read = async (texts: readonly string[]): Promise<ReadTextsAnswer> => {
    threads ??= new Piscina({
      filename: READER.href,
      idleTimeout: Number.POSITIVE_INFINITY,
      maxThreads: 1,
      minThreads: 0,
      name: 'readTexts',
    });
    return threads.run(texts);
  };
  return {
    close: async () => {
      line.refuseAll(new Error('texts: closed'));
      await threads?.destroy();
    },
    read: (texts, by) => line.run(by, () => read(texts)).catch(rethrowFromLine),
  };
}
