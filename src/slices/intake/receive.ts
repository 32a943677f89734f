/**
 * An upload becomes a blob, or nothing: it is written to disk as it comes, digested on the way,
 * and read along. The blob gets its name only after the last byte came, the gzip trailer agreed,
 * and the header, the encoding and the number of rows were found right. Whatever fails before (the
 * client leaves, sends less than it said, damages the file, fills the disk) fails the write, and
 * the blob store takes the half-written file away.
 *
 * Rows are counted here and not read: reading takes ten times as long, and is a worker's. Subjects
 * in JSON are read here: the caller is there to be told what to mend, all of it at once.
 */
import type { BlobStore } from '#core/blobs';
import { DomainError, fullDisk, type Violation } from '#core/kernel';
import { BATCH_ROWS_MAX, countCsvRows } from './csvRows.ts';
import { type JsonBatchPart, readJsonBatch } from './jsonBatch.ts';
import { readAlong } from './readAlong.ts';
import { type KnownCountries, readSubject, type SubjectAttribute } from './subject.ts';
import { bounded, type Packing, unpack } from './unpack.ts';

/** Of an upload as it is sent. */
export const UPLOAD_BYTES_MAX = 8_589_934_592;
/** Told in one answer, as elsewhere. */
const VIOLATIONS_TOLD = 100;

/** Whoever keeps a batch keeps `address`: the store takes blobs away that nobody names. */
export interface ReceivedFile {
  /** Of the bytes as they were sent: their SHA-256 in hex. */
  readonly address: string;
  readonly bytes: number;
  /** Subjects, those included that may be rejected when they are read. */
  readonly rows: number;
}

export interface ReceivedCsv extends ReceivedFile {
  readonly packing: Packing;
  readonly columns: readonly SubjectAttribute[];
}

export interface ReceivedJson extends ReceivedFile {
  /** All but `subjects`; of hostile names: a Map. */
  readonly members: ReadonlyMap<string, unknown>;
  /** Whether `subjects` was there, as an array. */
  readonly hasSubjects: boolean;
}

export interface ReceiveOptions {
  readonly blobs: Pick<BlobStore, 'put'>;
  readonly rowsMax?: number;
  readonly bytesMax?: number;
}

/**
 * Looks at what was read, all of it, before the blob gets its name: nothing is kept of what it
 * refuses.
 */
type Check<Received> = (found: Omit<Received, 'address' | 'bytes'>) => void | Promise<void>;

/** `csv-invalid`, `upload-damaged`, `body-too-large`, `storage-full`, or what `bytes` threw. */
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

/** As `receiveCsv`, and `json-malformed`, `body-invalid` with every violation up to a hundred. */
export async function receiveJson(
  bytes: AsyncIterable<Uint8Array>,
  options: ReceiveOptions & {
    readonly countries: KnownCountries;
    readonly check?: Check<ReceivedJson>;
  },
): Promise<ReceivedJson> {
  return receive(bytes, options, async (sent) => {
    const members = new Map<string, unknown>();
    const counted = new CheckedSubjects(options.countries, options.rowsMax ?? BATCH_ROWS_MAX);
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
      main: (sent) => blobs.put(sent),
    });
    return { ...aside, address: main.address, bytes: main.bytes };
  } catch (error) {
    throw fullDisk(error) ?? error;
  }
}

class CheckedSubjects {
  readonly #countries: KnownCountries;
  readonly #rowsMax: number;
  readonly #violations: Violation[] = [];
  rows = 0;
  hasSubjects = false;

  constructor(countries: KnownCountries, rowsMax: number) {
    this.#countries = countries;
    this.#rowsMax = rowsMax;
  }

  take({ first, values }: Extract<JsonBatchPart, { kind: 'subjects' }>): void {
    this.hasSubjects = true;
    this.rows += values.length;
    if (this.rows > this.#rowsMax) {
      throw new DomainError('body-too-large', {
        detail: `/subjects/${this.#rowsMax}: expected at most ${this.#rowsMax} subjects`,
      });
    }
    for (const [at, value] of values.entries()) {
      for (const violation of readSubject(value, this.#countries).violations ?? []) {
        const pointer = `/subjects/${first + at}${violation.pointer}`;
        this.#violations.push({ ...violation, pointer });
      }
    }
    if (this.#violations.length >= VIOLATIONS_TOLD) this.refuse();
  }

  /** Where there is something to refuse. */
  refuse(): void {
    if (this.#violations.length === 0) return;
    throw new DomainError('body-invalid', {
      detail: 'some subjects do not have the described shape',
      violations: this.#violations.slice(0, VIOLATIONS_TOLD),
    });
  }
}
