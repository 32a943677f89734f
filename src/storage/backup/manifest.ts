/**
 * What a backup says of itself: `backup.json`, written when all else is on the disk. A folder
 * without it is no backup, but what a crash has left of one.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export const MANIFEST_FILE = 'backup.json';
export const BACKUP_VERSION = 1;

/** A file of the backup beside the blobs, whose names are their digests. */
export interface BackupFile {
  /** Below the backup's folder, with `/`. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** The end of a chain in the backup. */
export interface BackupHead {
  readonly tenant_id: string;
  readonly seq: number;
  readonly hash: string;
}

export interface BackupManifest {
  readonly type: 'backup';
  readonly version: typeof BACKUP_VERSION;
  readonly created_at: string;
  readonly heads: readonly BackupHead[];
  readonly files: readonly BackupFile[];
  /** Absent in backups of a former release, whose store has them, if any. */
  readonly data_keys?: 'apart';
  /** Absent where the blobs are in a bucket, which keeps them itself. */
  readonly blobs?: { readonly count: number; readonly bytes: number };
}

/** A backup that cannot be made or restored here; its message is the sentence for the operator. */
export class BackupRefusal extends Error {
  override readonly name = 'StartRefusal';
}

/** Throws BackupRefusal where the folder is no whole backup of a known version. */
export async function readManifest(folder: string): Promise<BackupManifest> {
  const path = join(folder, MANIFEST_FILE);
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw Object.assign(
      new BackupRefusal(`${folder}: expected a whole backup, got no ${MANIFEST_FILE}`),
      {
        cause,
      },
    );
  });
  const manifest = JSON.parse(text) as Partial<BackupManifest>;
  const isKnown = manifest.type === 'backup' && Array.isArray(manifest.files);
  if (isKnown && manifest.version === BACKUP_VERSION) return manifest as BackupManifest;
  throw new BackupRefusal(`${path}: expected a backup of version ${BACKUP_VERSION}`);
}
