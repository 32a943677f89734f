/**
 * A backup of an embedded installation, taken while it runs, in the order that makes it consistent:
 *
 *   1 keys and checkpoints   a checkpoint never attests more than the store that is copied after it
 *   2 the store              one snapshot, by VACUUM INTO: without what was erased or deleted, and
 *                            without wrapped data keys, which go to a file of their own
 *   3 blobs                  what a record names was put before it, so the snapshot's are all there
 *   4 the manifest           last: until then it is no backup
 */
import { chmod, lstat, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Clock, toTimestamp } from '#platform/clock';
import { removeAbandonedDrafts } from '#platform/draftFile';
import { copyFile, filesBelow, syncFolder, unlessMissing } from './copyFiles.ts';
import {
  BACKUP_VERSION,
  type BackupFile,
  type BackupHead,
  type BackupManifest,
  BackupRefusal,
  MANIFEST_FILE,
} from './manifest.ts';
import { takeKeysOut } from './wrappedKeys.ts';

export const STORE_FILE = 'store/compliance.sqlite';
export const BLOBS_FOLDER = 'blobs/sha256';
/** What is copied as it stands, before the store. */
const FOLDERS_FIRST = ['keys', 'checkpoints'] as const;
/** The store with its wrapped data keys, until they are taken out. */
const SNAPSHOT_FILE = 'store.tmp';
const STORE_WAIT_MS = 10_000;

export interface CreateBackup {
  readonly dataDir: string;
  /** A folder that is not there yet. */
  readonly out: string;
  /** The file with the wrapped data keys, beside all backups: replaced. */
  readonly dataKeys: string;
  readonly clock: Pick<Clock, 'now'>;
  /** A bucket keeps its own. */
  readonly areBlobsHere: boolean;
  readonly onProgress?: (what: string) => void;
}

/** Throws BackupRefusal where there is something at `out`, or no store to copy. */
export async function createBackup(options: CreateBackup): Promise<BackupManifest> {
  const { areBlobsHere, clock, dataDir, dataKeys, onProgress = () => undefined, out } = options;
  await makeNew(out);
  await removeLeftovers(out, dataKeys);
  const files: BackupFile[] = [];
  for (const folder of FOLDERS_FIRST) files.push(...(await copyFolder(dataDir, out, folder)));
  onProgress('the store');
  const { areKeysApart, file } = await copyStore(dataDir, out, dataKeys);
  files.push(file);
  const heads = headsOf(join(out, STORE_FILE));
  onProgress('blobs');
  const blobs = areBlobsHere ? await copyBlobs(dataDir, out) : undefined;
  const manifest: BackupManifest = {
    type: 'backup',
    version: BACKUP_VERSION,
    created_at: toTimestamp(clock.now()),
    heads,
    files,
    ...(areKeysApart && { data_keys: 'apart' as const }),
    ...(blobs !== undefined && { blobs }),
  };
  await writeManifest(out, manifest);
  return manifest;
}

async function makeNew(out: string): Promise<void> {
  if ((await stat(out).catch(unlessMissing)) !== undefined) {
    throw new BackupRefusal(`${out}: expected a folder that is not there yet`);
  }
  await mkdir(out, { mode: 0o700, recursive: true });
}

/** What killed runs left beside `out` and the file of keys: each has wrapped data keys. */
async function removeLeftovers(out: string, dataKeys: string): Promise<void> {
  const { uid } = await stat(out);
  const backups = dirname(resolve(out));
  for (const name of await readdir(backups)) {
    const folder = join(backups, name);
    const found = await lstat(folder).catch(unlessMissing);
    // Another account's folder is no backup of ours, and perhaps cannot be read.
    if (found === undefined || !found.isDirectory() || found.uid !== uid) continue;
    removeAbandonedDrafts(folder, (file) => file === SNAPSHOT_FILE);
  }
  const start = `${basename(dataKeys)}.`;
  removeAbandonedDrafts(dirname(resolve(dataKeys)), (file) => file.startsWith(start));
}

async function copyFolder(dataDir: string, out: string, folder: string): Promise<BackupFile[]> {
  const copies: BackupFile[] = [];
  for await (const name of filesBelow(join(dataDir, folder))) {
    const path = `${folder}/${name}`;
    const copied = await copyFile(join(dataDir, path), join(out, path));
    if (copied !== undefined) copies.push({ path, ...copied });
  }
  return copies;
}

async function copyStore(dataDir: string, out: string, dataKeys: string) {
  const from = join(dataDir, STORE_FILE);
  if ((await stat(from).catch(unlessMissing)) === undefined) {
    throw new BackupRefusal(`${from}: expected the store of an installation, got no file`);
  }
  const snapshot = join(out, SNAPSHOT_FILE);
  try {
    const database = new DatabaseSync(from, { readOnly: true, timeout: STORE_WAIT_MS });
    try {
      database.prepare('VACUUM INTO ?').run(snapshot);
    } finally {
      database.close();
    }
    const areKeysApart = await takeKeysOut(snapshot, dataKeys);
    await chmod(snapshot, 0o600);
    // Digested and synced on the way to its place: SQLite does neither.
    const copied = await copyFile(snapshot, join(out, STORE_FILE));
    if (copied === undefined) throw new BackupRefusal(`${snapshot}: it went away`);
    return { areKeysApart, file: { path: STORE_FILE, ...copied } };
  } finally {
    await rm(snapshot, { force: true });
  }
}

function headsOf(file: string): BackupHead[] {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const rows = database.prepare(
      'SELECT chain_id AS tenant_id, seq, hash FROM chain WHERE seq > 0 ORDER BY chain_id',
    );
    return rows.all().map(({ hash, seq, tenant_id }) => ({
      hash: String(hash),
      seq: Number(seq),
      tenant_id: String(tenant_id),
    }));
  } finally {
    database.close();
  }
}

async function copyBlobs(
  dataDir: string,
  out: string,
): Promise<NonNullable<BackupManifest['blobs']>> {
  let [bytes, count] = [0, 0];
  await mkdir(join(out, BLOBS_FOLDER), { mode: 0o700, recursive: true });
  for await (const path of filesBelow(join(dataDir, BLOBS_FOLDER))) {
    const copied = await copyFile(join(dataDir, BLOBS_FOLDER, path), join(out, BLOBS_FOLDER, path));
    // Marks of a retention stand beside the blobs, and are empty.
    if (copied === undefined || path.includes('.')) continue;
    bytes += copied.bytes;
    count += 1;
  }
  return { bytes, count };
}

async function writeManifest(out: string, manifest: BackupManifest): Promise<void> {
  const draft = join(out, `${MANIFEST_FILE}.tmp`);
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(manifest, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, join(out, MANIFEST_FILE));
  await syncFolder(out);
}
