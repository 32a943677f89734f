/**
 * A backup brought back into a data directory, the store last: until it is in place there is no
 * installation, and a restore that was cut off is simply begun again.
 *
 * What the directory knows better is kept: a later checkpoint, a key ring with more keys, blobs
 * that are there. So a restore on the same disk shows what was lost since the backup.
 */
import { mkdir, readFile, rename, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { lastCheckpoint } from '#core/audit';
import { type ChainId, PLATFORM_CHAIN } from '#core/kernel';
import { type Clock, toTimestamp } from '#platform/clock';
import { noteRestored } from '#platform/restoredFile';
import { type Copied, copyFile, filesBelow, syncFolder, unlessMissing } from './copyFiles.ts';
import { BLOBS_FOLDER, STORE_FILE } from './createBackup.ts';
import { type BackupFile, type BackupManifest, BackupRefusal, readManifest } from './manifest.ts';
import { putKeysBack, refuseMissing } from './wrappedKeys.ts';

const RING_FILE = 'keys/public-keys.json';
const CHECKPOINT = /^checkpoints\/([0-9a-z-]{1,64})\.jsonl$/;

export interface RestoreBackup {
  readonly from: string;
  readonly dataDir: string;
  /** The file with the wrapped data keys. */
  readonly dataKeys: string;
  readonly clock: Pick<Clock, 'now'>;
  /** Moves a store that is there aside; without it that is refused. */
  readonly mayReplace: boolean;
}

/** Throws BackupRefusal where the backup is damaged or the directory has another installation. */
export async function restoreBackup(options: RestoreBackup): Promise<BackupManifest> {
  const { dataDir, dataKeys, from } = options;
  const manifest = await readManifest(from);
  const isApart = manifest.data_keys !== undefined;
  if (isApart) await refuseMissing(dataKeys);
  await assertSameKeys(options);
  await setAside(options);
  await mkdir(dataDir, { mode: 0o700, recursive: true });
  const tenants = manifest.heads.map(({ tenant_id }) => tenant_id);
  await noteRestored(
    dataDir,
    tenants.filter((id) => id !== PLATFORM_CHAIN),
  );
  for (const file of manifest.files) {
    if (file.path === STORE_FILE || (await isKnownBetter(options, file))) continue;
    await copyChecked(options, file);
  }
  if (manifest.blobs !== undefined) await restoreBlobs(options);
  const store = manifest.files.find(({ path }) => path === STORE_FILE);
  if (store === undefined) throw new BackupRefusal(`${from}: expected a store, got none`);
  // Under another name until its keys are in it: a store without them is no installation.
  const draft = `${STORE_FILE}.restored`;
  await copyChecked(options, store, draft);
  if (isApart) await putKeysBack(join(dataDir, draft), dataKeys);
  await rename(join(dataDir, draft), join(dataDir, STORE_FILE));
  await syncFolder(join(dataDir, 'store'));
  return manifest;
}

/** Another installation's keys would sign what this one's chains hold. */
async function assertSameKeys({ dataDir, from }: RestoreBackup): Promise<void> {
  const [here, there] = await Promise.all([kidsIn(dataDir), kidsIn(from)]);
  if (here === undefined || there === undefined || there.every((kid) => here.includes(kid))) return;
  throw new BackupRefusal(
    `${dataDir}: expected no keys or the backup's, got another installation's; name an empty one`,
  );
}

async function kidsIn(folder: string): Promise<string[] | undefined> {
  const text = await readFile(join(folder, RING_FILE), 'utf8').catch(unlessMissing);
  if (text === undefined) return undefined;
  return (JSON.parse(text) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid);
}

async function setAside({ clock, dataDir, mayReplace }: RestoreBackup): Promise<void> {
  const folder = join(dataDir, 'store');
  if ((await stat(join(dataDir, STORE_FILE)).catch(unlessMissing)) === undefined) return;
  if (!mayReplace) {
    throw new BackupRefusal(`${folder}: there is a store already; --replace moves it aside`);
  }
  const at = toTimestamp(clock.now()).replaceAll(/[:.]/g, '-');
  await rename(folder, `${folder}.replaced-${at}`);
}

async function isKnownBetter({ dataDir, from }: RestoreBackup, file: BackupFile): Promise<boolean> {
  const chainId = CHECKPOINT.exec(file.path)?.[1] as ChainId | undefined;
  if (chainId === undefined) {
    return (await stat(join(dataDir, file.path)).catch(unlessMissing)) !== undefined;
  }
  const [here, there] = await Promise.all(
    [dataDir, from].map((root) => lastCheckpoint(join(root, 'checkpoints'), chainId)),
  );
  return here !== undefined && here.seq >= (there?.seq ?? 0);
}

async function copyChecked(
  { dataDir, from }: RestoreBackup,
  file: BackupFile,
  to = file.path,
): Promise<void> {
  const path = join(from, file.path);
  await mkdir(join(dataDir, 'store'), { mode: 0o700, recursive: true });
  const copied = await copyFile(path, join(dataDir, to), ({ sha256 }) => {
    if (sha256 !== file.sha256) throw new BackupRefusal(`${path}: it is not what was backed up`);
  });
  if (copied === undefined) throw new BackupRefusal(`${path}: expected a file, got none`);
}

async function restoreBlobs({ dataDir, from }: RestoreBackup): Promise<void> {
  for await (const path of filesBelow(join(from, BLOBS_FOLDER))) {
    const to = join(dataDir, BLOBS_FOLDER, path);
    if ((await stat(to).catch(unlessMissing)) !== undefined) continue;
    await copyFile(join(from, BLOBS_FOLDER, path), to, (copied) => checkBlob(path, copied));
  }
}

/** A blob's name is its digest; a mark of retention beside one is empty. */
function checkBlob(path: string, { bytes, sha256 }: Copied): void {
  const isMark = basename(path).includes('.') && bytes === 0;
  if (isMark || path.replace('/', '') === sha256) return;
  throw new BackupRefusal(`blobs/sha256/${path}: it is not what was backed up`);
}
