/** Opens the store that the configuration names: MongoDB where it has a URL, else the file. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { BlobStore } from '#core/blobs';
import type { AnyTable } from '#core/kernel';
import type { Clock } from '#platform/clock';
import { ConfigError, fileProblem, type S3Config } from '#platform/config';
import type { Random } from '#platform/random';
import { openFolderBlobStore } from './blob/folder.ts';
import type { TransactionMode } from './capabilities.ts';
import { openSqliteStorage } from './sqlite/open.ts';
import type { Storage } from './storage.ts';

export type { StorageCapabilities, TransactionMode } from './capabilities.ts';
export { meteredStorage } from './meteredStorage.ts';
export type { Storage } from './storage.ts';
export { openFolderBlobStore };

export async function openStorage(options: {
  mongodbUrl?: string;
  dataDir: string;
  clock: Clock;
  /** Declared tables, whose records `tables` reads and commits write. */
  tables?: readonly AnyTable[];
  transactions?: TransactionMode;
  onWarning?: (text: string) => void;
  /** The store is of no use to this process any more; a new process may open it again. */
  onFatal?: (error: Error) => void;
}): Promise<Storage> {
  if (options.mongodbUrl === undefined) return openSqliteStorage(options);
  // Loaded on demand: an embedded installation never pays for the driver.
  const { openMongoStorage } = await import('./mongo/open.ts');
  return openMongoStorage({ ...options, url: options.mongodbUrl });
}

/** A bucket where one is configured, else a folder of the data directory. */
export async function openBlobStore(options: {
  readonly clock: Clock;
  readonly dataDir: string;
  readonly random: Random;
  readonly s3?: S3Config;
}): Promise<BlobStore> {
  const { clock, dataDir, random, s3 } = options;
  if (s3 === undefined) return openFolderBlobStore({ clock, directory: join(dataDir, 'blobs') });
  const { openS3BlobStore } = await import('./blob/s3.ts');
  return openS3BlobStore({
    clock,
    random,
    s3,
    secretAccessKey: secretOf(s3),
    sleep: (ms) => delay(ms),
    spoolDirectory: join(dataDir, 'spool'),
  });
}

function secretOf({ secretAccessKey }: S3Config): string {
  if ('value' in secretAccessKey) return secretAccessKey.value;
  try {
    return readFileSync(secretAccessKey.file, 'utf8').trim();
  } catch (error) {
    const problem = fileProblem(error);
    throw new ConfigError([`S3_SECRET_ACCESS_KEY_FILE: expected a readable file, got ${problem}`]);
  }
}
