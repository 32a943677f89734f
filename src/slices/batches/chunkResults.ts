/**
 * The results of a chunk as they are made: a subject's line is written, hashed, counted and packed
 * at once, so that a thread holds no more than a piece of text of them, however many hits they
 * have. It can be left after any subject and gone on with elsewhere: the bytes come out the same.
 *
 * The blob is a gzip file of one member for each piece (RFC 1952, 2.2); readers see one text. What
 * is sealed follows all lines in a last member, stored as it is: it cannot be packed.
 */
import { gzipSync } from 'node:zlib';
import { canonicalJson } from '#platform/canonicalJson';
import { leafHash, merkleRoot } from '#platform/merkleTree';
import { type BatchCounts, noCounts } from './batch.ts';
import type { ChunkFigures } from './chunkPorts.ts';
import { GZIP_LEVEL, type SubjectResult } from './resultLine.ts';
import type { SubjectSealer } from './subjectSeal.ts';

/** UTF-16 units of text in a piece; the usual chunk has one or two pieces. */
const PIECE_UNITS_MIN = 1024 * 1024;

/** The results of a chunk's first subjects, as plain data. */
export interface ResultsSoFar {
  readonly figures: ChunkFigures;
  /** base64, as `packed` is. */
  readonly leaves: readonly string[];
  readonly packed: readonly string[];
  /** Lines of a piece that is not full yet. */
  readonly piece: readonly string[];
  /** What is sealed beside the lines; absent in lines of version 1. */
  readonly sealed?: readonly string[];
}

type Counters<Of> = { -readonly [Name in keyof Of]: Of[Name] };

export class ChunkResults {
  readonly #byDecision: Counters<BatchCounts['byDecision']>;
  readonly #byMatchType: Counters<BatchCounts['byMatchType']>;
  readonly #leaves: Buffer[];
  readonly #packed: Buffer[];
  readonly #sealer: SubjectSealer | undefined;
  readonly #sealed: string[];
  #piece: string[];
  #pieceUnits: number;
  #hits: number;
  #subjectsWithHits: number;

  /** @param sealer absent: lines are of version 1, as in batches of a former release */
  constructor(
    { figures = noCounts(), ...before }: Partial<ResultsSoFar> = {},
    sealer?: SubjectSealer,
  ) {
    this.#sealer = sealer;
    this.#byDecision = { ...figures.byDecision };
    this.#byMatchType = { ...figures.byMatchType };
    this.#hits = figures.hits;
    this.#subjectsWithHits = figures.subjectsWithHits;
    this.#leaves = (before.leaves ?? []).map(fromBase64);
    this.#packed = (before.packed ?? []).map(fromBase64);
    this.#piece = [...(before.piece ?? [])];
    this.#sealed = [...(before.sealed ?? [])];
    this.#pieceUnits = this.#piece.reduce((sum, line) => sum + line.length, 0);
  }

  /** In the order of the subjects. */
  add(result: SubjectResult): void {
    const { decision, hits } = result;
    this.#byDecision[decision]++;
    this.#hits += hits.length;
    if (hits.length > 0) this.#subjectsWithHits++;
    for (const { match_type } of hits) this.#byMatchType[match_type]++;
    const sealed = this.#sealer?.seal(result, this.#leaves.length);
    if (sealed !== undefined) this.#sealed.push(sealed.sealed);
    const line = canonicalJson(sealed?.line ?? result);
    this.#leaves.push(leafHash(line));
    this.#piece.push(line);
    this.#pieceUnits += line.length;
    if (this.#pieceUnits >= PIECE_UNITS_MIN) this.#pack();
  }

  /** To be gone on with. */
  get soFar(): ResultsSoFar {
    return {
      figures: this.figures,
      leaves: this.#leaves.map(toBase64),
      packed: this.#packed.map(toBase64),
      piece: this.#piece,
      ...(this.#sealer !== undefined && { sealed: this.#sealed }),
    };
  }

  get figures(): ChunkFigures {
    return {
      byDecision: this.#byDecision,
      byMatchType: this.#byMatchType,
      hits: this.#hits,
      subjectsWithHits: this.#subjectsWithHits,
    };
  }

  /** Over the lines so far, hex. */
  get merkleRoot(): string {
    return merkleRoot(this.#leaves).toString('hex');
  }

  /** The lines so far, each ended by LF, gzipped. */
  packed(): Buffer {
    this.#pack();
    if (this.#sealer === undefined) return Buffer.concat(this.#packed);
    return Buffer.concat([...this.#packed, gzipSync(endedLines(this.#sealed), { level: 0 })]);
  }

  #pack(): void {
    if (this.#piece.length === 0 && this.#packed.length > 0) return;
    this.#packed.push(gzipSync(endedLines(this.#piece), { level: GZIP_LEVEL }));
    this.#piece = [];
    this.#pieceUnits = 0;
  }
}

const endedLines = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
const toBase64 = (bytes: Buffer): string => bytes.toString('base64');
const fromBase64 = (text: string): Buffer => Buffer.from(text, 'base64');
