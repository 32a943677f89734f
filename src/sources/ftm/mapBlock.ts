/**
 * The second pass over a file: blocks of lines → canonical lines of entities. Four fifths of the
 * time of an import's reading, and no block needs another one, so that threads can share them
 * (mapBlocks.ts).
 */
import { DomainError } from '#core/kernel';
import type { RelatedEntity } from '#slices/ingestion';
import {
  type CountryTable,
  canonicalLine,
  createCountryLookup,
  type ListEntity,
} from '#slices/lists';
import { linesOf, type SpooledBlock } from '../lineSpool.ts';
import { JoinTable, type SharedJoins } from './joinTable.ts';
import { FtmMapper } from './map.ts';
import { parseLine } from './record.ts';

/** Facts known after the first pass; transferred to threads as they are. */
export interface MapContext {
  readonly countries: CountryTable;
  readonly joins: SharedJoins;
  readonly releaseDate: string;
  readonly sourceId: string;
}

export interface MappedBlock {
  readonly entities: readonly RelatedEntity[];
  /** Their lines, end to end. */
  readonly lines: Uint8Array<ArrayBuffer>;
  /** End of each entity's line. */
  readonly ends: Uint32Array<ArrayBuffer>;
  /** Number of each entity's line in the file. */
  readonly numbers: Uint32Array<ArrayBuffer>;
  readonly skipped: readonly { readonly number: number; readonly reason: string }[];
  /** Counts of values kept as published, by kind. */
  readonly notes: Readonly<Record<string, number>>;
}

/** Bytes of an entity per byte of its line. Names of members make it longer. */
const GROWTH = 2;
const UTF8_BYTES_MAX = 3;

/** Maps blocks, one after another. */
export class BlockMapper {
  readonly #mapper: FtmMapper;
  #notes: Record<string, number> = {};

  constructor({ countries, joins, ...context }: MapContext) {
    this.#mapper = new FtmMapper({
      ...context,
      countries: createCountryLookup(countries),
      joins: new JoinTable(joins),
      note: (kind) => {
        this.#notes[kind] = (this.#notes[kind] ?? 0) + 1;
      },
    });
  }

  map(block: SpooledBlock): MappedBlock {
    const entities: RelatedEntity[] = [];
    const numbers: number[] = [];
    const skipped: { number: number; reason: string }[] = [];
    const lines = new Lines(block);
    this.#notes = {};
    for (const { line, number } of linesOf(block)) {
      const mapped = this.#mapped(line);
      if (typeof mapped === 'string') {
        skipped.push({ number, reason: mapped });
        continue;
      }
      const { associations, categories, ftm_id } = mapped.entity;
      lines.add(mapped.text);
      entities.push({ associations, categories, ftm_id });
      numbers.push(number);
    }
    const found = { entities, notes: this.#notes, numbers: Uint32Array.from(numbers), skipped };
    return { ...found, ...lines.finish() };
  }

  /** The entity of a line, or what is wrong with the line. */
  #mapped(line: Buffer): { readonly entity: ListEntity; readonly text: string } | string {
    const parsed = parseLine(line);
    if ('bad' in parsed) return parsed.bad;
    const entity = this.#mapper.map(parsed.entity);
    if (entity === undefined) return 'an entity without a name';
    try {
      return { entity, text: canonicalLine(entity) };
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return 'text that has no canonical form, such as half a character';
    }
  }
}

/** Text of one block, in UTF-8. */
class Lines {
  #bytes: Buffer<ArrayBuffer>;
  #used = 0;
  readonly #ends: number[] = [];

  constructor({ lineEnds }: SpooledBlock) {
    this.#bytes = Buffer.allocUnsafeSlow((lineEnds.at(-1) ?? 0) * GROWTH);
  }

  add(line: string): void {
    const needed = this.#used + line.length * UTF8_BYTES_MAX;
    if (needed > this.#bytes.length) {
      const grown = Buffer.allocUnsafeSlow(needed * GROWTH);
      this.#bytes.copy(grown, 0, 0, this.#used);
      this.#bytes = grown;
    }
    this.#used += this.#bytes.write(line, this.#used);
    this.#ends.push(this.#used);
  }

  finish(): Pick<MappedBlock, 'lines' | 'ends'> {
    return {
      ends: Uint32Array.from(this.#ends),
      lines: new Uint8Array(this.#bytes.buffer, 0, this.#used),
    };
  }
}
