/**
 * One installation per data directory. The kernel holds the lock on an open SQLite file, so a
 * killed supervisor leaves none behind; a file with a process id would.
 */
import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Stops a start; its message is the sentence that the user reads. */
export class StartRefusal extends Error {
  override readonly name = 'StartRefusal';
}

export interface InstallationLock {
  release(): void;
}

/** Makes the directory (mode 0700) if it is not there. Throws StartRefusal where another runs. */
export function lockInstallation(dataDir: string): InstallationLock {
  makePrivateFolder(dataDir);
  const database = new DatabaseSync(join(dataDir, 'installation.lock'), { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (!isBusy(error)) throw error;
    throw new StartRefusal(
      `DATA_DIR: ${dataDir} belongs to an installation that runs already; ` +
        'stop that one, or name another directory',
    );
  }
  return { release: () => database.close() };
}

export function makePrivateFolder(path: string): void {
  try {
    makeFolders(resolve(path));
    if (!statSync(path).isDirectory()) throw Object.assign(new Error(), { code: 'ENOTDIR' });
    chmodSync(path, 0o700);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error;
    throw new StartRefusal(`DATA_DIR: expected a directory of this user's, got ${code} at ${path}`);
  }
}

/** One by one: where the file system refuses (/proc), Node's recursive mkdir never returns. */
function makeFolders(path: string): void {
  if (existsSync(path)) return;
  makeFolders(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process of ours made it meanwhile.
    if (!existsSync(path)) throw error;
  }
}

/** SQLITE_BUSY, with any extended code. */
const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === 5;
