/**
 * Whether a directory takes writes, asked without writing: a probe that wrote would wear the disk,
 * and take its last block from the evidence. What only a write can tell (a quota, a bad sector) is
 * told by the write that meets it.
 */
import { access, constants, statfs } from 'node:fs/promises';

/** Less than this is left: databases need room to write at all, and to clean up. */
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

/** Why nothing can be written there; undefined where something can. */
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
