/**
 * Opens a list file under the one folder from which an air-gapped installation takes files.
 *
 * A path comes from a record that people change, and the folder from media that people carry. So no
 * symlink is followed anywhere, only a regular file is opened, and all checks use the open
 * descriptor, never the name again. A file that is swapped afterwards has no effect.
 */
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readdir, readlink, realpath, stat } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { DomainError } from '#core/kernel';

const PATH_CHARS_MAX = 512;
const FOLDER_ENTRIES_MAX = 10_000;
/** Separators of other systems, escapes, drives, and what ends a C string. */
const FORBIDDEN = /[\\%:\p{Cc}]/u;
/** Half-copied, hidden, or the signature of another file. */
const NOT_A_LIST = /^\.|\.(sig|tmp|part|new)$/i;

export interface OpenFile {
  readonly name: string;
  readonly handle: FileHandle;
  readonly bytes: number;
}

/**
 * The file, or the last file by name where the path is a folder. Rejects with DomainError
 * `air-gap-path-invalid`; the handle is the caller's to close.
 */
export async function openAirGapFile(
  rootGiven: string,
  path: string,
  bytesMax: number,
): Promise<OpenFile> {
  refuseSpelling(path);
  const root = await realpath(rootGiven).catch(() => {
    throw refused('the configured folder is not there');
  });
  const place = resolve(root, path);
  if (place !== root && !place.startsWith(root + sep)) throw refused('it leads out of the folder');
  await refuseLinks(place);
  const name = await newestIn(place);
  return openRegular(name === undefined ? place : join(place, name), bytesMax);
}

function refuseSpelling(path: string): void {
  const parts = path.split('/');
  if (path === '' || path.length > PATH_CHARS_MAX) throw refused('its length');
  if (FORBIDDEN.test(path)) throw refused('a character that no list file has');
  if (path.startsWith('//') || parts.includes('..')) throw refused('it leads out of the folder');
}

/** Its real path is itself, so that no part of it is a link. */
async function refuseLinks(place: string): Promise<void> {
  const real = await realpath(place).catch((error: NodeJS.ErrnoException) => {
    const isMissing = error.code === 'ENOENT' || error.code === 'ENOTDIR';
    throw refused(isMissing ? 'there is no such file' : `it cannot be reached (${error.code})`);
  });
  if (real !== place) throw refused('a link is on its way');
}

/** The last file by name of a folder; undefined where it is no folder. */
async function newestIn(place: string): Promise<string | undefined> {
  if (!(await lstat(place)).isDirectory()) return undefined;
  const entries = await readdir(place, { withFileTypes: true });
  if (entries.length > FOLDER_ENTRIES_MAX) throw refused('too many files in the folder');
  const names = entries
    .filter((entry) => entry.isFile() && !NOT_A_LIST.test(entry.name))
    .map(({ name }) => name)
    .sort();
  const newest = names.at(-1);
  if (newest === undefined) throw refused('no file is in the folder');
  return newest;
}

/** Not blocking, since the other end of a pipe may never open it. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export async function openRegular(place: string, bytesMax: number): Promise<OpenFile> {
  const handle = await open(place, FLAGS).catch(() => {
    throw refused('it cannot be opened, or is a link');
  });
  try {
    const facts = await handle.stat();
    if (!facts.isFile()) throw refused('it is no regular file');
    if (facts.size > bytesMax) throw refused(`it has more than ${bytesMax} bytes`);
    // A folder on the way may have become a link between the look and the opening.
    if (!(await isOpenAt(handle, place))) throw refused('a link is on its way');
    return { bytes: facts.size, handle, name: place };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function isOpenAt(handle: FileHandle, place: string): Promise<boolean> {
  const name = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined);
  if (name !== undefined) return name === place;
  // No /proc: the same file by number, at a place that no link leads to.
  const [opened, named] = await Promise.all([handle.stat(), stat(place)]);
  const isSame = opened.ino === named.ino && opened.dev === named.dev;
  return isSame && (await realpath(place)) === place;
}

/** The path itself is not reported: it may be what an attacker is looking for. */
const refused = (what: string) =>
  new DomainError('air-gap-path-invalid', { detail: `air_gap_path: ${what}` });
