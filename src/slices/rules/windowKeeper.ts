/**
 * Windows outlive the process that holds them: what is in memory is put down as a sealed blob now
 * and then, and who begins again reads that and the log behind it, not the whole log. The position
 * names the blob, and its signed entry holds the position: windows that were exchanged or put back
 * are not read.
 *
 * They are a copy, and nothing is lost without them: where they cannot be used the log is read from
 * its first number. Accounts stand in them, so each is sealed under a secret of its own, which ends
 * with the next one; and once anything of the log was erased, those that had it are not read.
 */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import {
  type BlobStore,
  type DataKeys,
  dataKeyTable,
  openFile,
  type SealedUnder,
  sealedPuts,
} from '#core/blobs';
import { DomainError, type TableChange, type Tables, type TenantId } from '#core/kernel';
import type { Random } from '#platform/random';
import { ingestKeyId, type LogStream } from '#slices/monitoring';
import type { EntryReader } from './readEntries.ts';
import { type RuleEngine, TOO_LATE_MS } from './ruleEngine.ts';
import type { KeptPlace, RulePosition } from './tables.ts';
import {
  ingestsOf,
  type KeptWindows,
  type ReadIngest,
  readWindowIngests,
  readWindowLines,
  windowLines,
} from './windowLines.ts';

/** Transactions behind the last windows from which on new ones are kept. */
const KEPT_EVERY = 25_000;
/** Where more are held, a part of them: what is written stays in proportion to what came. */
const KEPT_PER_HELD = 4;
const LABEL = 'rule-windows';
const KEYS_AT_ONCE = 1_000;

/** Why windows were not read. */
export type WindowsUnread = 'absent' | 'damaged' | 'erased' | 'other-release' | 'other-rules';

/** What windows are kept with. */
export interface WindowPorts {
  readonly blobs: Pick<BlobStore, 'open' | 'put'>;
  readonly dataKeys: Pick<DataKeys, 'find' | 'make' | 'without'>;
  readonly log: LogStream;
  readonly random: Random;
  readonly tables: Pick<Tables, 'findMany'>;
  /** KEPT_EVERY without it. */
  readonly windowsEvery?: number;
  /** Told why the log is read whole, though there are windows. */
  readonly onWindowsUnread?: (why: WindowsUnread) => void;
}

/** An engine with what it was made for. */
interface Held {
  readonly engine: RuleEngine;
  readonly baseCurrency: string;
}

/** Windows that were put: to be named by the position in one commit with their key. */
export interface PutWindows {
  readonly windows: KeptPlace;
  readonly change: TableChange;
}

/** Keeps the windows of one tenant. */
export class WindowKeeper {
  readonly #ports: WindowPorts;
  readonly #tenantId: TenantId;

  constructor(ports: WindowPorts, tenantId: TenantId) {
    this.#ports = ports;
    this.#tenantId = tenantId;
  }

  /** What was evaluated before, as far back as windows reach; never more than memory may have. */
  async restore(held: Held, reader: EntryReader, position: RulePosition): Promise<void> {
    const { engine } = held;
    const { cut = Number.NEGATIVE_INFINITY, tseq: upTo } = position;
    if (upTo === 0) return;
    const kept = await this.#read(held, position);
    if (kept !== undefined) {
      engine.restore(
        kept.entries.filter(({ at }) => at >= cut),
        [],
      );
      engine.prune();
      if (kept.head.tseq >= upTo) return;
    }
    const from = (kept?.head.tseq ?? 0) + 1;
    for await (const segment of this.#ports.log.read({ from, tenantId: this.#tenantId })) {
      const before = segment.filter(({ tseq }) => tseq <= upTo);
      const entries = await reader.read(before);
      engine.restore(
        entries.filter(({ at, receivedAt }) => at >= cut && at >= receivedAt - TOO_LATE_MS),
        [],
      );
      engine.prune();
      if (before.length < segment.length || (segment.at(-1)?.tseq ?? 0) >= upTo) break;
    }
  }

  /** Whether it is time: nothing waits, and enough has come since. */
  isDue({ engine }: Pick<Held, 'engine'>, { late, tseq, windows }: RulePosition): boolean {
    const every = Math.max(
      this.#ports.windowsEvery ?? KEPT_EVERY,
      Math.floor(engine.size / KEPT_PER_HELD),
    );
    return late.length === 0 && tseq - (windows?.tseq ?? 0) >= every;
  }

