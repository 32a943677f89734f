/**
 * Puts a store's file, made and closed once in a run of tests, where a test will open it. To make
 * all tables and indexes anew takes longer than most tests do, and grows with every table; that a
 * first start makes them is for file.test.ts and tableSchema.test.ts to show.
 */
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type AnyTable, plainTable } from '#core/kernel';
import { systemClock } from '#platform/clock';
import { sha256Hex } from '#platform/crypto';
import { openStorage } from '../../../src/storage/index.ts';

const fileOf = (dataDir: string): string => join(dataDir, 'store', 'compliance.sqlite');

/** A store that is there stays as it is. */
export async function layOutStore(dataDir: string, tables: readonly AnyTable[]): Promise<void> {
  const file = fileOf(dataDir);
  if (existsSync(file)) return;
  const laidOut = await laidOutFile(tables);
  await mkdir(dirname(file), { mode: 0o700, recursive: true });
  await copyFile(laidOut, file);
}

/** In the folder of the run, where all test files find it. */
async function laidOutFile(tables: readonly AnyTable[]): Promise<string> {
  const digest = sha256Hex(JSON.stringify(tables.map(plainTable)));
  const place = join(tmpdir(), `laid-out-${digest}.sqlite`);
  if (existsSync(place)) return place;
  const dataDir = await mkdtemp(join(tmpdir(), 'laid-out-'));
  await (await openStorage({ clock: systemClock, dataDir, tables })).close();
  await rename(fileOf(dataDir), place);
  return place;
}
