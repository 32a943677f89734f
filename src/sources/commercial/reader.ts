/**
 * COMMERCIAL_WATCHLIST: a vendor's JSON feed (docs/list-format.md describes it), JSON lines.
 *
 * A line is the header (`release_date`, `kind`, `entity_count`), a page (`entities`, and `next`
 * where the feed is paged: whoever fetches follows it and writes one page a line), or an entity.
 * Entities stand alone: one that cannot be read is skipped and told. A feed that says how many
 * entities it has is held to that, so that a lost page is no shrunk list.
 */
import { isUtf8 } from 'node:buffer';
import { DomainError } from '#domain/kernel';
import type { CountryLookup, ListReader, ListSink, ReadList } from '#domain/lists';
import { LineSplitter } from '../lines.ts';
import { SkippedRecords } from '../skippedRecords.ts';
import { mapVendorEntity, vendorId } from './map.ts';

/** Pages are lines, too. */
const LINE_BYTES_MAX = 64 * 1024 * 1024;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

export function commercialReader(countries: CountryLookup): ListReader {
  return {
    format: 'vendor feed, JSON lines',
    read: async (chunks, { sourceId, sink, onBytes }) => {
      const feed = new Feed({ countries, sink, sourceId });
      let bytes = 0;
      for await (const chunk of chunks) {
        feed.splitter.feed(chunk);
        bytes += chunk.length;
        onBytes?.(bytes);
      }
      return feed.finish();
    },
  };
}

interface Header {
  readonly releaseDate: string;
  readonly kind: 'full' | 'delta';
  readonly basedOn?: string;
  readonly declaredCount?: number;
}

class Feed {
  readonly splitter = new LineSplitter((line, number) => this.#take(line, number), {
    lineBytesMax: LINE_BYTES_MAX,
  });
  readonly #options: { countries: CountryLookup; sink: ListSink; sourceId: string };
  readonly #skipped = new SkippedRecords();
  readonly #notes: Record<string, number> = {};
  #header: Header | undefined;
  #records = 0;
  /** Of the last page: where it is not the last one, the feed was cut. */
  #next: unknown;

  constructor(options: { countries: CountryLookup; sink: ListSink; sourceId: string }) {
    this.#options = options;
  }

  finish(): ReadList {
    const last = this.splitter.finish();
    if (last) {
      if (parse(last.line) === undefined) damaged(`line ${last.number}: cut within the line`);
      this.#take(last.line, last.number);
    }
    const header = this.#header;
    if (!header) throw foreign('an empty feed');
    if (typeof this.#next === 'string') damaged('its last page names another one');
    const { declaredCount } = header;
    if (declaredCount !== undefined && declaredCount !== this.#records) {
      damaged(`entity_count says ${declaredCount}, the feed holds ${this.#records}`);
    }
    return { ...header, notes: this.#notes, skipped: this.#skipped.finish(this.#records) };
  }

  #take(line: Buffer, number: number): void {
    if (line.length === 0 || (line.length === 1 && line[0] === 13)) return;
    const value = parse(line);
    const place = `line ${number}`;
    if (this.#header === undefined) {
      if (value === undefined) throw foreign(`${place}: no JSON object`);
      this.#header = readHeader(value, place);
      this.#takePage(value, place);
    } else if (value === undefined) this.#skip(place, 'no JSON object');
    else if (Array.isArray(value.entities)) {
      const { releaseDate } = readHeader(value, place);
      if (releaseDate !== this.#header.releaseDate) {
        damaged(`${place}: a page of ${releaseDate}, the others of ${this.#header.releaseDate}`);
      }
      this.#takePage(value, place);
    } else this.#takeEntity(value, place);
  }

  #takePage(page: Record<string, unknown>, place: string): void {
    this.#next = page.next;
    if (!Array.isArray(page.entities)) return;
    for (const [index, entity] of page.entities.entries()) {
      const at = `${place}, entity ${index + 1}`;
      if (isObject(entity)) this.#takeEntity(entity, at);
      else this.#skip(at, 'no JSON object');
    }
  }

  #takeEntity(value: Record<string, unknown>, place: string): void {
    this.#records++;
    const { countries, sink, sourceId } = this.#options;
    const releaseDate = this.#header?.releaseDate ?? '';
    if (value.op === 'delete') {
      const id = vendorId(value);
      if (id === undefined) this.#tell(place, 'id: expected a text');
      else sink.removed(id);
      return;
    }
    const note = (kind: string): void => {
      this.#notes[kind] = (this.#notes[kind] ?? 0) + 1;
    };
    const entity = mapVendorEntity(value, { countries, note, releaseDate, sourceId });
    if (typeof entity === 'string') this.#tell(place, entity);
    else sink.entity(entity);
  }

  #skip(place: string, reason: string): void {
    this.#records++;
    this.#tell(place, reason);
  }

  #tell(place: string, reason: string): void {
    this.#skipped.add(place, reason);
  }
}

function readHeader(value: Record<string, unknown>, place: string): Header {
  const { based_on, entity_count, kind = 'full', release_date } = value;
  if (typeof release_date !== 'string' || !DAY.test(release_date)) {
    throw foreign(`${place}: release_date: expected YYYY-MM-DD`);
  }
  if (kind !== 'full' && kind !== 'delta') throw foreign(`${place}: kind: expected full or delta`);
  const count = typeof entity_count === 'number' ? entity_count : undefined;
  return {
    kind,
    releaseDate: release_date,
    ...(typeof based_on === 'string' && { basedOn: based_on }),
    ...(count !== undefined && { declaredCount: count }),
  };
}

function parse(line: Buffer): Record<string, unknown> | undefined {
  if (!isUtf8(line)) return undefined;
  try {
    const value: unknown = JSON.parse(line.toString());
    return isObject(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const foreign = (what: string): DomainError =>
  new DomainError('list-foreign', { detail: `expected a vendor feed, got ${what}` });

function damaged(detail: string): never {
  throw new DomainError('list-damaged', { detail });
}
