/**
 * Until when a blob in a folder must stay: empty files beside it, `<blob>.until-<milliseconds>`.
 * The latest counts, so puts of several processes at the same time need no agreement, and no write
 * makes the time shorter. This protects against this program; only object lock (s3.ts) protects
 * against the administrator of the machine.
 */
import { open, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { EpochMs } from '#platform/clock';

const MARK = /^(?<blob>[0-9a-f]+)\.until-(?<at>[0-9]{1,15})$/;

/** Call it before the blob itself is in place; its folder is synced then. */
export async function retain(path: string, until: EpochMs): Promise<void> {
  await (await open(`${path}.until-${until}`, 'a', 0o444)).close();
}

/** Whether it may be removed; if so, its past retentions are removed too. */
export async function endRetention(path: string, now: EpochMs): Promise<boolean> {
  const folder = dirname(path);
  const marks = (await readdir(folder)).flatMap((name) => {
    const { at, blob } = MARK.exec(name)?.groups ?? {};
    return blob === basename(path) ? [{ name, until: Number(at) }] : [];
  });
  if (marks.some(({ until }) => until > now)) return false;
  for (const { name } of marks) await rm(join(folder, name), { force: true });
  return true;
}
