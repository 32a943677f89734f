/**
 * Merges a file with the version in force into the next version: one pass over both, sorted by id,
 * with neither in memory. Entities that were there keep the date of first sight; related-party
 * paths are filled in; the two digests and the changes are found on the way.
 *
 * A full list is the next version; entities that it does not name are removed. A delta changes the
 * entities that it names, and every other line is passed through byte for byte.
 */
import { createHash } from 'node:crypto';
import { DomainError } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { withRoom } from '#platform/growingBuffer';
import { type AsideOptions, SinkError } from '#platform/sinkAside';
import {
  ChangeLog,
  type ContentFacts,
  contentAside,
  type EntityLine,
  entityLine,
  hasAssociations,
  inPresentForm,
  type LineColumns,
  LineComparison,
  LineCursor,
  type ListChanges,
  lineId,
  parseEntityLine,
  rewritten,
  textOf,
} from '#slices/lists';
import type { ListCounts } from './importPorts.ts';
import { additionOf, enlarged, keepingRelations } from './keptRelations.ts';
import type { RcaGraph } from './rca.ts';
import type { ReadList } from './reader.ts';
import { compareIds, type SortedSpool, type SpooledLine } from './sortedSpool.ts';

/** Removed entities that the run's log names. */
export const REMOVED_NAMED_MAX = 20;
/** Bytes gathered before they are passed on. */
const PIECE_BYTES = 512 * 1024;
const LINE_FEED = 0x0a;

export interface MergeInput {
  readonly spool: SortedSpool;
  /** Lines of the version in force, by id; absent: there is none, or it cannot be read. */
  readonly before: AsyncIterable<readonly Buffer[]> | undefined;
  /** For a delta: the entities that it removes. Absent: the file is a full list. */
  readonly removed: readonly string[] | undefined;
  readonly keepsRelations: ReadList['keepsRelations'] | undefined;
  /** Absent: paths stay as the version in force has them. */
  readonly graph: RcaGraph | undefined;
}

export interface MergedFacts {
  readonly listDigest: string;
  readonly contentDigest: string;
  /** The table of the lines, where there are not too many. */
  readonly columns?: LineColumns;
  readonly counts: ListCounts;
  readonly changes: ListChanges;
  /** For a delta: removals of entities that were not there. */
  readonly unknownRemovals: number;
  /** For a delta: entities that were not there, and to which it adds. */
  readonly unknownAdditions: number;
  /** Entities of which the publisher says the same, and a former release wrote it otherwise. */
  readonly newForms: number;
  readonly unrelated: LostRelations;
  /** The first REMOVED_NAMED_MAX: id and primary name. */
  readonly removedNames: readonly string[];
}

/** Counts of entities that a full list keeps. */
export interface LostRelations {
  /** Entities that were related to another one. */
  readonly of: number;
  /** Entities that are related to none now. */
  readonly lost: number;
  /** SHA-256 hex of the ids of those, a line feed after each. */
  readonly digest: string;
}

export class ListMerge {
  readonly #input: MergeInput;
  readonly #removed: readonly string[];
  readonly #content: ReturnType<typeof contentAside>;
  readonly #changes: ChangeLog;
  readonly #removedNames: string[] = [];
  readonly #comparison = new LineComparison();
  #out: Buffer = Buffer.allocUnsafeSlow(PIECE_BYTES);
  #outBytes = 0;
  #removedAt = 0;
  #unknownRemovals = 0;
  #unknownAdditions = 0;
  #newForms = 0;
  readonly #unrelatedIds = createHash('sha256');
  #related = 0;
  #unrelated = 0;
  #lastId: string | undefined;

  constructor(input: MergeInput, options?: AsideOptions) {
    this.#input = input;
    this.#content = contentAside(options);
    this.#removed = [...new Set(input.removed)].sort(compareIds);
    this.#changes = new ChangeLog(input.before !== undefined);
  }

