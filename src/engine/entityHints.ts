/**
 * What retrieval asks of an entity before it looks at its names: letters that its words and
 * initials begin with, and a nationality. On lists that are searched by votes alone these tell who
 * may be heard by an initial (native/heardVotes.ts).
 */
import { SCHEMA_CODE } from './attributeCodes.ts';
import { letterBit } from './native/heardVotes.ts';
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

/** Bit 0 is a: first letters of all words and initials, and of persons' initials. */
export function letterSections(
  tables: LetterTables,
): Pick<Snapshot, 'entityLetters' | 'entityInitials'> {
  const { entitySchema, entityFirstForm, formFirstToken, formToken, tokenKind } = tables;
  const bits = Int32Array.from(tokenKind, (_, token) =>
    letterBit(tables.tokenUnits[tables.tokenStart[token] as number] as number),
  );
  const entityLetters = new Uint32Array(entitySchema.length);
  const entityInitials = new Uint32Array(entitySchema.length);
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
    entityLetters[entity] = letters;
    if (entitySchema[entity] === SCHEMA_CODE.Person) entityInitials[entity] = initials;
  }
  return { entityLetters, entityInitials };
}

/** The first nationality of each, 0 where there is none. */
export function nationSection(
  tables: Pick<Snapshot, 'entityFirstNation' | 'nationCode'>,
): Uint16Array {
  const { entityFirstNation, nationCode } = tables;
  const nations = new Uint16Array(entityFirstNation.length - 1);
  for (let entity = 0; entity < nations.length; entity++) {
    const start = entityFirstNation[entity] as number;
    if (start < (entityFirstNation[entity + 1] as number)) {
      nations[entity] = nationCode[start] as number;
    }
  }
  return nations;
}
