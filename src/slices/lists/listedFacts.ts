/**
 * Facts of listed parties for the hits of an answer, of the versions that the answer names. The
 * same entries are hit again and again, so that the latest facts are kept; a version never changes.
 */
import type { AuditStore, KeyRing } from '#core/audit';
import { DomainError, type SourceId, type Tables } from '#core/kernel';
import {
  type EntryCaller,
  type EntryThread,
  type EntryThreadOf,
  entryThread,
  type FactsCaller,
} from './asks.ts';
import { isDamage } from './damage.ts';
import { type EntryFacts, FACTS_UNKNOWN, type ShownFacts } from './entryFacts.ts';
import { listStore } from './listStore.ts';
import type { ListStore, ListVersion } from './ports.ts';
import { type SignedVersions, signedVersions } from './signedVersions.ts';

/** Two kilobytes each at the most. */
const FACTS_KEPT_MAX = 4_000;
const VERSIONS_KEPT_MAX = 200;

/** An entry of a version, as events and batches name it. */
export interface ListedEntry {
  readonly source: string;
  readonly list_version: string;
  readonly list_digest: string;
  readonly content_digest: string;
  readonly id: string;
}

/**
 * In the order of the entries. Rejects where a store is away, with `list-altered`, and as the
 * thread does.
 */
export type FactsOf = (
  entries: readonly ListedEntry[],
  by: FactsCaller,
) => Promise<readonly ShownFacts[]>;

export interface FactsPorts {
  readonly lists: Pick<ListStore, 'findVersion'>;
  /** Refuses a version that no signed entry names with its bundle. */
  readonly check: SignedVersions['checkPublished'];
  readonly thread: Pick<EntryThread, 'facts'>;
  /** A version that an answer names is gone or damaged: an operator must know. */
  readonly onUnreadable: (version: string, error: unknown) => void;
}

export function createFactsOf(ports: FactsPorts): FactsOf {
  const kept = new Map<string, EntryFacts>();
  const versions = new KnownVersions(ports);
  return async (entries, by) => {
    // The answers of this call: what it reads may push out of `kept` what it found there.
    const answers = new Map<string, EntryFacts>();
    const missing = entries.filter((entry) => {
      const known = kept.get(keyOf(entry));
      if (known !== undefined) answers.set(keyOf(entry), known);
      return known === undefined;
    });
    await Promise.all(
      [...byVersion(missing).values()].map(async (group) => {
        for (const [entry, facts] of await readGroup(ports, versions, { by, group })) {
          answers.set(keyOf(entry), facts);
          keep(kept, keyOf(entry), facts, FACTS_KEPT_MAX);
        }
      }),
    );
    return entries.map((entry) => answers.get(keyOf(entry)) ?? FACTS_UNKNOWN);
  };
}

/**
 * Texts of entries of versions, in the order of the entries; undefined where the version is gone or
 * damaged, or has none of that id. Rejects as FactsOf does.
 */
export type ListedLinesOf = (
  entries: readonly ListedEntry[],
  by: EntryCaller,
) => Promise<readonly (Uint8Array | undefined)[]>;

export interface LinesPorts extends Omit<FactsPorts, 'thread'> {
  readonly thread: Pick<EntryThread, 'lines'>;
}

export function createLinesOf(ports: LinesPorts): ListedLinesOf {
  const versions = new KnownVersions(ports);
  const readOf = async (group: readonly ListedEntry[], by: EntryCaller) => {
    const [first] = group;
    if (first === undefined) return [];
    try {
      const version = await versions.find(first);
      const ids = group.map(({ id }) => id);
      return await ports.thread.lines(version, ids, by);
    } catch (error) {
      if (!isDamage(error)) throw error;
      ports.onUnreadable(`${first.source} ${first.list_version}`, error);
      return [];
    }
  };
  return async (entries, by) => {
    const found = new Map<ListedEntry, Uint8Array | undefined>();
    await Promise.all(
      [...byVersion(entries).values()].map(async (group) => {
        const lines = await readOf(group, by);
        for (const [at, entry] of group.entries()) found.set(entry, lines[at]);
      }),
    );
    return entries.map((entry) => found.get(entry));
  };
}

const versionKey = (of: Omit<ListedEntry, 'id'>): string =>
  `${of.source} ${of.list_version} ${of.list_digest} ${of.content_digest}`;