  /** The next version in pieces of whole lines; a piece is not written to again. */
  async *pieces(): AsyncGenerator<Uint8Array> {
    const next = new LineCursor(this.#input.spool.lines(), (line) => line);
    const before = new LineCursor(this.#input.before, (line) => line);
    try {
      for (;;) {
        if (next.isDry) await next.fill();
        if (before.isDry) await before.fill();
        if (!this.#step(next, before)) break;
        if (this.#outBytes >= PIECE_BYTES) yield await this.#takePiece();
      }
    } finally {
      await before.close();
    }
    this.#unknownRemovals += this.#removed.length - this.#removedAt;
    if (this.#outBytes > 0) yield await this.#takePiece();
  }

  /** To be called once the last piece was taken. */
  async facts(): Promise<MergedFacts> {
    const { columns, contentDigest, listDigest, ...counted } = await this.#digests();
    const { added, removed, updated, ...changes } = this.#changes.finish();
    return {
      changes,
      ...(columns !== undefined && { columns }),
      contentDigest,
      counts: { added, removed, updated, ...counted },
      listDigest,
      newForms: this.#newForms,
      removedNames: this.#removedNames,
      unknownAdditions: this.#unknownAdditions,
      unknownRemovals: this.#unknownRemovals,
      unrelated: {
        digest: this.#unrelatedIds.digest('hex'),
        lost: this.#unrelated,
        of: this.#related,
      },
    };
  }

  /** However the merge ended. */
  close(): Promise<void> {
    return this.#content.close();
  }

  /** False once nothing is left. */
  #step(next: LineCursor<SpooledLine, SpooledLine>, before: LineCursor<Buffer, Buffer>): boolean {
    const read = next.head;
    if (this.#input.removed !== undefined) this.#passThrough(before, read?.id);
    const former = before.head;
    if (former === undefined && before.isDry) return true;
    if (read === undefined && former === undefined) return false;
    const formerId = former && lineId(former);
    const order = inOrder(read?.id, formerId);
    if (order <= 0 && read !== undefined) {
      this.#take(read, order === 0 && former ? entityLine(former) : undefined);
      next.step();
    } else if (former !== undefined && formerId !== undefined) {
      this.#leftOut(former, formerId);
    }
    if (order >= 0) before.step();
    return true;
  }

  /** Passes through the lines that a delta does not name, up to the next one that it names. */
  #passThrough(before: LineCursor<Buffer, Buffer>, read: string | undefined): void {
    const removed = this.#removed[this.#removedAt];
    const named = read === undefined || (removed !== undefined && removed < read) ? removed : read;
    const isUnnamed = (line: Buffer) => named === undefined || lineId(line) < named;
    for (const line of before.takeWhile(isUnnamed)) this.#put(line);
  }

  #take(
    read: { readonly id: string; readonly line: Buffer },
    former: EntityLine | undefined,
  ): void {
    const { id } = read;
    if (id === this.#lastId) {
      throw new DomainError('list-damaged', { detail: `ftm_id ${id} came twice` });
    }
    this.#lastId = id;
    // The entity exists, so its removals elsewhere in the delta do not count.
    this.#skipRemovals(id);
    if (this.#removed[this.#removedAt] === id) this.#removedAt++;
    const kept = this.#withKept(read.line, former);
    if (kept === undefined) {
      this.#unknownAdditions++;
      return;
    }
    const line = this.#rewrite(entityLine(kept), former);
    this.#put(line.bytes);
    if (former !== undefined) this.#compareRelations(line, former);
    if (former === undefined) this.#changes.add('added', id);
    else if (!line.bytes.equals(former.bytes)) {
      const difference = this.#comparison.of(line, former);
      this.#newForms += Number(difference === 'form');
      this.#changes.add(difference === 'content' ? 'updated' : 'seen', id);
    }
  }

  /** Undefined for an addition to an entity that does not exist. */
  #withKept(line: Buffer, former: EntityLine | undefined): Buffer | undefined {
    const { keepsRelations } = this.#input;
    if (keepsRelations === undefined) return line;
    const addition = additionOf(line);
    if (former === undefined) return addition ? undefined : line;
    const before = inPresentForm(parseEntityLine(former.bytes));
    const kept = addition
      ? enlarged(before, addition)
      : keepingRelations(parseEntityLine(line), before, keepsRelations.properties);
    return Buffer.from(canonicalJson(kept));
  }

  /** A delta changes only the relations that it names. */
  #compareRelations(line: EntityLine, former: EntityLine): void {
    if (this.#input.removed !== undefined || !hasAssociations(former.bytes)) return;
    this.#related++;
    if (hasAssociations(line.bytes)) return;
    this.#unrelated++;
    this.#unrelatedIds.update(`${line.id}\n`);
  }

  #rewrite(line: EntityLine, former: EntityLine | undefined): EntityLine {
    const firstSeen = former && textOf(former, former.firstSeen);
    const { graph } = this.#input;
    if (graph === undefined) {
      return rewritten(line, { firstSeen, paths: former ? textOf(former, former.paths) : '' });
    }
    const paths = graph.paths(line.id);
    const text = paths.length === 0 ? '' : canonicalJson(paths).slice(1, -1);
    return rewritten(line, { firstSeen, paths: text });
  }

  /** In a full list the entity is removed. In a delta it is passed through, unless it is named. */
  #leftOut(former: Buffer, id: string): void {
    const { removed } = this.#input;
    if (removed !== undefined) this.#skipRemovals(id);
    const isNamed = removed !== undefined && this.#removed[this.#removedAt] === id;
    if (isNamed) this.#removedAt++;
    if (isNamed || removed === undefined) this.#drop(former, id);
    else this.#put(former);
  }

  #drop(former: Buffer, id: string): void {
    this.#changes.add('removed', id);
    if (this.#removedNames.length === REMOVED_NAMED_MAX) return;
    this.#removedNames.push(`${id} ${parseEntityLine(former).primary_name}`);
  }

  #skipRemovals(before: string): void {
    for (let id = this.#removed[this.#removedAt]; id !== undefined && id < before; ) {
      this.#unknownRemovals++;
      this.#removedAt++;
      id = this.#removed[this.#removedAt];
    }
  }

  #put(line: Buffer): void {
    this.#out = withRoom(this.#out, this.#outBytes, line.length + 1);
    this.#out.set(line, this.#outBytes);
    this.#outBytes += line.length;
    this.#out[this.#outBytes++] = LINE_FEED;
  }

  async #takePiece(): Promise<Uint8Array> {
    const piece = this.#out.subarray(0, this.#outBytes);
    this.#out = Buffer.allocUnsafeSlow(2 * PIECE_BYTES);
    this.#outBytes = 0;
    await this.#content.add(piece).catch(refuseLine);
    return piece;
  }

  #digests(): Promise<ContentFacts> {
    return this.#content.finish().catch(refuseLine);
  }
}

/** An error of ours that came from another thread. */
function refuseLine(error: unknown): never {
  if (!(error instanceof SinkError) || error.code !== 'list-damaged') throw error;
  throw new DomainError('list-damaged', { cause: error, detail: error.message });
}

/** Negative: only `read` is here, positive: only `former`, 0: both. */
function inOrder(read: string | undefined, former: string | undefined): number {
  if (former === undefined) return -1;
  return read === undefined ? 1 : compareIds(read, former);
}
