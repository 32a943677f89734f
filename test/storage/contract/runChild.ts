/** Starts childProcess.ts and waits for its end: how it went is the answer. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ChildTask } from './childProcess.ts';

const SCRIPT = fileURLToPath(new URL('./childProcess.ts', import.meta.url));

/** `onReady` is called when the child is about to write. */
export async function runChild(
  task: ChildTask,
  onReady: () => void = () => {},
): Promise<{ code: number | null; signal: string | null; errors: string }> {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', SCRIPT, JSON.stringify(task)],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  child.stdout.once('data', onReady);
  const [code, signal] = await once(child, 'close');
  return { code, signal, errors };
}
