/**
 * Lines sorted by id, however many: gathered in memory, sorted run by run, the runs laid down in a
 * file and merged when they are read (external merge sort). A list that fits into one run never
 * touches the disk.
 *
 *   file   runs one after another, each of records [id bytes u16][line bytes u32][id][line]
 *
 * The file has no name once it is open, so the system takes it away however the process ends; one
 * that died between the two leaves an empty file, which the next opening removes once it is old.
 * Memory: `runBytes`, and READ_BYTES for each run while they are merged.
 */
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { DomainError } from '#core/kernel';
import { draftOf, removeAbandonedDrafts } from '#platform/draftFile';

export const SPOOL_RUN_BYTES = 24 * 1024 * 1024;
/** Bytes read of one run at a time in a merge; a longer record takes what it needs. */
const READ_BYTES = 128 * 1024;
const HEAD_BYTES = 6;
const ID_BYTES_MAX = 65_535;

export interface SpooledLine {
  readonly id: string;
  /** Valid until the next batch is requested. */
  readonly line: Buffer;
}

interface Run {
  readonly start: number;
  readonly end: number;
}

export class SortedSpool {
  readonly #directory: string;
  readonly #runBytes: number;
  #gathered: Buffer;
  #used = 0;
  #ids: string[] = [];
  #starts: number[] = [];
  #isSorted = true;
  #count = 0;
  readonly #runs: Run[] = [];
  #file: FileHandle | undefined;
  #written = 0;

  constructor(options: { readonly directory: string; readonly runBytes?: number }) {
    this.#directory = options.directory;
    this.#runBytes = options.runBytes ?? SPOOL_RUN_BYTES;
    this.#gathered = Buffer.allocUnsafeSlow(Math.min(this.#runBytes, 1024 * 1024));
  }

  get count(): number {
    return this.#count;
  }

  /** Bytes of all records. */
  get bytes(): number {
    return this.#written + this.#used;
  }

  /** Whether `flush` is due before much more is added. */
  get isFull(): boolean {
    return this.#used >= this.#runBytes;
  }

  /** @param line as text, or in UTF-8 */
  add(id: string, line: string | Uint8Array): void {
    const start = this.#used;
    this.#reserve(HEAD_BYTES + (id.length + line.length) * 3);
    const idBytes = this.#gathered.write(id, start + HEAD_BYTES);
    const lineBytes = this.#write(line, start + HEAD_BYTES + idBytes);
    if (idBytes > ID_BYTES_MAX)
      throw new DomainError('list-damaged', { detail: 'ftm_id: too long' });
    this.#gathered.writeUInt16LE(idBytes, start);
    this.#gathered.writeUInt32LE(lineBytes, start + 2);
    this.#used = start + HEAD_BYTES + idBytes + lineBytes;
    const last = this.#ids.at(-1);
    this.#isSorted &&= last === undefined || last < id;
    this.#ids.push(id);
    this.#starts.push(start);
    this.#count++;
  }

  /** Writes the gathered records as a run. */
  async flush(): Promise<void> {
    if (this.#used === 0) return;
    this.#file ??= await openNameless(this.#directory);
    const start = this.#written;
    for (const { bytes } of this.#inOrder()) {
      this.#written += await writeAll(this.#file, Buffer.concat(bytes), this.#written);
    }
    this.#runs.push({ end: this.#written, start });
    this.#used = 0;
    this.#ids = [];
    this.#starts = [];
    this.#isSorted = true;
  }

  /** Every line, by id in code-unit order, in batches; may be called again. */
  async *lines(): AsyncGenerator<readonly SpooledLine[]> {
    if (this.#file === undefined) {
      for (const { ids, bytes } of this.#inOrder()) {
        yield ids.map((id, index) => ({ id, line: lineOf(bytes[index] ?? Buffer.of()) }));
      }
      return;
    }
    await this.flush();
    // The room for gathering is for reading now.
    this.#gathered = Buffer.of();
    yield* mergedRuns(this.#file, this.#runs);
  }

  async close(): Promise<void> {
    this.#gathered = Buffer.of();
    await this.#file?.close();
    this.#file = undefined;
  }

  *#inOrder(): Generator<{ ids: string[]; bytes: Buffer[] }> {
    const ids = this.#ids;
    const order = Uint32Array.from(ids.keys());
    if (!this.#isSorted) {
      order.sort((a, b) => compareIds(ids[a] ?? '', ids[b] ?? ''));
    }
    for (let from = 0; from < order.length; from += 512) {
      const part = [...order.subarray(from, from + 512)];
      yield {
        bytes: part.map((index) =>
          this.#gathered.subarray(this.#starts[index], this.#starts[index + 1] ?? this.#used),
        ),
        ids: part.map((index) => ids[index] ?? ''),
      };
    }
  }

  #write(line: string | Uint8Array, at: number): number {
    if (typeof line === 'string') return this.#gathered.write(line, at);
    this.#gathered.set(line, at);
    return line.length;
  }

  #reserve(bytes: number): void {
    const needed = this.#used + bytes;
    if (needed <= this.#gathered.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.#gathered.length * 2));
    this.#gathered.copy(grown, 0, 0, this.#used);
    this.#gathered = grown;
  }
}

