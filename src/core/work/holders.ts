/**
 * Whether the process of a holder has ended, where that can be known: on this host, by its process
 * id. Elsewhere, and where an id is in use again, only silence shows it.
 */
import { hostname } from 'node:os';

/**
 * Whether the holder's process is known to have ended. Holders are
 * `<host>/<process>/<pid>/<instance>`; `own` is this process's.
 */
export function isProcessGone(holder: string, own: string): boolean {
  const [host, , pidText] = holder.split('/');
  const pid = Number(pidText);
  if (holder === own || host !== hostname()) return false;
  // The same process id but another instance: a process before this one.
  if (pid === process.pid) return true;
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}
