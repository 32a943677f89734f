/**
 * The list of institutions that are registered with the IRS (FFI list), which it publishes each
 * month: half a million numbers, sorted, of one length each, so that one is looked up without an
 * index. A list that has grown old says nothing, and says so.
 */
import type { EpochMs } from '#platform/clock';
import type { FfiState } from './taxSubject.ts';

const GIIN_CHARS = 19;
/** A number and a line's end. */
export const FFI_ROW_BYTES = GIIN_CHARS + 1;
/** The list comes each month. */
export const FFI_STALE_DAYS = 35;
const DAY_MS = 24 * 3_600_000;

/** Numbers in order, one a row. */
export function ffiRowsOf(giins: readonly string[]): Buffer {
  const rows = Buffer.alloc(giins.length * FFI_ROW_BYTES, '\n', 'latin1');
  for (const [at, giin] of giins.entries()) rows.write(giin, at * FFI_ROW_BYTES, 'latin1');
  return rows;
}

/** A list that numbers are looked up in. */
export class FfiListing {
  readonly listedOn: string;
  readonly #rows: Buffer;

  constructor(listedOn: string, rows: Uint8Array) {
    this.listedOn = listedOn;
    this.#rows = Buffer.from(rows.buffer, rows.byteOffset, rows.length);
  }

  /** On that day. */
  stateOf(giin: string, now: EpochMs): FfiState {
    if (this.isStale(now)) return 'list_stale';
    return this.#has(giin) ? 'listed' : 'not_listed';
  }

  isStale(now: EpochMs): boolean {
    return now - Date.parse(`${this.listedOn}T00:00:00Z`) > FFI_STALE_DAYS * DAY_MS;
  }

  #has(giin: string): boolean {
    let [from, to] = [0, this.#rows.length / FFI_ROW_BYTES];
    while (from < to) {
      const at = (from + to) >>> 1;
      const row = this.#rows.toString(
        'latin1',
        at * FFI_ROW_BYTES,
        at * FFI_ROW_BYTES + GIIN_CHARS,
      );
      if (row === giin) return true;
      if (row < giin) from = at + 1;
      else to = at;
    }
    return false;
  }
}

/** Lists are ten megabytes each, and tenants have the same one. */
const LISTS_KEPT = 2;

/** The lists that a process has read last, by the addresses of their blobs. */
export class FfiRows {
  readonly #kept = new Map<string, Uint8Array>();

  get(blob: string): Uint8Array | undefined {
    return this.#kept.get(blob);
  }

  keep(blob: string, rows: Uint8Array): void {
    this.#kept.delete(blob);
    this.#kept.set(blob, rows);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= LISTS_KEPT) return;
      this.#kept.delete(oldest);
    }
  }
}
