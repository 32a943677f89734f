/**
 * Whether the process that holds something has ended, where that can be told: on this host, by its
 * number. Elsewhere, and where a number is in use again, silence alone tells.
 */
import { hostname } from 'node:os';

/** Holders are `<host>/<process>/<pid>/<instance>`; `own` is this process's. */
export function isProcessGone(holder: string, own: string): boolean {
  const [host, , pidText] = holder.split('/');
  const pid = Number(pidText);
  if (holder === own || host !== hostname()) return false;
  // Our number, and not us: it was a process before us.
  if (pid === process.pid) return true;
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}
