/**
 * Runs the kernels over one list: as WebAssembly where the list lies in a shared
 * WebAssembly.Memory, else as their twin in plain typed arrays (native/), which gives the same
 * answers to the last bit. Also knows where a thread's scratch lies behind the list.
 */
import { readFileSync } from 'node:fs';
import { bitsFor } from './lookups.ts';
import * as twin from './native/kernels.ts';
import { bind } from './native/machine.ts';
import {
  ATTRIBUTES,
  CLASSES,
  HEAP,
  INPUT,
  REQUIRED,
  RESULTS,
  SWEEP_JAROS,
} from './native/scratch.ts';
import type { Snapshot } from './snapshotFormat.ts';

/**
 * The kernels' functions (native/kernels.ts), as WebAssembly exports them; the twin has the same.
 */
export type Kernels = typeof twin;

/** The sections that kernels read, in the order of native/sections.ts. */
export const KERNEL_SECTIONS = [
  'entitySchema',
  'entityCategories',
  'entityFlags',
  'entityFirstForm',
  'entityFirstDate',
  'entityFirstNation',
  'dateFrom',
  'dateTo',
  'nationCode',
  'formFlags',
  'formFirstToken',
  'formToken',
  'tokenStart',
  'tokenBytes',
  'tokenUnits',
  'tokenKind',
  'tokenPrimary',
  'tokenAlternate',
  'tokenOnce',
  'tokenTwice',
  'tokenFirstPosting',
  'tokenPosting',
  'codeKey',
  'codeFirstToken',
  'codeToken',
  'skeletonKey',
  'skeletonToken',
  'tailKey',
  'tailToken',
  'lettersFirst',
  'lettersEntry',
  'sweepStart',
  'sweepEntity',
  'sweepOnce',
  'sweepTwice',
  'sweepHeads',
  'entityLetters',
  'entityInitials',
  'nationKey',
  'nationFirst',
  'nationEntity',
  'formName',
] as const satisfies readonly (keyof Snapshot)[];

/**
 * Bytes of a thread's scratch for the names of a query. Pages that are never touched cost nothing.
 */
const HEAP_BYTES = 8 * 1024 * 1024;
/** Places of the list of entities that kernels hand to each other, a u32 each. */
export const LIST_MAX = 262_144;
/** Bytes for the votes of a block of entities: three numbers per entity, and four bit sets. */
const VOTES_BYTES = 3 * 4 * 65_536 + 4 * (65_536 / 8);
const PAGE_BYTES = 65_536;

const WASM_URL = new URL('./native/kernels.wasm', import.meta.url);
let compiled: WebAssembly.Module | undefined;

/**
 * Bytes of one thread's scratch for a list of `entities`: fixed areas, the heap of names, and three
 * bit sets of entities. Rounded up to whole pages of 65,536 bytes.
 */
export function scratchBytes(entities: number): number {
  const sets = Math.ceil(entities / 8 / 8) * 8;
  const bytes = HEAP + HEAP_BYTES + LIST_MAX * 4 + VOTES_BYTES + 3 * sets;
  return Math.ceil(bytes / PAGE_BYTES) * PAGE_BYTES;
}

/** A list in memory and the scratches behind it, as listMemory.ts lays them out. */
export interface KernelPlace {
  readonly list: Snapshot;
  /** The list's memory, as a whole. */
  readonly buffer: SharedArrayBuffer;
  /** Undefined: the twin runs. */
  readonly memory: WebAssembly.Memory | undefined;
  /** Where the first thread's scratch begins. */
  readonly scratchStart: number;
  /** Scratches of the list, at least 1; a private copy of a list has one. */
  readonly slots: number;
}

/**
 * The kernels over one list, with views of the scratch that they share with the caller. `open` must
 * be called before every query; the views move with it.
 */
