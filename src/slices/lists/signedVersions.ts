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
  entryPages,
  type JsonObject,
  type JsonRecord,
  type KeyRing,
  storedMembers,
  verifiedEvent,
} from '#core/audit';
import { DomainError, PLATFORM_CHAIN } from '#core/kernel';
import type { ListVersion } from './ports.ts';

/** Actions of the entries that say which blobs a version has. */
export const VERSION_ACTIONS = ['SANCTIONS_LIST_PUBLISHED', 'SANCTIONS_INDEX_REBUILT'] as const;

export interface SignedVersions {
  /** Refuses one that the last entry of its source does not name, with `list-altered`. */
  checkInForce(version: ListVersion): Promise<void>;
  /** Refuses one that no entry names, with `list-altered`; it may be one of before. */
  checkPublished(version: ListVersion): Promise<void>;
  /**
   * Whether the last entry of the source names all of it but its index: then the index may be built
   * from its bundle. Refuses as `checkInForce` does.
   */
  checkBundle(version: ListVersion): Promise<'same-index' | 'other-index'>;
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

type Audit = Pick<AuditStore, 'findBySeq' | 'readEvents'>;

/** One for a process. */
export function signedVersions(ports: {
  readonly audit: Audit;
  readonly keyRing: KeyRing;
}): SignedVersions {
  const places = new VersionPlaces(ports.audit);
  const lastOf = async (version: ListVersion): Promise<JsonRecord> => {
    const { sourceId } = version;
    await places.readOn();
    const seq = places.of(sourceId).at(-1)?.seq;
    const entry = seq === undefined ? undefined : await signedEntry(ports, seq, sourceId);
    return entry ?? refuse(version, 'no signed entry of the chain `platform` tells of it');
  };
  return {
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
      const { listVersion, sourceId } = version;
      for (const place of places.of(sourceId).toReversed()) {
        if (place.listVersion !== listVersion) continue;
        const entry = await signedEntry(ports, place.seq, sourceId);
        if (entry && isBundleOf(entry, version) && isIndexOf(entry, version)) return;
      }
      refuse(version, 'no signed entry of the chain `platform` names its index and its bundle');
    },
  };
}

function refuse({ listVersion, sourceId }: ListVersion, detail: string): never {
  throw new DomainError('list-altered', { detail: `${sourceId} ${listVersion}: ${detail}` });
}

const otherThan = ({ list_version, seq }: JsonRecord, what: string): string =>
  `its record names another ${what} than the last signed entry, seq ${seq} (${list_version})`;

async function signedEntry(
  { audit, keyRing }: { readonly audit: Audit; readonly keyRing: KeyRing },
  seq: number,
  sourceId: string,
): Promise<JsonRecord | undefined> {
  const event = await audit.findBySeq(PLATFORM_CHAIN, seq);
  const entry = event && verifiedEvent(event, { chainId: PLATFORM_CHAIN, keyRing });
  const isIt =
    entry !== undefined && entry.target === sourceId && isVersionAction(entry.action as string);
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

interface VersionPlace {
  readonly seq: number;
  readonly listVersion: string;
}

/** Where the entries of each source stand, as they are stored. */
class VersionPlaces {
  readonly #audit: Audit;
  readonly #upTo = new Map<string, number>();
  readonly #places = new Map<string, VersionPlace[]>();
  #reading: Promise<void> | undefined;

  constructor(audit: Audit) {
    this.#audit = audit;
  }

  of(sourceId: string): readonly VersionPlace[] {
    return this.#places.get(sourceId) ?? [];
  }

  /** One at a time: two that read the same entries would keep them twice. */
  async readOn(): Promise<void> {
    this.#reading ??= this.#readOn().finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
  }

  async #readOn(): Promise<void> {
    for (const action of VERSION_ACTIONS) {
      const range = { action, chainId: PLATFORM_CHAIN, fromSeq: (this.#upTo.get(action) ?? 0) + 1 };
      for await (const page of entryPages(this.#audit, range)) {
        for (const event of page) {
          const { list_version, target } = storedMembers(event);
          const places = this.#places.get(String(target)) ?? [];
          places.push({ listVersion: String(list_version), seq: event.seq });
          this.#places.set(String(target), places);
          this.#upTo.set(action, event.seq);
        }
      }
    }
    for (const places of this.#places.values()) places.sort((one, other) => one.seq - other.seq);
  }
}
