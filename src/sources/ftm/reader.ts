/**
 * OPEN_AGGREGATE: FollowTheMoney entities as JSON lines, whole files and deltas.
 *
 * Two passes, since a relation may stand anywhere. The first only splits lines: entities go to a
 * compressed spool unread, and facts to be joined into them into a JoinTable. The second reads the
 * spool, joins, and passes every entity on as its line (mapBlocks.ts). Memory is the join table
 * (some 150 bytes for each relation, passport or address) and, where no scratch folder is given,
 * the spool.
 *
 * Lines stand alone: one that cannot be read is skipped and reported. A delta does not state the
 * relations of the entities that it changes, so those in force stay (`keepsRelations`). It may be
 * several releases' deltas one after another; then the last line of an id counts.
 */
import { DomainError } from '#core/kernel';
import type { ListReader, ListSink, ReadList, ReadListOptions } from '#slices/ingestion';
import { type CountryTable, createCountryLookup } from '#slices/lists';
import { LastOperations } from '../lastOperations.ts';
import { LineSpool, linesOf } from '../lineSpool.ts';
import { LineSplitter } from '../lines.ts';
import { SkippedRecords } from '../skippedRecords.ts';
import { JoinTable } from './joinTable.ts';
import { ENTITY_SCHEMAS, FtmMapper } from './map.ts';
import type { MappedBlock } from './mapBlock.ts';
import { type MapOptions, mapBlocks } from './mapBlocks.ts';
import { type FtmEntity, type FtmLine, parseLine, peek } from './record.ts';
import {
  addJoins,
  addPostName,
  addTenant,
  isEntityKey,
  JOINED_PROPERTIES,
  JOINED_SCHEMAS,
} from './relations.ts';

const LINE_BYTES_MAX = 16 * 1024 * 1024;
/** A file without any date: older than all others, and always the same. */
const NO_DATE = '1970-01-01';
const DAY = /^\d{4}-\d{2}-\d{2}/;
const ADDRESS_KEY = Buffer.from('"addressEntity":');
const SEEN_KEYS = ['last_seen', 'last_change'] as const;
const LAST_SEEN = /"(?:last_seen|last_change)": ?"(\d{4}-\d{2}-\d{2})/g;
const TAIL_BYTES = 256;
/** Additions between two checks whether more can be taken. */
const ADDED_AT_ONCE = 500;
/** Kinds of schemas that are counted by name. */
const SCHEMA_NOTES_MAX = 50;

export function ftmReader(countries: CountryTable, options: MapOptions = {}): ListReader {
  return {
    format: 'FollowTheMoney JSON lines',
    read: async (chunks, { onBytes, scratchFolder, sink, sourceId }) => {
      const [entities, joined] = [new LineSpool(scratchFolder), new LineSpool(scratchFolder)];
      try {
        const file = new FtmFile({ entities, joined }, sink);
        await file.read(chunks, onBytes);
        return await file.finish({ countries, options, sourceId });
      } finally {
        await Promise.all([entities.close(), joined.close()]);
      }
    },
  };
}

interface FinishOptions {
  readonly countries: CountryTable;
  readonly options: MapOptions;
  readonly sourceId: string;
}

interface Spools {
  readonly entities: LineSpool;
  /** For a delta: the facts to be joined, until it is known which line of an id is the last. */
  readonly joined: LineSpool;
}