export class KernelHost {
  readonly kernels: Kernels;
  readonly #place: KernelPlace;
  #slot = -1;
  /** Addresses for openList (native/sections.ts), and where they are written for it. */
  #table = 0;
  #tableWords: Int32Array = new Int32Array();
  #tableView: Int32Array = new Int32Array();
  /** Texts for the kernels. */
  input: Uint16Array = new Uint16Array();
  attributes: Int32Array = new Int32Array();
  weights: Float64Array = new Float64Array();
  classes: Float64Array = new Float64Array();
  required: Float64Array = new Float64Array();
  sweepJaros: Float64Array = new Float64Array();
  results: Int32Array = new Int32Array();
  scores: Float64Array = new Float64Array();
  entities: Uint32Array = new Uint32Array();
  #scored: Uint8Array = new Uint8Array();
  /** Persons with a title in a name, a bit each; titles.ts fills it once per scratch. */
  titled: Uint8Array = new Uint8Array();
  /** Whether this scratch has its titles. */
  hasTitles = false;

  constructor(place: KernelPlace) {
    this.#place = place;
    this.kernels = place.memory === undefined ? twin : instantiate(place.memory);
  }

  /**
   * Points the kernels to this list and the scratch `slot`; to be called before every query.
   * Entities of `removed` (a bit each) count as scored already, and so are never looked at.
   */
  open(slot: number, removed: Uint8Array | undefined): void {
    const { buffer, memory, slots } = this.#place;
    if (memory === undefined) bind(buffer);
    if (slot % slots !== this.#slot) this.#turnTo(slot % slots);
    // The table is written again: a query's names overwrite it once it has been read.
    this.#tableView.set(this.#tableWords);
    this.kernels.openList(this.#table);
    if (removed === undefined) this.kernels.clearScored();
    else this.#scored.set(removed);
  }

  #turnTo(slot: number): void {
    const { list, buffer, scratchStart } = this.#place;
    const entities = list.entitySchema.length;
    const start = scratchStart + slot * scratchBytes(entities);
    const heapEnd = start + HEAP + HEAP_BYTES;
    const scored = heapEnd;
    const set = Math.ceil(entities / 64) * 8;
    const votes = scored + set;
    const nations = votes + VOTES_BYTES;
    const titled = nations + set;
    const listAt = titled + set;
    this.#slot = slot;
    this.hasTitles = false;
    this.#table = start + HEAP;
    this.input = new Uint16Array(buffer, start + INPUT, 2048);
    this.attributes = new Int32Array(buffer, start + ATTRIBUTES, 16);
    this.weights = new Float64Array(buffer, start + ATTRIBUTES + 40, 2);
    this.classes = new Float64Array(buffer, start + CLASSES, 72);
    this.required = new Float64Array(buffer, start + REQUIRED, 32);
    this.sweepJaros = new Float64Array(buffer, start + SWEEP_JAROS, 12);
    this.results = new Int32Array(buffer, start + RESULTS, 256 * 6);
    this.scores = new Float64Array(buffer, start + RESULTS, 256 * 3);
    this.entities = new Uint32Array(buffer, listAt, LIST_MAX);
    this.#scored = new Uint8Array(buffer, scored, set);
    this.titled = new Uint8Array(buffer, titled, set);
    const counts = [
      entities,
      list.tokenKind.length,
      list.codeKey.length,
      list.skeletonKey.length,
      list.tailKey.length,
      bitsFor(list.lettersFirst.length - 1),
      bitsFor(entities),
      list.nationKey.length,
    ];
    const places = [start, heapEnd, scored, listAt, LIST_MAX, votes, nations, titled];
    const table = [...KERNEL_SECTIONS.map((name) => list[name].byteOffset), ...counts, ...places];
    this.#tableWords = Int32Array.from(table);
    this.#tableView = new Int32Array(buffer, this.#table, table.length);
  }
}

/** The kernels as WebAssembly over a memory. */
export function instantiate(memory: WebAssembly.Memory): Kernels {
  compiled ??= new WebAssembly.Module(readFileSync(WASM_URL));
  return new WebAssembly.Instance(compiled, { env: { memory } }).exports as unknown as Kernels;
}
