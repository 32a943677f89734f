/** Opens the store that the configuration names: MongoDB where it has a URL, else the file. */
import type { Clock } from '#platform/clock';
import type { TransactionMode } from './capabilities.ts';
import { openSqliteStorage } from './sqlite/open.ts';
import type { Storage } from './storage.ts';

export { openFolderBlobStore } from './blob/folder.ts';
export type { StorageCapabilities, TransactionMode } from './capabilities.ts';
export type { Storage } from './storage.ts';

export async function openStorage(options: {
  mongodbUrl?: string;
  dataDir: string;
  clock: Clock;
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