  /** Undefined: something of it was erased since, and memory has to be read again. */
  async keep(
    { baseCurrency, engine }: Held,
    { tseq }: RulePosition,
  ): Promise<PutWindows | undefined> {
    const entries = engine.entries();
    if (!(await this.#areWhole(ingestsOf(entries)))) return undefined;
    const { blobs, dataKeys, random } = this.#ports;
    const named = this.#key();
    const known = await dataKeys.find(named);
    const next =
      known === undefined ? dataKeys.make(named, { seeds: [] }) : dataKeys.without(known, []);
    const head = { baseCurrency, reachMs: engine.reachMs, tseq };
    const sealed = sealedPuts({ blobs, random }, under(next.key.secret));
    const { sealedBlob } = await pipeline(
      Readable.from(windowLines(head, entries)),
      createGzip(),
      (bytes: AsyncIterable<Uint8Array>) => sealed.put(bytes),
    );
    return {
      change: dataKeyTable.put(next.record, known?.version ?? 0),
      windows: { blob: sealedBlob, keyVersion: next.key.version, tseq },
    };
  }

  async #read(held: Held, position: RulePosition): Promise<KeptWindows | undefined> {
    const { windows } = position;
    // A backup may have brought an older position beside later windows.
    if (windows === undefined || windows.tseq > position.tseq) return undefined;
    const kept = await this.#opened(windows, readWindowLines).catch(unlessDamaged);
    const why = typeof kept === 'string' ? kept : await this.#unfit(held, kept);
    if (why === undefined && typeof kept !== 'string') return kept;
    this.#ports.onWindowsUnread?.(why ?? 'damaged');
    return undefined;
  }

  /**
   * The end of the secret under which windows lie, where they have something that was erased since:
   * a tenant that takes nothing more keeps no others, which would end it. Undefined where they are
   * whole, or their secret has ended.
   */
  async ending({ windows }: Pick<RulePosition, 'windows'>): Promise<TableChange | undefined> {
    const { dataKeys } = this.#ports;
    const key = await dataKeys.find(this.#key());
    if (windows === undefined || key?.version !== windows.keyVersion) return undefined;
    const ingests = await this.#opened(windows, readWindowIngests).catch(unlessDamaged);
    if (typeof ingests !== 'string' && (await this.#areWhole(ingests))) return undefined;
    return dataKeyTable.put(dataKeys.without(key, []).record, key.version);
  }

  async #opened<Kept extends object>(
    { blob, keyVersion }: KeptPlace,
    read: (lines: AsyncIterable<Uint8Array>) => Promise<Kept | undefined>,
  ): Promise<Kept | WindowsUnread> {
    const key = await this.#ports.dataKeys.find(this.#key());
    if (key?.version !== keyVersion) return 'absent';
    const sealed = { address: blob, bytes: 0, sealed: { ...this.#key(), blob, keyVersion } };
    const bytes = await openFile(this.#ports.blobs, sealed, under(key.secret));
    if (bytes === undefined) return 'absent';
    const kept = await pipeline(Readable.from(bytes), createGunzip(), read);
    return kept ?? 'other-release';
  }

  async #unfit(
    { baseCurrency, engine }: Held,
    { head, ingests }: KeptWindows,
  ): Promise<WindowsUnread | undefined> {
    // A rule that looks back farther than those before it needs what they have let go; in another
    // currency every amount is another.
    if (head.baseCurrency !== baseCurrency || head.reachMs < engine.reachMs) return 'other-rules';
    return (await this.#areWhole(ingests)) ? undefined : 'erased';
  }

  /** Whether nothing of these bodies was erased since they were read. */
  async #areWhole(ingests: readonly ReadIngest[]): Promise<boolean> {
    for (let from = 0; from < ingests.length; from += KEYS_AT_ONCE) {
      const some = ingests.slice(from, from + KEYS_AT_ONCE);
      const keys = some.map(({ ingestId }) => ({ keyId: ingestKeyId(ingestId) }));
      const found = await this.#ports.tables.findMany(dataKeyTable, keys);
      const versions = new Map(found.map(({ keyId, version }) => [keyId, version]));
      const isWhole = some.every(
        ({ ingestId, keyVersion }) => (versions.get(ingestKeyId(ingestId)) ?? 0) === keyVersion,
      );
      if (!isWhole) return false;
    }
    return true;
  }

  #key(): { readonly keyId: string; readonly tenantId: TenantId } {
    return { keyId: `rule-windows/${this.#tenantId}`, tenantId: this.#tenantId };
  }
}

const under = (secret: Uint8Array): SealedUnder => ({ label: LABEL, secret });

function unlessDamaged(error: unknown): WindowsUnread {
  if (error instanceof DomainError && error.code === 'blob-damaged') return 'damaged';
  throw error;
}
