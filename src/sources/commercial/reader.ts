/**
 * COMMERCIAL_WATCHLIST: a vendor's JSON feed (docs/list-format.md describes it), JSON lines.
 *
 * A line is the header (`release_date`, `kind`, `entity_count`), a page (`entities`, and `next`
 * where the feed is paged: the fetcher follows it and writes one page a line), or an entity.
 * Entities stand alone: one that cannot be read is skipped and reported. If a feed states how many
 * entities it has, the count is checked, so that a lost page is not taken for a shorter list. In a
 * delta the last statement about an id counts.
 */
import { DomainError } from '#core/kernel';
import type { ListReader, ListSink, ReadList } from '#slices/ingestion';
import type { CountryLookup } from '#slices/lists';
import { LineSplitter } from '../lines.ts';
import { isoPartialDate } from '../partialDates.ts';
import { SkippedRecords } from '../skippedRecords.ts';
import { HeldDelta } from './heldDelta.ts';
import { mapVendorEntity, vendorId } from './map.ts';
import { type Members, type Parsed, parseLine } from './record.ts';

/** Pages are lines, too. */
const LINE_BYTES_MAX = 64 * 1024 * 1024;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

export function commercialReader(countries: CountryLookup): ListReader {
  return {
    format: 'vendor feed, JSON lines',
    read: async (chunks, { sourceId, scratchFolder, sink, onBytes }) => {
      const delta = new HeldDelta(scratchFolder);
      try {
        const feed = new Feed({ countries, sink, sourceId, delta });
        let bytes = 0;
        for await (const chunk of chunks) {
          feed.splitter.feed(chunk);
          await delta.settle();
          bytes += chunk.length;
          onBytes?.(bytes);
        }
        const read = feed.finish();
        await delta.deliver(sink);
        return read;
      } finally {
        await delta.close();
      }
    },
  };
}

interface FeedOptions {
  readonly countries: CountryLookup;
  readonly sink: ListSink;
  readonly sourceId: string;
  readonly delta: HeldDelta;
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
  readonly #options: FeedOptions;
  readonly #skipped = new SkippedRecords();
  readonly #notes: Record<string, number> = {};
  #header: Header | undefined;
  #records = 0;
  /** `next` of the last page read: a value at the end means that the feed was cut. */
  #next: unknown;

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  finish(): ReadList {
    const last = this.splitter.finish();
    if (last) {
      const { head } = parseLine(last.line);
      if ('bad' in head && head.isCut) damaged(`line ${last.number}: cut within the line`);
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
    const { head, records } = parseLine(line);
    const place = `line ${number}`;
    if ('bad' in head) {
      if (this.#header === undefined) throw foreign(`${place}: ${head.bad}`);
      // A lost page means many lost records, and their number is unknown.
      const isPage = typeof this.#next === 'string' || line.includes('"entities"');
      if (isPage) damaged(`${place}: a page that cannot be read: ${head.bad}`);
      this.#takeRecord(head, place);
    } else if (this.#header === undefined || records) {
      this.#takeHeader(head.value, place);
      let index = 0;
      for (const record of records ?? []) this.#takeRecord(record, `${place}, entity ${++index}`);
    } else this.#takeRecord(head, place);
  }

  #takeHeader(value: Members, place: string): void {
    const header = readHeader(value, place);
    this.#header ??= header;
    const first = this.#header;
    if (header.releaseDate !== first.releaseDate || header.kind !== first.kind) {
      const expected = `${first.kind} of ${first.releaseDate}`;
      damaged(`${place}: expected a page of the ${expected}, got one of another`);
    }
    const { declaredCount = first.declaredCount } = header;
    if (declaredCount !== first.declaredCount) {
      damaged(`${place}: entity_count says ${declaredCount}, another than the first line's`);
    }
    const { entities, next } = value;
    if (entities !== undefined && !Array.isArray(entities)) {
      damaged(`${place}: entities: expected an array`);
    }
    if (next !== undefined && next !== null && typeof next !== 'string') {
      damaged(`${place}: next: expected a text or null`);
    }
    this.#next = next;
  }

  #takeRecord(parsed: Parsed, place: string): void {
    this.#records++;
    const fault = 'bad' in parsed ? parsed.bad : this.#takeEntity(parsed.value);
    if (fault !== undefined) this.#skipped.add(place, fault);
  }

  /** The reason, where it cannot be read. */
  #takeEntity(value: Members): string | undefined {
    const { countries, sink, sourceId, delta } = this.#options;
    const { kind, releaseDate = '' } = this.#header ?? {};
    const { op } = value;
    if (op === 'delete') return this.#takeRemoval(value);
    if (op !== undefined && op !== null) return 'op: expected delete, or none';
    const note = (name: string): void => {
      this.#notes[name] = (this.#notes[name] ?? 0) + 1;
    };
    const entity = mapVendorEntity(value, { countries, note, releaseDate, sourceId });
    if (typeof entity === 'string') return entity;
    if (kind === 'delta') delta.entity(entity);
    else sink.entity(entity);
    return undefined;
  }

  #takeRemoval(value: Members): string | undefined {
    const id = vendorId(value);
    if (id === undefined) return 'id: expected a text';
    if (this.#header?.kind !== 'delta') return 'op: delete stands in a full list';
    this.#options.delta.removed(id);
    return undefined;
  }
}

function readHeader(value: Members, place: string): Header {
  const { based_on, entity_count, kind = 'full', release_date } = value;
  const isDay = typeof release_date === 'string' && DAY.test(release_date);
  if (!isDay || isoPartialDate(release_date) === undefined) {
    throw foreign(`${place}: release_date: expected YYYY-MM-DD`);
  }
  if (kind !== 'full' && kind !== 'delta') throw foreign(`${place}: kind: expected full or delta`);
  const isCount = Number.isSafeInteger(entity_count) && Number(entity_count) >= 0;
  if (entity_count !== undefined && !isCount) {
    damaged(`${place}: entity_count: expected a whole number`);
  }
  const isBase = based_on === undefined || based_on === null || typeof based_on === 'string';
  if (!isBase) damaged(`${place}: based_on: expected a text`);
  return {
    kind,
    releaseDate: release_date,
    ...(typeof based_on === 'string' && { basedOn: based_on }),
    ...(isCount && { declaredCount: Number(entity_count) }),
  };
}

const foreign = (what: string): DomainError =>
  new DomainError('list-foreign', { detail: `expected a vendor feed, got ${what}` });

function damaged(detail: string): never {
  throw new DomainError('list-damaged', { detail });
}
