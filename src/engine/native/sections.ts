/**
 * Addresses of the sections of a snapshot that the kernels read, and of a thread's scratch, in
 * bytes of the bound memory. openList takes both from a table that the caller wrote; its order is
 * KERNEL_SECTIONS in kernelHost.ts. snapshotFormat.ts says what each section holds.
 */
import { get32 } from './machine.ts';

/** u8 per entity: SCHEMA_CODE. */
export let entitySchema: i32 = 0;
/** u8 per entity: CATEGORY_BIT bits. */
export let entityCategories: i32 = 0;
/** u8 per entity: ENTITY_CODED, ENTITY_PRIMARY_CODED. */
export let entityFlags: i32 = 0;
/** u32 per entity, and one more: its first form. */
export let entityFirstForm: i32 = 0;
/** u32 per entity, and one more: its first date. */
export let entityFirstDate: i32 = 0;
/** u32 per entity, and one more: its first nationality. */
export let entityFirstNation: i32 = 0;
/** i32 per date: its first day, yyyymmdd. */
export let dateFrom: i32 = 0;
/** i32 per date: its last day, yyyymmdd. */
export let dateTo: i32 = 0;
/** u16 per nationality: two letters. */
export let nationCode: i32 = 0;
/** u8 per form: FORM_PRIMARY, FORM_CODED, FORM_CORE_STARTS, and above them its legal words. */
export let formFlags: i32 = 0;
/** u32 per form, and one more: its first place in formToken. */
export let formFirstToken: i32 = 0;
/** u32 per token of a form: the token's number in the low 24 bits. */
export let formToken: i32 = 0;
/** u32 per token, and one more: its first character. */
export let tokenStart: i32 = 0;
/** u8 per character: ASCII, or 0x80. */
export let tokenBytes: i32 = 0;
/** u16 per character: its UTF-16 unit. */
export let tokenUnits: i32 = 0;
/** u8 per token: TOKEN_KIND. */
export let tokenKind: i32 = 0;
/** u32 per token: its primary code, or 0. */
export let tokenPrimary: i32 = 0;
/** u32 per token: its alternate code, or 0. */
export let tokenAlternate: i32 = 0;
/** i32 per token: letters that it has at least once (signs.ts). */
export let tokenOnce: i32 = 0;
/** i32 per token: letters that it has at least twice. */
export let tokenTwice: i32 = 0;
/** u32 per token, and one more: its first posting. */
export let tokenFirstPosting: i32 = 0;
/** u32 per posting: an entity, and in the low LENGTH_BITS a form's length. */
export let tokenPosting: i32 = 0;
/** u32 per distinct code, ascending. */
export let codeKey: i32 = 0;
/** u32 per code, and one more: its first place in codeToken. */
export let codeFirstToken: i32 = 0;
/** u32: tokens by code. */
export let codeToken: i32 = 0;
/** u32, ascending: hashes of tokens' consonants. */
export let skeletonKey: i32 = 0;
/** u32: the token of each such hash. */
export let skeletonToken: i32 = 0;
/** u32, ascending: hashes of tokens without their first unit. */
export let tailKey: i32 = 0;
/** u32: the token of each such hash. */
export let tailToken: i32 = 0;
/** u32 per place of the directory of whole names, and one more: its first entry. */
export let lettersFirst: i32 = 0;
/** u32 per entry: the rest of a hash of letters, and an entity. */
export let lettersEntry: i32 = 0;
/** u32 per group and length, and one more: the first swept form. */
export let sweepStart: i32 = 0;
/** u32 per swept form: its entity. */
export let sweepEntity: i32 = 0;
/** i32 per swept form: letters that it has at least once. */
export let sweepOnce: i32 = 0;
/** i32 per swept form: letters that it has at least twice. */
export let sweepTwice: i32 = 0;
/** u32 per swept form: its natural head, and above it the sorted one. */
export let sweepHeads: i32 = 0;
/** 26 bit sets of entities, by the first letters of their words and initials. */
export let entityLetters: i32 = 0;
/** 26 bit sets of persons, by their initials. */
export let entityInitials: i32 = 0;
/** u32 per distinct nationality, ascending. */
export let nationKey: i32 = 0;
/** u32 per nationality, and one more: its first place in nationEntity. */
export let nationFirst: i32 = 0;
/** u32: entities by nationality. */
export let nationEntity: i32 = 0;
/** u32 per form: its published name. Forms of one name are neighbours. */
export let formName: i32 = 0;

/** Entities of the list. */
export let entityCount: i32 = 0;
/** Tokens of the dictionary. */
export let tokenCount: i32 = 0;
/** Distinct phonetic codes. */
export let codeCount: i32 = 0;
/** Elements of skeletonKey. */
export let skeletonCount: i32 = 0;
/** Elements of tailKey. */
export let tailCount: i32 = 0;
/** Bits of a place in the directory over lettersEntry. */
export let lettersBits: i32 = 0;
/** Bits of an entity's number in an element of lettersEntry. */
export let entityBits: i32 = 0;
/** Distinct nationalities. */
export let nationCount: i32 = 0;

/** Start of the thread's scratch; scratch.ts has its layout. */
export let scratch: i32 = 0;
/** End of the heap of query names; lists and sets follow. */
export let heapEnd: i32 = 0;
/** Bit set of entities that are scored, or that an overlay hides. */
export let scoredSet: i32 = 0;
/** List of entities, u32 each, that one kernel writes and the next one reads. */
export let list: i32 = 0;
/** Places of that list. */
export let listMax: i32 = 0;
/** Bit set of entities of the query's nationality; empty between calls. */
export let nationSet: i32 = 0;
/** Bit set of persons with a title in a name; only re-ranker 1.1 has it filled. */
export let titledSet: i32 = 0;
/** Votes of one block of entities, and which of them were touched (votes.ts). */
export let votes: i32 = 0;

/**
 * Sets all addresses and counts from the table at `table`: 42 sections, 8 counts, 8 places, i32
 * each.
 */
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
  formName = get32(table + 164);
  openScratch(table + 168);
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
  titledSet = get32(table + 60);
}