export const compareIds = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

const lineOf = (record: Buffer): Buffer => record.subarray(HEAD_BYTES + record.readUInt16LE(0));

/** Makes the folder, and removes what a process that died has left in it. */
export async function openSpoolFolder(directory: string): Promise<void> {
  await mkdir(directory, { mode: 0o700, recursive: true });
  removeAbandonedDrafts(directory);
}

async function openNameless(directory: string): Promise<FileHandle> {
  const path = draftOf(join(directory, 'spool'), 'tmp');
  const file = await open(path, 'wx+', 0o600);
  await unlink(path);
  return file;
}

async function writeAll(file: FileHandle, bytes: Buffer, position: number): Promise<number> {
  for (let at = 0; at < bytes.length; ) {
    at += (await file.write(bytes, at, bytes.length - at, position + at)).bytesWritten;
  }
  return bytes.length;
}

/** The smallest head of all runs next; a batch ends where a run must be read on. */
async function* mergedRuns(
  file: FileHandle,
  runs: readonly Run[],
): AsyncGenerator<readonly SpooledLine[]> {
  const heap = new RunHeap();
  for (const run of runs) {
    const cursor = new RunCursor(file, run);
    if (await cursor.fill()) heap.push(cursor);
  }
  let batch: SpooledLine[] = [];
  for (let cursor = heap.top(); cursor; cursor = heap.top()) {
    batch.push({ id: cursor.id, line: cursor.line() });
    if (!cursor.next()) {
      // Reading on overwrites the lines of this batch.
      yield batch;
      batch = [];
      if (!(await cursor.fill())) heap.drop();
    }
    heap.settle();
  }
  if (batch.length > 0) yield batch;
}

/** One run, record by record. */
class RunCursor {
  readonly #file: FileHandle;
  #position: number;
  readonly #end: number;
  #buffer = Buffer.allocUnsafeSlow(READ_BYTES);
  #length = 0;
  #at = 0;
  #idBytes = 0;
  #lineBytes = 0;
  id = '';

  constructor(file: FileHandle, run: Run) {
    this.#file = file;
    this.#position = run.start;
    this.#end = run.end;
  }

  line(): Buffer {
    const start = this.#at + HEAD_BYTES + this.#idBytes;
    return this.#buffer.subarray(start, start + this.#lineBytes);
  }

  /** False where the next record is not whole in memory: `fill` then. */
  next(): boolean {
    this.#at += HEAD_BYTES + this.#idBytes + this.#lineBytes;
    return this.#take();
  }

  /** False at the end of the run. */
  async fill(): Promise<boolean> {
    this.#buffer.copy(this.#buffer, 0, this.#at, this.#length);
    this.#length -= this.#at;
    this.#at = 0;
    for (;;) {
      if (this.#take()) return true;
      if (this.#position === this.#end) return false;
      if (this.#length === this.#buffer.length) {
        this.#buffer = Buffer.concat([this.#buffer], this.#buffer.length * 2);
      }
      const wanted = Math.min(this.#buffer.length - this.#length, this.#end - this.#position);
      const read = await this.#file.read(this.#buffer, this.#length, wanted, this.#position);
      if (read.bytesRead === 0) throw new Error('spool: cut while it was read');
      this.#length += read.bytesRead;
      this.#position += read.bytesRead;
    }
  }

  #take(): boolean {
    const head = this.#at + HEAD_BYTES;
    if (head > this.#length) return false;
    const idBytes = this.#buffer.readUInt16LE(this.#at);
    const lineBytes = this.#buffer.readUInt32LE(this.#at + 2);
    if (head + idBytes + lineBytes > this.#length) return false;
    this.#idBytes = idBytes;
    this.#lineBytes = lineBytes;
    this.id = this.#buffer.toString('utf8', head, head + idBytes);
    return true;
  }
}

/** Runs by their next id. */
class RunHeap {
  readonly #cursors: RunCursor[] = [];

  top(): RunCursor | undefined {
    return this.#cursors[0];
  }

  push(cursor: RunCursor): void {
    this.#cursors.push(cursor);
    for (let at = this.#cursors.length - 1; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!this.#isBefore(at, parent)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  drop(): void {
    const last = this.#cursors.pop();
    if (last !== undefined && this.#cursors.length > 0) this.#cursors[0] = last;
  }

  /** Restores the order after the top's id has changed. */
  settle(): void {
    for (let at = 0; ; ) {
      const left = at * 2 + 1;
      const least = this.#isBefore(left + 1, left) ? left + 1 : left;
      if (!this.#isBefore(least, at)) return;
      this.#swap(at, least);
      at = least;
    }
  }

  #isBefore(a: number, b: number): boolean {
    const [one, other] = [this.#cursors[a], this.#cursors[b]];
    return one !== undefined && (other === undefined || one.id < other.id);
  }

  #swap(a: number, b: number): void {
    const [one, other] = [this.#cursors[a], this.#cursors[b]];
    if (!one || !other) return;
    this.#cursors[a] = other;
    this.#cursors[b] = one;
  }
}
