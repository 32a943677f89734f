/**
 * `DATA_DIR/restored.json`: a backup was brought back, and it is not known yet whether persons who
 * were erased since have come back with it. It names the tenants whose erasures are still to be
 * repeated. While it is there, nothing is served.
 */
import { readFileSync, rmSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from './config.ts';
import { draftOf } from './draftFile.ts';

const fileIn = (dataDir: string): string => join(dataDir, 'restored.json');

/** Written before anything of the backup is in its place. Tenants that stand there already stay. */
export async function noteRestored(dataDir: string, restored: readonly string[]): Promise<void> {
  const tenants = [...new Set([...pendingIn(dataDir), ...restored])];
  if (tenants.length > 0) await write(dataDir, tenants);
}

async function write(dataDir: string, tenants: readonly string[]): Promise<void> {
  const draft = draftOf(fileIn(dataDir), 'tmp');
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(`${JSON.stringify({ tenants })}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, fileIn(dataDir));
}

/** This tenant's are repeated. The tenants whose are not. */
export async function noteRepeated(dataDir: string, tenant: string): Promise<readonly string[]> {
  const left = pendingIn(dataDir).filter((one) => one !== tenant);
  if (left.length === 0) rmSync(fileIn(dataDir), { force: true });
  else await write(dataDir, left);
  return left;
}

/** Throws ConfigError while erasures are still to be repeated: the start says which. */
export function refuseRestored(dataDir: string): void {
  const pending = pendingIn(dataDir);
  if (pending.length === 0) return;
  throw new ConfigError(
    pending.map(
      (tenant) =>
        `DATA_DIR: a backup was restored, and persons may have been erased since: ` +
        `audit erase-again --tenant ${tenant} --file EXPORT (docs/operations.md)`,
    ),
  );
}

function pendingIn(dataDir: string): readonly string[] {
  try {
    const { tenants } = JSON.parse(readFileSync(fileIn(dataDir), 'utf8')) as { tenants: string[] };
    return tenants;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}
