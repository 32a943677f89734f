/** Backups of the embedded store: what they leave out, and what a restore refuses or keeps. */
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { appendCheckpoint, lastCheckpoint, signCheckpoint } from '#core/audit';
import { dataKeyTable } from '#core/blobs';
import { systemClock } from '#platform/clock';
import { ConfigError } from '#platform/config';
import { noteRepeated, refuseRestored } from '#platform/restoredFile';
import { createBackup, restoreBackup } from '../../../src/storage/backup/index.ts';
import { openFolderBlobStore } from '../../../src/storage/index.ts';
import { openSqliteStorage } from '../../../src/storage/sqlite/open.ts';
import { seededSigner, TENANT } from '../../core/audit/drafts.ts';
import { append, CHAIN_A } from '../contract/harness.ts';

const signer = seededSigner('backup');
const KEY = { keyId: 'batch/1', tenantId: CHAIN_A as never, version: 1, wrapped: 'd3JhcHBlZA==' };
const asked = () => ({ areBlobsHere: true, clock: systemClock, dataDir, dataKeys });
let root: string;
let dataDir: string;
let folder: string;
let dataKeys: string;
let address: string;

const attest = (directory: string, seq: number) =>
  appendCheckpoint(
    join(directory, 'checkpoints'),
    TENANT,
    signCheckpoint(TENANT, { hash: 'a'.repeat(64), seq }, { at: systemClock.now(), signer }),
  );
const restore = (to: string, mayReplace = false) =>
  restoreBackup({ clock: systemClock, dataDir: to, dataKeys, from: folder, mayReplace });
const openStore = (directory: string) =>
  openSqliteStorage({ clock: systemClock, dataDir: directory, tables: [dataKeyTable] });
const ringOf = (kid: string) => JSON.stringify({ keys: [{ kid }] });

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'backup-'));
  [dataDir, folder] = [join(root, 'data'), join(root, 'backup')];
  dataKeys = join(root, 'data-keys.jsonl');
  const storage = await openStore(dataDir);
  await append(storage, { count: 3, label: 'kept' });
  await storage.audit.eraseOpen(CHAIN_A, 2);
  await storage.tables.insertMissing(dataKeyTable, [KEY]);
  await mkdir(join(dataDir, 'keys'));
  await writeFile(join(dataDir, 'keys/public-keys.json'), ringOf('ours'));
  await attest(dataDir, 3);
  const blobs = await openFolderBlobStore({ directory: join(dataDir, 'blobs') });
  ({ address } = await blobs.put(Buffer.from('a list')));
  // While it is open, and written to.
  const made = createBackup({ ...asked(), out: folder });
  await append(storage, { count: 1, label: 'later' });
  const { blobs: copied, heads } = await made;
  expect(copied).toEqual({ bytes: 6, count: 1 });
  expect(heads).toMatchObject([{ tenant_id: CHAIN_A }]);
  await storage.close();
});
afterEach(() => rmSync(root, { force: true, recursive: true }));

test('all of it comes back elsewhere, without what was erased', async () => {
  const there = join(root, 'there');
  await restore(there);
  const storage = await openStore(there);
  const events = await storage.audit.readEvents({ chainId: CHAIN_A, fromSeq: 1, limit: 10 });
  expect(events.slice(0, 3).map(({ open }) => open !== undefined)).toEqual([true, false, true]);
  await storage.close();
  const blobs = await openFolderBlobStore({ directory: join(there, 'blobs') });
  expect(Buffer.from((await blobs.get(address)) ?? []).toString()).toBe('a list');
  expect(await lastCheckpoint(join(there, 'checkpoints'), TENANT)).toMatchObject({ seq: 3 });
});

test('a later checkpoint of the directory is kept, and its store moved aside', async () => {
  await attest(dataDir, 9);
  await expect(restore(dataDir)).rejects.toThrow('--replace moves it aside');
  await restore(dataDir, true);
  expect(await lastCheckpoint(join(dataDir, 'checkpoints'), TENANT)).toMatchObject({ seq: 9 });
});

