/**
 * An upload becomes a blob, or nothing: it is written to disk as it arrives, digested on the way,
 * and read along. The blob gets its name only after the last byte came, the gzip trailer agreed,
 * and the header, the encoding and the number of rows were found right. Every earlier failure (the
 * client leaves, sends less than it said, damages the file, fills the disk) fails the write, and
 * the blob store removes the half-written file.
 *
 * Rows are counted here and not read: reading takes ten times as long, and is a worker's task.
 * Subjects in JSON are read here, because the caller waits and can be told all faults at once.
 */
import type { BlobStore } from '#core/blobs';
import { DomainError, fullDisk, type Violation } from '#core/kernel';
import type { SubjectAttribute } from './attributes.ts';
import { countCsvRows } from './countRows.ts';
import { BATCH_ROWS_MAX } from './csvTable.ts';
import { type JsonBatchPart, readJsonBatch } from './jsonBatch.ts';
import { readAlong } from './readAlong.ts';
import { type KnownCountries, readSubject } from './subject.ts';
import { bounded, type Packing, unpack } from './unpack.ts';

/** Bytes of an upload as it is sent. */
export const UPLOAD_BYTES_MAX = 8_589_934_592;
/** Violations reported in one answer, as elsewhere. */
const VIOLATIONS_TOLD = 100;

/**
 * A received file. The record of the batch must name `address`: the store removes blobs that no
 * record names.
 */
export interface ReceivedFile {
  /** SHA-256 in hex of the bytes as they were sent. */
  readonly address: string;
  readonly bytes: number;
  /** Subjects, including those that may be rejected when they are read. */
  readonly rows: number;
}

export interface ReceivedCsv extends ReceivedFile {
  readonly packing: Packing;
  readonly columns: readonly SubjectAttribute[];
}

export interface ReceivedJson extends ReceivedFile {
  /** All members but `subjects`. A Map, since the names are the caller's. */
  readonly members: ReadonlyMap<string, unknown>;
  /** Whether `subjects` was there, as an array. */
  readonly hasSubjects: boolean;
}

export interface ReceiveOptions {
  readonly blobs: Pick<BlobStore, 'put'>;
  readonly rowsMax?: number;
  readonly bytesMax?: number;
  /** Whose it is: files of several senders are counted in turns. */
  readonly sender?: string;
}

/**
 * Checks all that was read before the blob gets its name: nothing is kept of an upload that it
 * refuses.
 */
type Check<Received> = (found: Omit<Received, 'address' | 'bytes'>) => void | Promise<void>;

/**
 * Throws `csv-invalid`, `upload-damaged`, `body-too-large`, `storage-full`, or what `bytes` threw.
 */
export async function receiveCsv(
  bytes: AsyncIterable<Uint8Array>,
  options: ReceiveOptions & { readonly check?: Check<ReceivedCsv> },
): Promise<ReceivedCsv> {
  return receive(bytes, options, async (sent) => {
    const { bytes: plain, packing } = await unpack(sent);
    const found = { ...(await countCsvRows(plain, options)), packing };
    await options.check?.(found);
    return found;
  });
}

/**
 * Throws as `receiveCsv`, and `json-malformed`, and `body-invalid` with every violation up to a
 * hundred.
 */
export async function receiveJson(
  bytes: AsyncIterable<Uint8Array>,
  options: ReceiveOptions & {
    readonly countries: KnownCountries;
    readonly check?: Check<ReceivedJson>;
    /** Subjects that are wrong are rejected with the batch, by row, and do not refuse it whole. */
    readonly mayReject?: true;
  },
): Promise<ReceivedJson> {
  return receive(bytes, options, async (sent) => {
    const members = new Map<string, unknown>();
    const counted = new CheckedSubjects(options);
    for await (const part of readJsonBatch(sent)) {
      if (part.kind === 'member') members.set(part.name, part.value);
      else counted.take(part);
    }
    counted.refuse();
    const found = { hasSubjects: counted.hasSubjects, members, rows: counted.rows };
    await options.check?.(found);
    return found;
  });
}

async function receive<Found>(
  bytes: AsyncIterable<Uint8Array>,
  { blobs, bytesMax = UPLOAD_BYTES_MAX }: ReceiveOptions,
  read: (bytes: AsyncIterable<Uint8Array>) => Promise<Found>,
): Promise<Found & { address: string; bytes: number }> {
  try {
    const { aside, main } = await readAlong(bounded(bytes, bytesMax), {
      aside: read,
      main: (sent) => blobs.put(sent, { isPaced: true }),
    });
    return { ...aside, address: main.address, bytes: main.bytes };
  } catch (error) {
    throw fullDisk(error) ?? error;
  }
}

class CheckedSubjects {
  readonly #countries: KnownCountries;
  readonly #mayReject: boolean;
  readonly #rowsMax: number;
  readonly #violations: Violation[] = [];
  rows = 0;
  hasSubjects = false;

  constructor(of: {
    readonly countries: KnownCountries;
    readonly mayReject?: true;
    readonly rowsMax?: number;
  }) {
    this.#countries = of.countries;
    this.#mayReject = of.mayReject === true;
    this.#rowsMax = of.rowsMax ?? BATCH_ROWS_MAX;
  }

  take({ first, values }: Extract<JsonBatchPart, { kind: 'subjects' }>): void {
    this.hasSubjects = true;
    this.rows += values.length;
    if (this.rows > this.#rowsMax) {
      throw new DomainError('body-too-large', {
        detail: `/subjects/${this.#rowsMax}: expected at most ${this.#rowsMax} subjects`,
      });
    }
    if (this.#mayReject) return;
    for (const [at, value] of values.entries()) {
      for (const violation of readSubject(value, this.#countries).violations ?? []) {
        const pointer = `/subjects/${first + at}${violation.pointer}`;
        this.#violations.push({ ...violation, pointer });
      }
    }
    if (this.#violations.length >= VIOLATIONS_TOLD) this.refuse();
  }

  /** Throws if there are violations. */
  refuse(): void {
    if (this.#violations.length === 0) return;
    throw new DomainError('body-invalid', {
      detail: 'some subjects do not have the described shape',
      violations: this.#violations.slice(0, VIOLATIONS_TOLD),
    });
  }
}
