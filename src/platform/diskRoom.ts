/**
 * Whether a directory accepts writes, checked without writing: a probe that wrote would wear the
 * disk, and could take its last block from the evidence. Faults that only a write can detect (a
 * quota, a bad sector) are reported by the write that meets them.
 */
import { access, constants, statfs } from 'node:fs/promises';

/**
 * Free bytes below which a disk counts as full: databases need room to write at all, and to clean
 * up.
 */
export const DISK_FREE_BYTES_MIN = 67_108_864;
const MIB = 1024 ** 2;

export interface DiskLook {
  access(path: string, mode: number): Promise<unknown>;
  statfs(path: string): Promise<{
    readonly bavail: number;
    readonly bsize: number;
    readonly files: number;
    readonly ffree: number;
  }>;
}

/** Why the directory accepts no writes; undefined where it does. */
export async function diskRefusal(
  directory: string,
  look: DiskLook = { access, statfs },
): Promise<string | undefined> {
  try {
    await look.access(directory, constants.W_OK);
    const { bavail, bsize, ffree, files } = await look.statfs(directory);
    const free = bavail * bsize;
    if (free < DISK_FREE_BYTES_MIN) {
      return `${Math.floor(free / MIB)} MiB free, expected at least ${DISK_FREE_BYTES_MIN / MIB}`;
    }
    // Some file systems have no such number, and say 0 of 0.
    return files > 0 && ffree === 0 ? 'no file can be added' : undefined;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : 'unknown';
    return `it takes no writes (${code})`;
  }
}
