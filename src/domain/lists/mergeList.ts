/**
 * What a file says, merged with the version in force into the next version: one pass over both,
 * sorted by id, with neither in memory. Entities that were there keep the date of first sight;
 * related-party paths are filled in; the two digests and the changes are found on the way.
 *
 * A full list is the next version; what it does not name is removed. A delta changes what it names,
 * and every other line is passed through as it is, byte for byte.
 */
import { createHash } from 'node:crypto';
import { canonicalJson } from '#platform/canonicalJson';
import { DomainError } from '../kernel/index.ts';
import { ChangeLog, type ListChanges } from './changes.ts';
import {
  type EntityLine,
  entityLine,
  hasPaths,
  parseEntityLine,
  rewritten,
  textOf,
  writeContent,
} from './entityLine.ts';
import type { ListCounts } from './importPorts.ts';
import { keepingRelations } from './keptRelations.ts';
import { LineCursor } from './lineCursor.ts';
import type { RcaGraph } from './rca.ts';
import { compareIds, type SortedSpool } from './sortedSpool.ts';

/** Of what is removed, this many are named to whoever reads the run's log. */
export const REMOVED_NAMED_MAX = 20;
/** Bytes gathered before they are hashed or handed on. */
const PIECE_BYTES = 256 * 1024;
const LINE_FEED = 0x0a;

export interface MergeInput {
  readonly spool: SortedSpool;
  /** Lines of the version in force, by id; absent: there is none, or it cannot be read. */
  readonly before: AsyncIterable<readonly Buffer[]> | undefined;
  /** Of a delta: what it takes away. Absent: the file is a full list. */
  readonly removed: readonly string[] | undefined;
  readonly keepsRelations: boolean;
  /** Absent: paths stay as the version in force has them. */
  readonly graph: RcaGraph | undefined;
}

export interface MergedFacts {
  readonly listDigest: string;
  readonly contentDigest: string;
  readonly counts: ListCounts;
  readonly changes: ListChanges;
  /** Of a delta: removals of entities that were not there. */
  readonly unknownRemovals: number;
  /** The first REMOVED_NAMED_MAX: id and primary name. */
  readonly removedNames: readonly string[];
}

export class ListMerge {
  readonly #input: MergeInput;
  readonly #removed: readonly string[];
  readonly #listDigest = new Gathered();
  readonly #contentDigest = new Gathered();
  readonly #changes: ChangeLog;
  readonly #removedNames: string[] = [];
  readonly #compared: { former: Buffer; next: Buffer } = { former: Buffer.of(), next: Buffer.of() };
  #out: Buffer = Buffer.allocUnsafeSlow(PIECE_BYTES);
  #outBytes = 0;
  #entities = 0;
  #related = 0;
  #removedAt = 0;
  #unknownRemovals = 0;
  #lastId: string | undefined;

  constructor(input: MergeInput) {
    this.#input = input;
    this.#removed = [...new Set(input.removed)].sort(compareIds);
    this.#changes = new ChangeLog(input.before !== undefined);
  }

