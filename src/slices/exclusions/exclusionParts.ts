/** The ports of the rules of exclusions, built from whatever process holds the installation. */
import { type AuditStore, type CommitEvidence, type KeyRing, signedEvents } from '#core/audit';
import type { DataKeys } from '#core/blobs';
import { DomainError, type SourceId, type Tables } from '#core/kernel';
import type { Clock } from '#platform/clock';
import type { Random } from '#platform/random';
import {
  type EntryThread,
  type EntryThreadOf,
  entryThread,
  type ListEntity,
  type ListStore,
  type ListVersion,
  listStore,
  type SignedVersions,
  signedVersions,
} from '#slices/lists';
import { type PolicyMeans, policiesInForceOf } from '#slices/policies';
import type { ExclusionPorts, ListedEntry } from './ports.ts';
import { type SignedExclusions, signedExclusions } from './signedExclusions.ts';

/** What a process of any kind has for it. */
export interface ExclusionMeans {
  readonly clock: Clock;
  readonly commit: CommitEvidence;
  readonly config: EntryThreadOf & PolicyMeans['config'];
  readonly dataKeys: DataKeys;
  readonly keyRing: KeyRing;
  readonly random: Random;
  readonly storage: { readonly audit: AuditStore; readonly tables: Tables };
  readonly identity: PolicyMeans['identity'];
  readonly tenants: PolicyMeans['tenants'];
  readonly ask: PolicyMeans['ask'];
  need(adapter: typeof entryThread): (of: EntryThreadOf) => Promise<EntryThread>;
  once<Part>(make: (process: this) => Part): Part;
  onClose(end: () => Promise<void>): void;
}

/** One for the process: what it has read of the chain is read once. */
export const signedExclusionsOf = (process: ExclusionMeans): SignedExclusions =>
  process.once(openSigned);

const openSigned = ({ keyRing, storage }: ExclusionMeans): SignedExclusions =>
  signedExclusions({ audit: storage.audit, keyRing });

/** One for the process. */
export const exclusionPartsOf = (process: ExclusionMeans): ExclusionPorts =>
  process.once(openParts);

function openParts(process: ExclusionMeans): ExclusionPorts {
  const { clock, commit, dataKeys, keyRing, random, storage } = process;
  const { audit, tables } = storage;
  const lists = listStore(tables);
  const versions = signedVersions({ audit, keyRing });
  return {
    audit,
    clock,
    commit,
    dataKeys,
    entitiesOf: async (entries, by) => {
      const found = new Map<ListedEntry, ListEntity | undefined>();
      for (const group of Map.groupBy(entries, versionKey).values()) {
        const [first] = group;
        if (first === undefined) continue;
        const version = await versionOf({ lists, versions }, first);
        const ids = group.map(({ id }) => id);
        const entities = await (await process.once(openThread)).entities(version, ids, by);
        for (const [place, entry] of group.entries()) found.set(entry, entities[place]);
      }
      return entries.map((entry) => found.get(entry));
    },
    events: signedEvents({ audit, keyRing }),
    async inForce(source) {
      const version = (await lists.findSource(source as SourceId))?.active;
      if (version !== undefined) await versions.checkInForce(version);
      return version;
    },
    async policyOf({ tenantId }) {
      const { flags } = (await policiesInForceOf(process).of(tenantId)).content;
      return {
        daysMax: flags.exclusion_max_days,
        fourEyes: flags.four_eyes,
        isEnabled: flags.exclusions_enabled,
      };
    },
    random,
    signed: signedExclusionsOf(process),
    tables,
  };
}

const versionKey = ({ content_digest, list_digest, list_version, source }: ListedEntry): string =>
  `${source} ${list_version} ${list_digest} ${content_digest}`;

/** The version that an entry names, as it was signed. */
async function versionOf(
  {
    lists,
    versions,
  }: { readonly lists: Pick<ListStore, 'findVersion'>; readonly versions: SignedVersions },
  named: Omit<ListedEntry, 'id'>,
): Promise<ListVersion> {
  const { content_digest, list_digest, list_version: listVersion, source } = named;
  const version = await lists.findVersion({ listVersion, sourceId: source as SourceId });
  if (version?.contentDigest !== content_digest || version.listDigest !== list_digest) {
    const detail = `${source} ${listVersion}: no version of these digests`;
    throw new DomainError('list-damaged', { detail });
  }
  await versions.checkPublished(version);
  return version;
}

async function openThread(process: ExclusionMeans): Promise<EntryThread> {
  const opened = await process.need(entryThread)(process.config);
  process.onClose(() => opened.close());
  return opened;
}
