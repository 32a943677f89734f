/**
 * The versions in force as records have them, compared with the signed entries about them. A list
 * whose record is gone counts as well: an answer without it would look like CLEAR.
 */
import { lookSettled, type SettlingAudit } from '#core/audit';
import { DomainError, PLATFORM_CHAIN } from '#core/kernel';
import type { ListStore, ListVersion } from './ports.ts';
import type { SignedVersions } from './signedVersions.ts';

export interface InForcePorts {
  readonly lists: Pick<ListStore, 'listSources'>;
  readonly signed: Pick<SignedVersions, 'missing'>;
  /** Finishes commits that their writer left. */
  readonly audit?: SettlingAudit;
}

/** Versions by source, and sources that a signed entry has put a list of in force, without one. */
export async function recordedInForce({ audit = {}, lists, signed }: InForcePorts): Promise<{
  readonly missing: readonly string[];
  readonly versions: readonly ListVersion[];
}> {
  const { found } = await lookSettled(audit, async () => {
    const versions = (await lists.listSources())
      .flatMap(({ active }) => active ?? [])
      .sort((a, b) => (a.sourceId < b.sourceId ? -1 : 1));
    const missing = await signed.missing(versions);
    const refusal = missing.length === 0 ? undefined : missing.join(', ');
    return { chainId: PLATFORM_CHAIN, found: { missing, versions }, refusal };
  });
  return found;
}

/** What a source is refused for whose list has no record. */
export const recordGone = (sourceIds: readonly string[]): DomainError =>
  new DomainError('list-altered', {
    detail: `${sourceIds.join(', ')}: a signed entry put a list in force, and no record has one`,
  });

/** The versions, by source. Throws `list-altered` where one is not what was signed, or is gone. */
export async function signedInForce(
  ports: Omit<InForcePorts, 'signed'> & {
    readonly signed: Pick<SignedVersions, 'checkInForce' | 'missing'>;
  },
): Promise<readonly ListVersion[]> {
  const { missing, versions } = await recordedInForce(ports);
  if (missing.length > 0) throw recordGone(missing);
  for (const version of versions) await ports.signed.checkInForce(version);
  return versions;
}
