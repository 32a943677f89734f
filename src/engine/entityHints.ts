/**
 * Letters that the words and initials of an entity begin with, which retrieval asks for before it
 * looks at names. On lists that are searched by votes alone, they tell which entities may match an
 * initial by sound (native/phoneticVotes.ts). There is one set of entities per letter, since a
 * query asks for one or two letters of very many entities: such a set fits a cache.
 */
import { SCHEMA_CODE } from './attributeCodes.ts';
import { letterBit } from './native/phoneticVotes.ts';
import { TOKEN_KIND } from './phonetic.ts';
import type { Snapshot } from './snapshotFormat.ts';

type LetterTables = Pick<
  Snapshot,
  | 'entitySchema'
  | 'entityFirstForm'
  | 'formFirstToken'
  | 'formToken'
  | 'tokenStart'
  | 'tokenUnits'
  | 'tokenKind'
>;

const LETTERS = 26;

/** Adds the entity to the set of each letter. */
function addTo(sets: Uint32Array, letters: number, entity: number): void {
  const stride = sets.length / LETTERS;
  const place = entity >>> 5;
  for (let rest = letters; rest !== 0; rest &= rest - 1) {
    const at = (31 - Math.clz32(rest & -rest)) * stride + place;
    sets[at] = (sets[at] as number) | (1 << (entity & 31));
  }
}

/**
 * Two sections of 26 bit sets, one per letter, of ⌈entities / 32⌉ u32 each: entities with a word or
 * initial of that letter, and persons with an initial of that letter.
 */
export function letterSections(
  tables: LetterTables,
): Pick<Snapshot, 'entityLetters' | 'entityInitials'> {
  const { entitySchema, entityFirstForm, formFirstToken, formToken, tokenKind } = tables;
  const bits = Int32Array.from(tokenKind, (_, token) =>
    letterBit(tables.tokenUnits[tables.tokenStart[token] as number] as number),
  );
  const stride = Math.ceil(entitySchema.length / 32);
  const entityLetters = new Uint32Array(LETTERS * stride);
  const entityInitials = new Uint32Array(LETTERS * stride);
  for (let entity = 0; entity < entitySchema.length; entity++) {
    const stop = formFirstToken[entityFirstForm[entity + 1] as number] as number;
    let letters = 0;
    let initials = 0;
    let at = formFirstToken[entityFirstForm[entity] as number] as number;
    for (; at < stop; at++) {
      const token = formToken[at] as number;
      letters |= bits[token] as number;
      if (tokenKind[token] === TOKEN_KIND.initial) initials |= bits[token] as number;
    }
    addTo(entityLetters, letters, entity);
    if (entitySchema[entity] === SCHEMA_CODE.Person) addTo(entityInitials, initials, entity);
  }
  return { entityLetters, entityInitials };
}
