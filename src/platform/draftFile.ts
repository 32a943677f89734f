/**
 * Names for files that are written whole and then moved into place, and the removal of those that a
 * crash left behind.
 *
 * Processes of several containers may share a folder, and each container counts its processes from
 * 1, so a process id identifies no process there. Names are therefore random, and an abandoned
 * draft is recognised by its age alone. Assumes that clocks of hosts that share a folder agree
 * within minutes.
 */
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from './clock.ts';
import { systemRandom, uuidV7 } from './random.ts';

const ABANDONED_AFTER_MS = 60 * 60_000;
const DRAFT = /\.(new|tmp)$/;

/** A unique name beside `file`. */
export function draftOf(file: string, ending: 'new' | 'tmp' = 'new'): string {
  return `${file}.${uuidV7(systemClock.now(), systemRandom)}.${ending}`;
}

/** Removes the drafts of `folder` that were not written to for an hour; of all, or of some. */
export function removeAbandonedDrafts(
  folder: string,
  isMeant: (name: string) => boolean = () => true,
): void {
  for (const name of namesIn(folder).filter(isMeant)) {
    const path = join(folder, name);
    const writtenAt = DRAFT.test(name) && statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    // Gone meanwhile: its writer has moved it into place.
    if (typeof writtenAt !== 'number') continue;
    if (systemClock.now() - writtenAt > ABANDONED_AFTER_MS) rmSync(path, { force: true });
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}
