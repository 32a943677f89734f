/**
 * Whether the process of a holder has ended, where that can be known: on this host, by its process
 * id. Elsewhere, and where an id is in use again, only silence shows it.
 */
import { statSync } from 'node:fs';
import { hostname } from 'node:os';

/** Where process ids count. Containers may share the name of their host, and not its processes. */
const PROCESS_IDS = statSync('/proc/self/ns/pid', { throwIfNoEntry: false })?.ino;

/** The first part of a holder: processes of the same one see each other's ends. */
export const HOLDER_HOST: string =
  PROCESS_IDS === undefined ? hostname() : `${hostname()}:${PROCESS_IDS}`;

/**
 * Whether the holder's process is known to have ended, or was one before this process with its id.
 * Holders are `<host>/<process>/<pid>/<instance>`; `own` is this process's.
 */
export function isProcessGone(holder: string, own: string): boolean {
  const { host, pid } = partsOf(holder);
  if (holder === own || host !== HOLDER_HOST) return false;
  return pid === process.pid || hasProcessEnded(holder);
}

/** Whether no process has the holder's id any more, on this host. */
export function hasProcessEnded(holder: string): boolean {
  const { host, pid } = partsOf(holder);
  if (host !== HOLDER_HOST || !Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}

function partsOf(holder: string): { readonly host: string | undefined; readonly pid: number } {
  const [host, , pid] = holder.split('/');
  return { host, pid: Number(pid) };
}
