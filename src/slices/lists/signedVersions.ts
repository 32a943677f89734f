/**
 * Versions of lists as the signed entries of the platform's chain tell of them. Records say which
 * blobs to load; only an entry says which index and which bundle belong to a version. So nothing is
 * screened with an index, and none is built from a bundle, that the last entry of its list does not
 * name.
 *
 * Entries are read once for a process, and then those that came since. What is asked for is
 * verified when it is asked for: when a list is loaded, never by a screening.
 */
import {
  type AuditStore,
  EntryPlaces,
  type JsonObject,
  type JsonRecord,
  type KeyRing,
  type SealedEvent,
  signedEntry,
  storedMembers,
} from '#core/audit';
import { DomainError, PLATFORM_CHAIN } from '#core/kernel';
import type { ListVersion } from './ports.ts';

const PUBLISHED = 'SANCTIONS_LIST_PUBLISHED';
/** Actions of the entries that say which blobs a version has. */
export const VERSION_ACTIONS = [PUBLISHED, 'SANCTIONS_INDEX_REBUILT'] as const;

/** All reject with `list-altered`. */
export interface SignedVersions {
  /** Refuses one that the last entry of its source does not name. */
  checkInForce(version: ListVersion): Promise<void>;
  /** Refuses one that no entry names; it may be one of before. */
  checkPublished(version: ListVersion): Promise<void>;
  /**
   * Whether the last entry of the source names all of it but its index: then the index may be built
   * from its bundle. Refuses as `checkInForce` does.
   */
  checkBundle(version: ListVersion): Promise<'same-index' | 'other-index'>;
  /** Sources that have a list in force by an entry, and not by these. Nothing ends a list. */
  missing(inForce: readonly Pick<ListVersion, 'sourceId'>[]): Promise<readonly string[]>;
  /** The label of the version that the last entry of the source names; undefined without one. */
  lastLabel(sourceId: string): Promise<string | undefined>;
  /**
   * Addresses of the changes of every version after `from`, up to `to`, in order; undefined for one
   * whose changes are not known. Undefined as a whole where `to` does not come after `from`.
   */
  changesSince(of: {
    readonly from: ListVersion;
    readonly to: ListVersion;
  }): Promise<readonly (string | undefined)[] | undefined>;
}

/** Members that name a version in every record of it. */
export function versionMembers(version: ListVersion): JsonObject {
  return {
    content_digest: version.contentDigest,
    entity_count: version.entityCount,
    list_digest: version.listDigest,
    list_version: version.listVersion,
    release_date: version.releaseDate,
  };
}

/** Members of an entry that say where a version's text is. */
export function bundleMembers(version: ListVersion): JsonObject {
  return {
    ...versionMembers(version),
    bundle: version.bundleBlob,
    ...(version.bundleBase !== undefined && { bundle_base: version.bundleBase.bundleBlob }),
  };
}

/** Members of an entry that say which index a version has. */
export function indexMembers(version: ListVersion): JsonObject {
  return {
    ...(version.overlayBlob !== undefined && { overlay: version.overlayBlob }),
    snapshot: version.snapshotBlob,
  };
}

/** What the chain is read with. */
export interface SignedVersionsPorts {
  readonly audit: Pick<AuditStore, 'findBySeq' | 'readEvents'>;
  readonly keyRing: KeyRing;
}

