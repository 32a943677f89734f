/**
 * Key files that an installation makes for itself. Several processes may start at once over one
 * data directory: the file is written whole under another name and linked into place, so one of
 * them wins and all read the same key.
 */
import { existsSync, linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { draftOf, removeAbandonedDrafts } from './draftFile.ts';

const KEY_FILE_MODE = 0o600;
const KEY_DIRECTORY_MODE = 0o700;

/** Makes the file of what `make` answers, if there is none. */
export function ensureKeyFile(file: string, make: () => string): void {
  removeAbandonedDrafts(dirname(file));
  if (existsSync(file)) return;
  mkdirSync(dirname(file), { mode: KEY_DIRECTORY_MODE, recursive: true });
  const draft = draftOf(file);
  writeFileSync(draft, make(), { flag: 'wx', flush: true, mode: KEY_FILE_MODE });
  try {
    linkSync(draft, file);
  } catch (error) {
    // Another process was first: its key is the installation's.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
}