class FtmFile {
  readonly #spools: Spools;
  readonly #sink: ListSink;
  readonly #joins = new JoinTable();
  /** For a delta. */
  readonly #operations = new LastOperations();
  readonly #skipped = new SkippedRecords();
  readonly #notes: Record<string, number> = {};
  readonly #splitter = new LineSplitter((line, number) => this.#take(line, number), {
    lineBytesMax: LINE_BYTES_MAX,
  });
  #records = 0;
  #releaseDate = '';
  #isDelta: boolean | undefined;

  constructor(spools: Spools, sink: ListSink) {
    this.#spools = spools;
    this.#sink = sink;
  }

  async read(
    chunks: AsyncIterable<Uint8Array>,
    onBytes: ReadListOptions['onBytes'],
  ): Promise<void> {
    let bytes = 0;
    for await (const chunk of chunks) {
      this.#splitter.feed(chunk);
      await this.#spools.entities.settle();
      await this.#spools.joined.settle();
      bytes += chunk.length;
      onBytes?.(bytes);
    }
    const last = this.#splitter.finish();
    if (!last) return;
    // Some files end without a line feed; one that ends within a line was cut.
    if ('bad' in parseLine(last.line)) {
      const detail = `line ${last.number}: cut within the line`;
      throw new DomainError('list-damaged', { detail });
    }
    this.#take(last.line, last.number);
  }

  async finish({ options, ...given }: FinishOptions): Promise<ReadList> {
    if (this.#isDelta === undefined) throw foreign('an empty file');
    const releaseDate = this.#releaseDate || NO_DATE;
    if (!this.#isDelta && releaseDate === NO_DATE) this.#note('release-date-unknown');
    await this.#finishOps();
    const context = { ...given, joins: this.#joins.shared(), releaseDate };
    for await (const block of mapBlocks(this.#spools.entities, context, options)) {
      this.#deliver(block);
      await this.#sink.ready?.();
    }
    if (this.#isDelta) {
      const { countries, ...context } = { ...given, releaseDate };
      const lookup = createCountryLookup(countries);
      const note = (kind: string) => this.#note(kind);
      await this.#addToOthers(
        new FtmMapper({ ...context, countries: lookup, joins: this.#joins, note }),
      );
    }
    const skipped = this.#skipped.finish(this.#records);
    const read = { notes: this.#notes, releaseDate, skipped };
    if (!this.#isDelta) return { kind: 'full', ...read };
    // One that only removes has no date.
    const keepsRelations = { properties: JOINED_PROPERTIES };
    return { ...read, keepsRelations, kind: 'delta', releaseDate: this.#releaseDate };
  }

  #take(line: Buffer, number: number): void {
    if (line.length === 0 || (line.length === 1 && line[0] === 13)) return;
    this.#records++;
    const head = peek(line);
    if (head && this.#isDelta !== true && isPlainEntity(head.schema)) {
      this.#begin(false);
      this.#takeEntity(line, number, head.id);
      return;
    }
    const parsed = parseLine(line);
    if ('bad' in parsed) {
      this.#skip(number, parsed.bad);
      return;
    }
    this.#begin(parsed.op !== undefined);
    if ((parsed.op !== undefined) === this.#isDelta) this.#takeParsed(line, number, parsed);
    else this.#skip(number, 'op: some lines have one and some have none');
  }

  /** An entity that stays unparsed: only its addresses and dates are looked for. */
  #takeEntity(line: Buffer, number: number, id: string): void {
    this.#spools.entities.add(line, number);
    const tail = line.toString('latin1', Math.max(0, line.length - TAIL_BYTES));
    // The publisher writes its dates last; another writer's order of members costs a longer look.
    const near = [...tail.matchAll(LAST_SEEN)];
    const days = near.length > 0 ? near : line.toString('latin1').matchAll(LAST_SEEN);
    for (const [, day] of days) this.#sawDay(day);
    for (const addressId of addressIds(line)) addTenant(this.#joins, addressId, id);
  }

  #takeParsed(line: Buffer, number: number, parsed: Exclude<FtmLine, { bad: string }>): void {
    const { entity, op } = parsed;
    if (op === 'DEL') {
      this.#operations.say(entity.id, number, { isGone: isGone(parsed) });
      return;
    }
    for (const key of SEEN_KEYS) this.#sawDay(DAY.exec(entity[key] ?? '')?.[0]);
    if (ENTITY_SCHEMAS.has(entity.schema)) this.#spools.entities.add(line, number);
    if (op === undefined) {
      this.#join(entity, number);
      return;
    }
    this.#operations.say(entity.id, number, { isGone: isGone(parsed) });
    if (isJoined(entity)) this.#spools.joined.add(line, number);
    else if (!ENTITY_SCHEMAS.has(entity.schema)) this.#noteSchema(entity.schema);
  }

  async #finishOps(): Promise<void> {
    for (const id of this.#operations.gone()) this.#sink.removed(id);
    for await (const block of this.#spools.joined.blocks()) {
      for (const { line, number } of linesOf(block)) {
        const parsed = parseLine(line);
        const isSaid = !('bad' in parsed) && this.#operations.isLast(parsed.entity.id, number);
        if (isSaid) this.#join(parsed.entity, number);
      }
    }
  }

  /** To entities that the delta does not name. */
  async #addToOthers(mapper: FtmMapper): Promise<void> {
    let count = 0;
    for (const id of this.#joins.keys()) {
      // Named entities have their facts in their own lines, unless they are removed.
      if (!isEntityKey(id) || this.#operations.names(id)) continue;
      this.#sink.added(id, mapper.addition(id));
      if (++count % ADDED_AT_ONCE === 0) await this.#sink.ready?.();
    }
  }

  /** Files what others are joined with. */
  #join(entity: FtmEntity, number: number): void {
    if (ENTITY_SCHEMAS.has(entity.schema)) {
      for (const id of entity.properties.addressEntity ?? []) addTenant(this.#joins, id, entity.id);
      if (entity.schema === 'Position') addPostName(this.#joins, entity);
    } else if (JOINED_SCHEMAS.has(entity.schema)) {
      const filed = addJoins(this.#joins, entity);
      if (filed === 'too-much') this.#skip(number, 'a record of too many parties, or too much');
      else if (filed === 'nothing') this.#note('record-tells-nothing');
    } else this.#noteSchema(entity.schema);
  }

  #deliver({ ends, entities, lines, notes, numbers, skipped }: MappedBlock): void {
    let start = 0;
    for (const [at, entity] of entities.entries()) {
      const end = ends[at] ?? start;
      const isSaid = !this.#isDelta || this.#operations.isLast(entity.ftm_id, numbers[at] ?? 0);
      if (isSaid) this.#sink.line(entity, lines.subarray(start, end));
      start = end;
    }
    for (const { number, reason } of skipped) this.#skip(number, reason);
    for (const [kind, count] of Object.entries(notes)) this.#note(kind, count);
  }

  /** The first line decides whether this is such a file at all, and of which kind. */
  #begin(isDelta: boolean): void {
    this.#isDelta ??= isDelta;
  }

  #skip(number: number, reason: string): void {
    if (this.#isDelta === undefined) throw foreign(`line ${number}: ${reason}`);
    this.#skipped.add(`line ${number}`, reason);
  }

  #sawDay(day: string | undefined): void {
    if (day !== undefined && day > this.#releaseDate) this.#releaseDate = day;
  }

  #noteSchema(schema: string): void {
    const kind = `schema-${/^\w{1,40}$/.test(schema) ? schema : 'unnamed'}`;
    const isKnown = kind in this.#notes || Object.keys(this.#notes).length < SCHEMA_NOTES_MAX;
    this.#note(isKnown ? kind : 'schema-other');
  }

  #note(kind: string, count = 1): void {
    this.#notes[kind] = (this.#notes[kind] ?? 0) + count;
  }
}

/**
 * Whether an entity has left the list: one changed to a kind without a place here may have been on
 * it.
 */
const isGone = ({ entity: { schema }, op }: Exclude<FtmLine, { bad: string }>): boolean =>
  op === 'DEL' || (op === 'MOD' && !ENTITY_SCHEMAS.has(schema) && !JOINED_SCHEMAS.has(schema));

/** Whether others are joined with anything that the record says. */
const isJoined = ({ properties, schema }: FtmEntity): boolean =>
  JOINED_SCHEMAS.has(schema) ||
  schema === 'Position' ||
  (ENTITY_SCHEMAS.has(schema) && (properties.addressEntity?.length ?? 0) > 0);

/** Whether it is read whole only in the second pass; a position's name is needed before. */
const isPlainEntity = (schema: string): boolean =>
  ENTITY_SCHEMAS.has(schema) && schema !== 'Position';

const foreign = (what: string): DomainError =>
  new DomainError('list-foreign', { detail: `expected FtM entities as JSON lines, got ${what}` });

/** The ids of `"addressEntity": [...]`, which no text can imitate: its quotes would be escaped. */
function addressIds(line: Buffer): readonly string[] {
  const at = line.indexOf(ADDRESS_KEY);
  if (at < 0) return [];
  const start = line.indexOf(91, at);
  const end = line.indexOf(93, at);
  if (start < 0 || end < start) return [];
  return line.toString('utf8', start, end).match(/[^",[\]\s]+/g) ?? [];
}