/** One for a process. */
export function signedVersions(ports: SignedVersionsPorts): SignedVersions {
  const { audit } = ports;
  const chainId = PLATFORM_CHAIN;
  const places = new EntryPlaces({ actions: VERSION_ACTIONS, audit, chainId, keysOf });
  const lastOf = async (version: ListVersion): Promise<JsonRecord> => {
    const { sourceId } = version;
    await places.readOn();
    const entry = await versionEntry(ports, sourceId, places.of(sourceId).at(-1));
    return entry ?? refuse(version, 'no signed entry of the chain `platform` tells of it');
  };
  return {
    async changesSince({ from, to }) {
      await places.readOn();
      const published = places.of(publishedOf(to.sourceId));
      const seqOf = (version: ListVersion) =>
        places.of(labelOf(version)).findLast((seq) => published.includes(seq));
      const [fromSeq, toSeq] = [seqOf(from), seqOf(to)];
      if (fromSeq === undefined || toSeq === undefined || fromSeq > toSeq) return undefined;
      const between = published.filter((seq) => fromSeq < seq && seq <= toSeq);
      return Promise.all(
        between.map(async (seq) => {
          const entry = await versionEntry(ports, to.sourceId, seq);
          if (entry === undefined) return refuse(to, `the entry seq ${seq} is not what was signed`);
          return entry.changes as string | undefined;
        }),
      );
    },
    async checkInForce(version) {
      const entry = await lastOf(version);
      if (!isBundleOf(entry, version)) refuse(version, otherThan(entry, 'version'));
      if (!isIndexOf(entry, version)) refuse(version, otherThan(entry, 'index'));
    },
    async checkBundle(version) {
      const entry = await lastOf(version);
      if (!isBundleOf(entry, version)) refuse(version, otherThan(entry, 'version'));
      return isIndexOf(entry, version) ? 'same-index' : 'other-index';
    },
    async checkPublished(version) {
      await places.readOn();
      for (const seq of places.of(labelOf(version)).toReversed()) {
        const entry = await versionEntry(ports, version.sourceId, seq);
        if (entry && isBundleOf(entry, version) && isIndexOf(entry, version)) return;
      }
      refuse(version, 'no signed entry of the chain `platform` names its index and its bundle');
    },
    async lastLabel(sourceId) {
      await places.readOn();
      const seq = places.of(sourceId).at(-1);
      if (seq === undefined) return undefined;
      const entry = await versionEntry(ports, sourceId, seq);
      return entry === undefined ? undefined : String(entry.list_version);
    },
    async missing(inForce) {
      await places.readOn();
      const known = new Set<string>(inForce.map(({ sourceId }) => sourceId));
      return places.keys().filter((key) => SOURCE_KEY.test(key) && !known.has(key));
    },
  };
}

function refuse({ listVersion, sourceId }: ListVersion, detail: string): never {
  throw new DomainError('list-altered', { detail: `${sourceId} ${listVersion}: ${detail}` });
}

const otherThan = ({ list_version, seq }: JsonRecord, what: string): string =>
  `its record names another ${what} than the last signed entry, seq ${seq} (${list_version})`;

/** Undefined without a seq, and where the entry there is not what was signed of this source. */
async function versionEntry(
  ports: SignedVersionsPorts,
  sourceId: string,
  seq: number | undefined,
): Promise<JsonRecord | undefined> {
  const entry = seq && (await signedEntry(ports, { chainId: PLATFORM_CHAIN, seq }));
  const isIt = entry && entry.target === sourceId && isVersionAction(entry.action as string);
  return isIt ? entry : undefined;
}

const isVersionAction = (action: string): boolean =>
  (VERSION_ACTIONS as readonly string[]).includes(action);

const isBundleOf = (entry: JsonRecord, version: ListVersion): boolean =>
  isToldBy(entry, bundleMembers(version), ['bundle_base']);

/** An entry that names no index names none that may be loaded. */
const isIndexOf = (entry: JsonRecord, version: ListVersion): boolean =>
  isToldBy(entry, indexMembers(version), ['overlay']);

function isToldBy(entry: JsonRecord, of: JsonObject, optional: readonly string[]): boolean {
  const names = [...Object.keys(of), ...optional];
  return names.every((name) => entry[name] === of[name]);
}

/** Things that an entry is about: its source, the version, and whether it published that. */
const SOURCE_KEY = /^[A-Z0-9_]+$/;
const labelOf = ({ listVersion, sourceId }: Pick<ListVersion, 'listVersion' | 'sourceId'>) =>
  `${sourceId} ${listVersion}`;
const publishedOf = (sourceId: string): string => `${sourceId} published`;

function keysOf(event: SealedEvent): readonly string[] {
  const { list_version, target } = storedMembers(event);
  const keys = [String(target), `${target} ${list_version}`];
  return event.action === PUBLISHED ? [...keys, publishedOf(String(target))] : keys;
}
