/**
 * Where the sections of a snapshot lie that the kernels read, and where a thread's scratch lies.
 * openList takes both from a table of addresses that the caller wrote; its order is
 * KERNEL_SECTIONS in kernelHost.ts.
 */
import { get32 } from './machine.ts';

export let entitySchema: i32 = 0;
export let entityCategories: i32 = 0;
export let entityFlags: i32 = 0;
export let entityFirstForm: i32 = 0;
export let entityFirstDate: i32 = 0;
export let entityFirstNation: i32 = 0;
export let dateFrom: i32 = 0;
export let dateTo: i32 = 0;
export let nationCode: i32 = 0;
export let formFlags: i32 = 0;
export let formFirstToken: i32 = 0;
export let formToken: i32 = 0;
export let tokenStart: i32 = 0;
export let tokenBytes: i32 = 0;
export let tokenUnits: i32 = 0;
export let tokenKind: i32 = 0;
export let tokenPrimary: i32 = 0;
export let tokenAlternate: i32 = 0;
export let tokenOnce: i32 = 0;
export let tokenTwice: i32 = 0;
export let tokenFirstPosting: i32 = 0;
export let tokenPosting: i32 = 0;
export let codeKey: i32 = 0;
export let codeFirstToken: i32 = 0;
export let codeToken: i32 = 0;
export let skeletonKey: i32 = 0;
export let skeletonToken: i32 = 0;
export let tailKey: i32 = 0;
export let tailToken: i32 = 0;
export let lettersFirst: i32 = 0;
export let lettersEntry: i32 = 0;
export let sweepStart: i32 = 0;
export let sweepEntity: i32 = 0;
export let sweepOnce: i32 = 0;
export let sweepTwice: i32 = 0;
export let sweepHeads: i32 = 0;
export let entityLetters: i32 = 0;
export let entityInitials: i32 = 0;
export let nationKey: i32 = 0;
export let nationFirst: i32 = 0;
export let nationEntity: i32 = 0;

export let entityCount: i32 = 0;
export let tokenCount: i32 = 0;
export let codeCount: i32 = 0;
export let skeletonCount: i32 = 0;
export let tailCount: i32 = 0;
/** Bits of the directory over lettersEntry, and of an entity's number in an entry. */
export let lettersBits: i32 = 0;
export let entityBits: i32 = 0;
export let nationCount: i32 = 0;

/** Start of the thread's scratch; scratch.ts says what lies where. */
export let scratch: i32 = 0;
/** Behind the fixed part: query names, and from here on lists and sets. */
export let heapEnd: i32 = 0;
/** Bit set of entities that were scored, or that an overlay hides. */
export let scoredSet: i32 = 0;
/** List of entities that one kernel makes and the next reads, and its places. */
export let list: i32 = 0;
export let listMax: i32 = 0;
/** Bit set of entities of the query's nationality. */
export let nationSet: i32 = 0;
/** Votes of one block of entities, and which of them were touched. */
export let votes: i32 = 0;

export function openList(table: i32): void {
  entitySchema = get32(table);
  entityCategories = get32(table + 4);
  entityFlags = get32(table + 8);
  entityFirstForm = get32(table + 12);
  entityFirstDate = get32(table + 16);
  entityFirstNation = get32(table + 20);
  dateFrom = get32(table + 24);
  dateTo = get32(table + 28);
  nationCode = get32(table + 32);
  formFlags = get32(table + 36);
  formFirstToken = get32(table + 40);
  formToken = get32(table + 44);
  tokenStart = get32(table + 48);
  tokenBytes = get32(table + 52);
  tokenUnits = get32(table + 56);
  tokenKind = get32(table + 60);
  tokenPrimary = get32(table + 64);
  tokenAlternate = get32(table + 68);
  tokenOnce = get32(table + 72);
  tokenTwice = get32(table + 76);
  tokenFirstPosting = get32(table + 80);
  tokenPosting = get32(table + 84);
  codeKey = get32(table + 88);
  codeFirstToken = get32(table + 92);
  codeToken = get32(table + 96);
  skeletonKey = get32(table + 100);
  skeletonToken = get32(table + 104);
  tailKey = get32(table + 108);
  tailToken = get32(table + 112);
  lettersFirst = get32(table + 116);
  lettersEntry = get32(table + 120);
  sweepStart = get32(table + 124);
  sweepEntity = get32(table + 128);
  sweepOnce = get32(table + 132);
  sweepTwice = get32(table + 136);
  sweepHeads = get32(table + 140);
  entityLetters = get32(table + 144);
  entityInitials = get32(table + 148);
  nationKey = get32(table + 152);
  nationFirst = get32(table + 156);
  nationEntity = get32(table + 160);
  openScratch(table + 164);
}

function openScratch(table: i32): void {
  entityCount = get32(table);
  tokenCount = get32(table + 4);
  codeCount = get32(table + 8);
  skeletonCount = get32(table + 12);
  tailCount = get32(table + 16);
  lettersBits = get32(table + 20);
  entityBits = get32(table + 24);
  nationCount = get32(table + 28);
  scratch = get32(table + 32);
  heapEnd = get32(table + 36);
  scoredSet = get32(table + 40);
  list = get32(table + 44);
  listMax = get32(table + 48);
  votes = get32(table + 52);
  nationSet = get32(table + 56);
}