test('another installation’s keys are never mixed with these', async () => {
  writeFileSync(join(dataDir, 'keys/public-keys.json'), ringOf('theirs'));
  await expect(restore(dataDir, true)).rejects.toThrow('another installation');
});

test('a damaged file stops the restore, and leaves no store behind', async () => {
  const file = join(folder, 'store/compliance.sqlite');
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(7, 4_096, 4_100));
  const there = join(root, 'there');
  await expect(restore(there)).rejects.toThrow('not what was backed up');
  await expect(restore(there)).rejects.toThrow('not what was backed up'); // begun again
});

test('a damaged blob stops it too, and half a backup is none', async () => {
  const blob = join(folder, 'blobs/sha256', address.slice(0, 2), address.slice(2));
  await rm(blob);
  writeFileSync(blob, 'a lisp');
  await expect(restore(join(root, 'there'))).rejects.toThrow('not what was backed up');
  rmSync(join(folder, 'backup.json'));
  await expect(restore(join(root, 'there'))).rejects.toThrow('expected a whole backup');
});

test('a backup is never written over', async () => {
  await expect(createBackup({ ...asked(), out: folder })).rejects.toThrow('not there yet');
});

test('wrapped keys lie apart from it, and come back as they are in the latest backup', async () => {
  const copy = readFileSync(join(folder, 'store/compliance.sqlite'));
  expect([copy.includes(KEY.wrapped), readFileSync(dataKeys).includes(KEY.wrapped)]).toEqual([
    false,
    true,
  ]);
  const storage = await openStore(dataDir);
  const later = { ...KEY, version: 2, wrapped: 'bGF0ZXI=' };
  await append(storage, { changes: [dataKeyTable.put(later, 1)], count: 1, label: 'erased' });
  await storage.close();
  await createBackup({ ...asked(), out: join(root, 'newer') });
  expect(readFileSync(dataKeys).includes(KEY.wrapped)).toBe(false);
  const there = join(root, 'there');
  await restore(there);
  const restored = await openStore(there);
  expect(await restored.tables.find(dataKeyTable, { keyId: KEY.keyId })).toEqual(later);
  await restored.close();
  rmSync(dataKeys);
  await expect(restore(join(root, 'elsewhere'))).rejects.toThrow('the wrapped data keys');
});

test('nothing starts before the erasures of each tenant were repeated', async () => {
  const there = join(root, 'there');
  await restore(there);
  expect(() => refuseRestored(there)).toThrow(`audit erase-again --tenant ${CHAIN_A}`);
  expect(await noteRepeated(there, 'another')).toEqual([CHAIN_A]);
  expect(() => refuseRestored(there)).toThrow(ConfigError);
  expect(await noteRepeated(there, CHAIN_A)).toEqual([]);
  refuseRestored(there);
});

test('a backup that fails, and one that was killed, leave no copy with wrapped keys', async () => {
  const failed = join(root, 'failed');
  await mkdir(join(root, 'taken/file'), { recursive: true });
  const taken = join(root, 'taken'); // a folder, so that the keys cannot be put there
  await expect(createBackup({ ...asked(), dataKeys: taken, out: failed })).rejects.toThrow();
  expect(readdirSync(failed)).not.toContain('store.tmp');

  const killed = [join(folder, 'store.tmp'), `${dataKeys}.0190.tmp`, join(failed, 'store.tmp')];
  const others = [join(folder, 'other.tmp'), join(root, 'other.tmp')];
  const before = Date.now() / 1_000 - 2 * 60 * 60;
  for (const file of [...killed, ...others]) {
    writeFileSync(file, 'wrapped');
    utimesSync(file, before, before);
  }
  const running = join(root, 'running/store.tmp');
  await mkdir(join(root, 'running'));
  writeFileSync(running, 'wrapped');
  await createBackup({ ...asked(), out: join(root, 'next') });
  const areThere = [...killed, ...others, running].map((file) => existsSync(file));
  expect(areThere).toEqual([false, false, false, true, true, true]);
  expect(readdirSync(root).filter((name) => name.endsWith('.tmp'))).toEqual(['other.tmp']);
});
