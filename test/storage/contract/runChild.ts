/** Starts childProcess.ts and waits for its end: how it went is the answer. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ChildTask } from './childProcess.ts';

const SCRIPT = fileURLToPath(new URL('./childProcess.ts', import.meta.url));

export async function runChild(
  task: ChildTask,
): Promise<{ code: number | null; signal: string | null; errors: string }> {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', SCRIPT, JSON.stringify(task)],
    { stdio: ['ignore', 'inherit', 'pipe'] },
  );
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const [code, signal] = await once(child, 'close');
  return { code, signal, errors };
}
