/** The FFI list of the IRS is brought in: whole, later than the one before, and not cut off. */
import { createHash } from 'node:crypto';
import { entry, overwrite } from '#core/audit';
import { chainOf, DomainError } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { CsvSplitter, fieldsOf, type RecordSink } from '#platform/csv/csvSplitter';
import { wholeLines } from '#platform/csv/wholeLines';
import type { TaxAsk } from './classifySubject.ts';
import { dayOf } from './days.ts';
import { ffiListDigest, ffiListTarget, findFfiList } from './ffiList.ts';
import { ffiRowsOf } from './ffiListing.ts';
import { readGiin } from './giin.ts';
import { FFI_ENTRIES_MAX } from './limits.ts';
import type { TaxPorts } from './ports.ts';
import { type FfiList, ffiListTable } from './tables.ts';

const COLUMN = 'giin';
/** A file that was cut off looks like a list of fewer. */
const SHARE_LEAST = 0.9;
const DAY = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;

/** A file of the IRS, and the day on which it was published. */
export interface ImportFfiList extends TaxAsk {
  readonly listedOn: string;
  /** CSV with a column `GIIN`. */
  readonly chunks: AsyncIterable<Uint8Array>;
}

const invalid = (detail: string): DomainError => new DomainError('ffi-list-invalid', { detail });

/** Takes the place of the list before. Throws `ffi-list-invalid`, `state-altered`. */
export async function importFfiList(ports: TaxPorts, ask: ImportFfiList): Promise<FfiList> {
  const { actor, ip, listedOn, tenantId } = ask;
  requireDay(listedOn, ports.clock.now());
  const { fileDigest, giins } = await readList(ask.chunks);
  const { address: blob } = await ports.blobs.put(ffiRowsOf(giins));
  return overwrite(async () => {
    const before = await findFfiList(ports, tenantId);
    requireLater(before, { entries: giins.length, listedOn });
    const next: FfiList = {
      blob,
      entries: giins.length,
      fileDigest,
      importedAt: ports.clock.now(),
      importedBy: actor,
      listedOn,
      publisher: 'IRS',
      tenantId,
      version: (before?.version ?? 0) + 1,
    };
    await ports.commit(chainOf(tenantId), {
      bus: [],
      changes: [ffiListTable.put(next, before?.version ?? 0)],
      events: [
        entry(ports, {
          action: 'tcr.ffi_list.imported',
          actor,
          at: next.importedAt,
          members: {
            entries: next.entries,
            file_sha256: fileDigest,
            list_digest: ffiListDigest(next),
            listed_on: listedOn,
          },
          target: ffiListTarget(next),
          ...(ip !== undefined && { ip }),
        }),
      ],
    });
    return next;
  });
}

function requireDay(day: string, now: EpochMs): void {
  const at = DAY.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  const isDay = !Number.isNaN(at) && new Date(at).toISOString().startsWith(day);
  if (!isDay || day > dayOf(now)) throw invalid('published: expected a day that is not to come');
}

function requireLater(
  before: FfiList | undefined,
  { entries, listedOn }: Pick<FfiList, 'entries' | 'listedOn'>,
): void {
  if (before === undefined) return;
  if (listedOn < before.listedOn) {
    throw invalid(`published: expected ${before.listedOn} or later, as the list that is there`);
  }
  const least = Math.floor(before.entries * SHARE_LEAST);
  if (entries < least) {
    throw invalid(`expected ${least} numbers or more, got ${entries}: the file may be cut off`);
  }
}

/** Every number once, in order. */
async function readList(
  chunks: AsyncIterable<Uint8Array>,
): Promise<{ readonly fileDigest: string; readonly giins: readonly string[] }> {
  const digest = createHash('sha256');
  const heard = async function* () {
    for await (const chunk of chunks) {
      digest.update(chunk);
      yield chunk;
    }
  };
  const column = new GiinColumn();
  const splitter = new CsvSplitter(column);
  for await (const piece of wholeLines(heard())) splitter.push(piece);
  splitter.finish();
  const giins = [...column.giins].sort();
  if (giins.length === 0) throw invalid('expected a CSV with a column GIIN, and numbers in it');
  return { fileDigest: digest.digest('hex'), giins };
}

class GiinColumn implements RecordSink {
  readonly giins = new Set<string>();
  #place: number | undefined;
  width: number | undefined;

  record(text: string, at: Parameters<RecordSink['record']>[1]): void {
    const fields = fieldsOf(text, at);
    if (this.#place === undefined) {
      const place = fields.findIndex((name) => name.trim().toLowerCase() === COLUMN);
      if (place < 0) throw this.refuse('line 1: expected a column GIIN');
      this.#place = place;
      this.width = fields.length;
      return;
    }
    const giin = fields[this.#place]?.trim() ?? '';
    const read = readGiin(giin);
    if (!read.isValid) throw this.refuse(`line ${at.line}: expected ${read.expected}`);
    this.giins.add(giin);
    if (this.giins.size > FFI_ENTRIES_MAX) {
      throw this.refuse(`line ${at.line}: expected at most ${FFI_ENTRIES_MAX} numbers`);
    }
  }

  broken(line: number): void {
    throw this.refuse(`line ${line}: expected a row whose quotes close`);
  }

  refuse(detail: string): DomainError {
    return invalid(detail);
  }
}