  /** Of the next version, whole lines. */
  async *pieces(): AsyncGenerator<Uint8Array> {
    const next = new LineCursor(this.#input.spool.lines(), (line) => line);
    const before = new LineCursor(this.#input.before, entityLine);
    try {
      for (;;) {
        if (next.isDry) await next.fill();
        if (before.isDry) await before.fill();
        const [read, former] = [next.head, before.head];
        if (read === undefined && former === undefined) break;
        const order = inOrder(read?.id, former?.id);
        if (order <= 0 && read !== undefined) {
          this.#take(read, order === 0 ? former : undefined);
          next.step();
        } else if (former !== undefined) {
          this.#leftOut(former);
        }
        if (order >= 0) before.step();
        if (this.#outBytes >= PIECE_BYTES) yield this.#takePiece();
      }
    } finally {
      await before.close();
    }
    this.#unknownRemovals += this.#removed.length - this.#removedAt;
    if (this.#outBytes > 0) yield this.#takePiece();
  }

  /** Once the last piece was taken. */
  facts(): MergedFacts {
    const { added, removed, updated, ...changes } = this.#changes.finish();
    return {
      changes,
      contentDigest: this.#contentDigest.digest(),
      counts: { added, entities: this.#entities, related: this.#related, removed, updated },
      listDigest: this.#listDigest.digest(),
      removedNames: this.#removedNames,
      unknownRemovals: this.#unknownRemovals,
    };
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
    // The entity is there, whatever else the delta says of it.
    this.#skipRemovals(id);
    if (this.#removed[this.#removedAt] === id) this.#removedAt++;
    const line = this.#rewrite(entityLine(this.#withKept(read.line, former)), former);
    this.#put(line);
    if (former === undefined) this.#changes.add('added', id);
    else if (!line.bytes.equals(former.bytes)) {
      this.#changes.add(this.#isSameContent(line, former) ? 'seen' : 'updated', id);
    }
  }

  #withKept(line: Buffer, former: EntityLine | undefined): Buffer {
    if (former === undefined || !this.#input.keepsRelations) return line;
    const kept = keepingRelations(parseEntityLine(line), parseEntityLine(former.bytes));
    return Buffer.from(canonicalJson(kept));
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

  /** Of a full list: removed. Of a delta: passed through, unless it is named. */
  #leftOut(former: EntityLine): void {
    const { removed } = this.#input;
    if (removed !== undefined) this.#skipRemovals(former.id);
    const isNamed = removed !== undefined && this.#removed[this.#removedAt] === former.id;
    if (isNamed) this.#removedAt++;
    if (isNamed || removed === undefined) this.#drop(former);
    else this.#put(former);
  }

  #drop(former: EntityLine): void {
    this.#changes.add('removed', former.id);
    if (this.#removedNames.length === REMOVED_NAMED_MAX) return;
    this.#removedNames.push(`${former.id} ${parseEntityLine(former.bytes).primary_name}`);
  }

  #skipRemovals(before: string): void {
    for (let id = this.#removed[this.#removedAt]; id !== undefined && id < before; ) {
      this.#unknownRemovals++;
      this.#removedAt++;
      id = this.#removed[this.#removedAt];
    }
  }

  #put(line: EntityLine): void {
    const { bytes, idText, lastSeen } = line;
    this.#entities++;
    if (hasPaths(line)) this.#related++;
    const seen = `["${textOf(line, idText)}","${textOf(line, lastSeen)}"]\n`;
    this.#listDigest.add(seen.length * 3, (target, at) => target.write(seen, at));
    this.#contentDigest.add(bytes.length + 1, (target, at) => {
      const end = writeContent(line, target, at);
      target[at + end] = LINE_FEED;
      return end + 1;
    });
    this.#out = withRoom(this.#out, this.#outBytes, bytes.length + 1);
    this.#outBytes += bytes.copy(this.#out, this.#outBytes);
    this.#out[this.#outBytes++] = LINE_FEED;
  }

  #isSameContent(line: EntityLine, former: EntityLine): boolean {
    const compared = this.#compared;
    compared.next = withRoom(compared.next, 0, line.bytes.length);
    compared.former = withRoom(compared.former, 0, former.bytes.length);
    const bytes = writeContent(line, compared.next, 0);
    if (writeContent(former, compared.former, 0) !== bytes) return false;
    return compared.next.compare(compared.former, 0, bytes, 0, bytes) === 0;
  }

  #takePiece(): Uint8Array {
    const piece = this.#out.subarray(0, this.#outBytes);
    this.#out = Buffer.allocUnsafeSlow(PIECE_BYTES + 4096);
    this.#outBytes = 0;
    return piece;
  }
}

/** Negative: only `read` is here, positive: only `former`, 0: both. */
function inOrder(read: string | undefined, former: string | undefined): number {
  if (former === undefined) return -1;
  return read === undefined ? 1 : compareIds(read, former);
}

/** Hashes in pieces: a call for every line costs more than the hash. */
class Gathered {
  readonly #hash = createHash('sha256');
  #buffer: Buffer = Buffer.allocUnsafeSlow(PIECE_BYTES);
  #used = 0;

  /** `write` takes at most `bytes` at the place that it is given, and says how many it took. */
  add(bytes: number, write: (target: Buffer, at: number) => number): void {
    if (this.#used + bytes > this.#buffer.length) {
      this.#hash.update(this.#buffer.subarray(0, this.#used));
      this.#used = 0;
      this.#buffer = withRoom(this.#buffer, 0, bytes);
    }
    this.#used += write(this.#buffer, this.#used);
  }

  digest(): string {
    return this.#hash.update(this.#buffer.subarray(0, this.#used)).digest('hex');
  }
}

/** The buffer, or a larger one with its first `used` bytes. */
function withRoom(buffer: Buffer, used: number, bytes: number): Buffer {
  if (used + bytes <= buffer.length) return buffer;
  const grown = Buffer.allocUnsafeSlow(Math.max(used + bytes, buffer.length * 2));
  buffer.copy(grown, 0, 0, used);
  return grown;
}