const keyOf = (entry: ListedEntry): string => `${versionKey(entry)} ${entry.id}`;

function byVersion(entries: readonly ListedEntry[]): Map<string, ListedEntry[]> {
  return Map.groupBy(entries, versionKey);
}

function keep<Value>(all: Map<string, Value>, key: string, value: Value, most: number): void {
  all.set(key, value);
  const [oldest] = all.keys();
  if (all.size > most && oldest !== undefined) all.delete(oldest);
}

async function readGroup(
  { onUnreadable, thread }: FactsPorts,
  versions: KnownVersions,
  { by, group }: { readonly group: readonly ListedEntry[]; readonly by: FactsCaller },
): Promise<readonly (readonly [ListedEntry, EntryFacts])[]> {
  const [first] = group;
  if (first === undefined) return [];
  try {
    const version = await versions.find(first);
    const ids = group.map(({ id }) => id);
    const facts = await thread.facts(version, ids, by);
    return group.flatMap((entry, at) => {
      const found = facts[at];
      return found ? [[entry, found] as const] : [];
    });
  } catch (error) {
    if (!isDamage(error)) throw error;
    onUnreadable(`${first.source} ${first.list_version}`, error);
    return [];
  }
}

/** Versions whose records are what was signed. */
class KnownVersions {
  readonly #ports: Pick<FactsPorts, 'check' | 'lists'>;
  readonly #known = new Map<string, ListVersion>();

  constructor(ports: Pick<FactsPorts, 'check' | 'lists'>) {
    this.#ports = ports;
  }

  async find(named: Omit<ListedEntry, 'id'>): Promise<ListVersion> {
    const key = versionKey(named);
    const known = this.#known.get(key) ?? (await this.#read(named));
    keep(this.#known, key, known, VERSIONS_KEPT_MAX);
    return known;
  }

  async #read(named: Omit<ListedEntry, 'id'>): Promise<ListVersion> {
    const { check, lists } = this.#ports;
    const { content_digest, list_digest, list_version, source } = named;
    const version = await lists.findVersion({
      listVersion: list_version,
      sourceId: source as SourceId,
    });
    if (version?.contentDigest !== content_digest || version.listDigest !== list_digest) {
      const detail = `${source} ${list_version}: no version of these digests`;
      throw new DomainError('list-damaged', { detail });
    }
    await check(version);
    return version;
  }
}

/** What a process of any kind has for it. */
export interface FactsMeans {
  readonly config: EntryThreadOf;
  readonly keyRing: KeyRing;
  readonly log: { error(members: Record<string, unknown>, text: string): void };
  readonly storage: { readonly audit: AuditStore; readonly tables: Tables };
  need(adapter: typeof entryThread): (of: EntryThreadOf) => Promise<EntryThread>;
  once<Part>(make: (process: this) => Part): Part;
  onClose(end: () => Promise<void>): void;
}

/** One for the process, which ends with it. */
export const entryThreadOf = (process: FactsMeans): Promise<EntryThread> =>
  process.once(openThread);

async function openThread(process: FactsMeans): Promise<EntryThread> {
  const { config } = process;
  const thread = await process.need(entryThread)(config);
  process.onClose(() => thread.close());
  return thread;
}

/** One for the process. */
export const factsOfProcess = (process: FactsMeans): FactsOf => process.once(openFacts);

/** One for the process. */
export const linesOfProcess = (process: FactsMeans): ListedLinesOf => process.once(openLines);

function portsOf(process: FactsMeans): Omit<FactsPorts, 'thread'> {
  const { keyRing, log, storage } = process;
  const versions = signedVersions({ audit: storage.audit, keyRing });
  return {
    check: (version) => versions.checkPublished(version),
    lists: listStore(storage.tables),
    onUnreadable: (version, error) =>
      log.error({ error, list_version: version }, 'facts beside hits: a version cannot be read'),
  };
}

function openFacts(process: FactsMeans): FactsOf {
  return createFactsOf({
    ...portsOf(process),
    thread: {
      facts: async (...ask) => (await entryThreadOf(process)).facts(...ask),
    },
  });
}

function openLines(process: FactsMeans): ListedLinesOf {
  return createLinesOf({
    ...portsOf(process),
    thread: {
      lines: async (...ask) => (await entryThreadOf(process)).lines(...ask),
    },
  });
}
