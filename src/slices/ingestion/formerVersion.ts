/**
 * The version that a run starts from, as signed entries tell of it. A file is compared with what
 * was in force, and a delta is written upon it: whoever could put another version there would have
 * it signed within the next one, or let most of a list go unseen.
 */
import { DomainError } from '#core/kernel';
import type { ListSource, ListVersion } from '#slices/lists';
import type { ImportListOptions } from './importPorts.ts';

/**
 * The source with the version that is in force by its last entry; where its own record names
 * another, that of the version is taken. Rejects with `list-altered` where neither is what was
 * signed, unless the caller has allowed that any loss may pass unseen.
 */
export async function withSignedVersion(
  { allow, ports }: Pick<ImportListOptions, 'allow' | 'ports'>,
  source: ListSource,
): Promise<ListSource> {
  const { active, ...bare } = source;
  const { sourceId } = source;
  const { lists, signed } = ports;
  if (active !== undefined && (await isSigned(() => signed.checkBundle(active)))) return source;
  const listVersion = await signed.lastLabel(sourceId);
  if (listVersion === undefined) return bare;
  const published = await lists.findVersion({ listVersion, sourceId });
  if (published !== undefined && (await isPublished(ports, published))) {
    return { ...bare, active: published };
  }
  if (allow?.shrink === true) return bare;
  const detail = `${sourceId}: no record of ${listVersion} is what was signed; import it by hand`;
  throw new DomainError('list-altered', { detail });
}

/** Whether some entry names its index and its bundle. */
export const isPublished = (
  { signed }: Pick<ImportListOptions['ports'], 'signed'>,
  version: ListVersion,
): Promise<boolean> => isSigned(() => signed.checkPublished(version));

async function isSigned(check: () => Promise<unknown>): Promise<boolean> {
  try {
    await check();
    return true;
  } catch (error) {
    if (error instanceof DomainError && error.code === 'list-altered') return false;
    throw error;
  }
}
