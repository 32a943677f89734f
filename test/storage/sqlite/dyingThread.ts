/** A storage thread that opens and dies by the first call that is not `close`. */
import { parentPort } from 'node:worker_threads';

parentPort?.on('message', ({ id, name }: { id: number; name: string }) => {
  if (name !== 'close') throw new Error('out of memory');
  parentPort?.postMessage({ kind: 'answers', answers: [{ id }] });
  parentPort?.close();
});
parentPort?.postMessage({ kind: 'opened' });
