/**
 * List format v1 itself as a source, JSON lines: the shipped list, and lists that were normalised
 * elsewhere. The first line is `{"$schema", "source", "release_date", …}`, every other one an
 * entity. A last line that lacks its line feed was cut, and `entity_count` of the first line must
 * hold.
 *
 * Everything is checked: these files are written by people, too. What an entity lacks is an error,
 * what list format v1 does not know is refused, and names of countries are codes already.
 */
import { isUtf8 } from 'node:buffer';
import { DomainError } from '#core/kernel';
import { foldText } from '#platform/foldText';
import type { ListReader, ListSink, ReadList } from '#slices/ingestion';
import { type Association, LIST_FORMAT, type ListEntity, programmesMember } from '#slices/lists';
import { CATEGORIES, RELATIONS, SCHEMAS } from './formatWords.ts';
import { LineSplitter } from './lines.ts';

const LINE_BYTES_MAX = 1024 * 1024;
const DATE = /^\d{4}(?:-\d{2}(?:-\d{2})?)?$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const COUNTRY = /^[A-Z]{2}$/;

export const listFormatReader: ListReader = {
  format: 'list format v1, JSON lines',
  read: async (chunks, { sourceId, sink, onBytes }) => {
    const file = new ListFormatFile(sourceId, sink);
    let bytes = 0;
    for await (const chunk of chunks) {
      file.feed(chunk);
      bytes += chunk.length;
      onBytes?.(bytes);
    }
    return file.finish();
  },
};

class ListFormatFile {
  readonly #sourceId: string;
  readonly #lines = new LineSplitter((line, number) => this.#take(line, number), {
    lineBytesMax: LINE_BYTES_MAX,
  });
  readonly #sink: ListSink;
  #entityCount = 0;
  #header: { readonly releaseDate: string; readonly entityCount: number } | undefined;
  #line = 0;

  constructor(sourceId: string, sink: ListSink) {
    this.#sourceId = sourceId;
    this.#sink = sink;
  }

  feed(chunk: Uint8Array): void {
    this.#lines.feed(chunk);
  }

  finish(): ReadList {
    if (this.#lines.finish()) this.#fail('cut within a line');
    if (!this.#header) return this.#fail('no first line');
    const { entityCount, releaseDate } = this.#header;
    if (this.#entityCount !== entityCount) {
      this.#fail(`entity_count says ${entityCount}, the file holds ${this.#entityCount}`);
    }
    return { declaredCount: entityCount, kind: 'full', notes: {}, releaseDate, skipped: [] };
  }

  #take(bytes: Buffer, number: number): void {
    this.#line = number;
    if (!isUtf8(bytes)) this.#fail('bytes that are not UTF-8');
    const text = bytes.toString();
    const line = new Line(this.#parse(text), (what) => this.#fail(what));
    if (!this.#header) {
      this.#header = this.#takeHeader(line);
      return;
    }
    this.#sink.entity(toEntity(line, this.#sourceId, this.#header.releaseDate));
    this.#entityCount++;
  }

  #takeHeader(line: Line): { releaseDate: string; entityCount: number } {
    if (line.take('$schema') !== LIST_FORMAT) {
      throw new DomainError('list-foreign', { detail: `expected $schema ${LIST_FORMAT}` });
    }
    const source = line.text('source');
    if (source !== this.#sourceId) {
      throw new DomainError('list-foreign', { detail: `expected source ${this.#sourceId}` });
    }
    line.take('comment');
    const releaseDate = line.matching('release_date', DAY);
    const entityCount = Number(line.take('entity_count'));
    line.finish();
    return { releaseDate, entityCount };
  }

  #parse(text: string): Record<string, unknown> {
    try {
      const value: unknown = JSON.parse(text);
      if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
    } catch (cause) {
      // A file whose first line is no JSON is a file of something else.
      if (this.#header) this.#fail('not JSON', cause);
      throw new DomainError('list-foreign', { detail: 'the first line is not JSON', cause });
    }
    return this.#fail('expected an object');
  }

  #fail(what: string, cause?: unknown): never {
    throw new DomainError('list-damaged', { detail: `line ${this.#line}: ${what}`, cause });
  }
}

/** Keys in code-unit order, which makes the canonical JSON cheap. */
function toEntity(line: Line, sourceId: string, releaseDate: string): ListEntity {
  const primaryName = line.text('primary_name');
  const entity: ListEntity = {
    addresses: line.texts('addresses'),
    akas: line.texts('akas'),
    associations: line.objects('associations').map(toAssociation),
    categories: line.texts('categories').map((text) => line.oneOf('categories', text, CATEGORIES)),
    citizenships: line.texts('citizenships', COUNTRY),
    countries: line.texts('countries', COUNTRY),
    dates_of_birth: line.texts('dates_of_birth').map((text) => line.dates('dates_of_birth', text)),
    first_seen_at: line.optionalDay('first_seen_at') ?? releaseDate,
    flattened_associated_sanctioned: [],
    ftm_id: line.text('ftm_id'),
    identifiers: line.map('identifiers'),
    last_seen_at: line.optionalDay('last_seen_at') ?? releaseDate,
    places_of_birth: line.texts('places_of_birth'),
    primary_name: primaryName,
    primary_name_folded: foldText(primaryName),
    ...programmesMember(line.texts('programmes')),
    ...line.properties(),
    schema: line.oneOf('schema', line.text('schema'), SCHEMAS),
    source_lists_hits: [{ added_at: releaseDate, list: sourceId, version: releaseDate }],
  };
  line.finish();
  return entity;
}

function toAssociation(line: Line): Association {
  const strength = Number(line.take('strength'));
  const association = {
    label: line.text('label'),
    strength,
    target_ftm_id: line.text('target_ftm_id'),
    type: line.oneOf('type', line.text('type'), RELATIONS),
  };
  if (!(strength > 0 && strength <= 1)) line.fail('strength: expected a number over 0, at most 1');
  line.finish();
  return association;
}

/** The members of one object, each taken once; those left at the end are unknown. */
class Line {
  readonly fail: (what: string) => never;
  readonly #members: Map<string, unknown>;

  constructor(value: object, fail: (what: string) => never) {
    this.fail = fail;
    this.#members = new Map(Object.entries(value));
  }

  take(name: string): unknown {
    const value = this.#members.get(name);
    this.#members.delete(name);
    return value;
  }

  text(name: string): string {
    const value = this.take(name);
    if (typeof value === 'string' && value.trim() !== '') return value;
    return this.fail(`${name}: expected a text`);
  }

  matching(name: string, pattern: RegExp): string {
    const value = this.text(name);
    return pattern.test(value) ? value : this.fail(`${name}: expected ${pattern.source}`);
  }

  optionalDay(name: string): string | undefined {
    return this.#members.has(name) ? this.matching(name, DAY) : undefined;
  }

  texts(name: string, pattern?: RegExp): readonly string[] {
    const value = this.take(name) ?? [];
    const isFit = (item: unknown) =>
      typeof item === 'string' && item !== '' && (pattern?.test(item) ?? true);
    if (Array.isArray(value) && value.every(isFit)) return value;
    return this.fail(`${name}: expected an array of ${pattern?.source ?? 'texts'}`);
  }

  dates(name: string, text: string): string {
    const parts = text.split('/');
    if (parts.length <= 2 && parts.every((part) => DATE.test(part))) return text;
    return this.fail(`${name}: expected YYYY, YYYY-MM, YYYY-MM-DD or a range of such`);
  }

  objects(name: string): readonly Line[] {
    const value = this.take(name) ?? [];
    if (!Array.isArray(value)) return this.fail(`${name}: expected an array`);
    return value.map((item) => {
      if (typeof item !== 'object' || item === null) this.fail(`${name}: expected objects`);
      return new Line(item, (what) => this.fail(`${name}: ${what}`));
    });
  }

  oneOf<T extends string>(name: string, text: string, allowed: readonly T[]): T {
    const known = allowed.find((word) => word === text);
    if (known !== undefined) return known;
    return this.fail(`${name}: expected one of ${allowed.join(', ')}`);
  }

  map(name: string): Readonly<Record<string, string>> {
    const value = this.take(name) ?? {};
    const isFit = typeof value === 'object' && !Array.isArray(value);
    if (isFit && Object.values(value as object).every((item) => typeof item === 'string')) {
      return value as Record<string, string>;
    }
    return this.fail(`${name}: expected a map of texts`);
  }

  properties(): Pick<ListEntity, 'properties'> {
    const value = this.take('properties');
    if (value === undefined) return {};
    const isTexts = (item: unknown) =>
      Array.isArray(item) && item.every((text) => typeof text === 'string');
    if (typeof value === 'object' && value !== null && Object.values(value).every(isTexts)) {
      return { properties: value as Record<string, string[]> };
    }
    return this.fail('properties: expected a map of arrays of texts');
  }

  finish(): void {
    if (this.#members.size > 0) this.fail('an unknown member');
  }
}
