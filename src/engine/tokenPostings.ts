/**
 * Token → entities: the postings of a snapshot, counted, then laid out. The running state of a
 * token lies in one place, since a pass jumps from token to token and each jump waits for memory.
 */
import { LENGTH_BITS } from './native/tokens.ts';
import type { Snapshot } from './snapshotFormat.ts';
import { runningSum } from './sortedPairs.ts';

type Tables = Pick<Snapshot, 'entityFirstForm' | 'formFirstToken' | 'formToken' | 'tokenStart'>;

const LENGTH_MAX = (1 << LENGTH_BITS) - 1;

/** Length of each token in UTF-16 units. */
export function tokenLengths({ tokenStart }: Pick<Tables, 'tokenStart'>): Uint16Array {
  const lengths = new Uint16Array(tokenStart.length - 1);
  for (let token = 0; token < lengths.length; token++) {
    lengths[token] = (tokenStart[token + 1] as number) - (tokenStart[token] as number);
  }
  return lengths;
}

/** Number of entities that have each token. */
function countEntities({ entityFirstForm, formFirstToken, formToken, tokenStart }: Tables) {
  const counts = new Uint32Array(tokenStart.length - 1);
  /** Two numbers per token: its count, and the entity counted last, plus 1. */
  const seen = new Uint32Array(2 * counts.length);
  for (let entity = 1; entity < entityFirstForm.length; entity++) {
    const stop = formFirstToken[entityFirstForm[entity] as number] as number;
    let place = formFirstToken[entityFirstForm[entity - 1] as number] as number;
    for (; place < stop; place++) {
      const at = 2 * (formToken[place] as number);
      if (seen[at + 1] === entity) continue;
      seen[at + 1] = entity;
      seen[at] = (seen[at] as number) + 1;
    }
  }
  for (let token = 0; token < counts.length; token++) counts[token] = seen[2 * token] as number;
  return counts;
}

/**
 * The postings of each token (snapshotFormat.ts): each of its entities once, with the length of the
 * shortest form that has the token, at most 63.
 */
export function tokenPostings(
  tables: Tables,
): Pick<Snapshot, 'tokenFirstPosting' | 'tokenPosting'> {
  const { entityFirstForm, formFirstToken, formToken } = tables;
  const first = runningSum(countEntities(tables));
  const posting = new Uint32Array(first[first.length - 1] as number);
  const lengths = tokenLengths(tables);
  /**
   * Two numbers per token: the place of its next posting, and its last posting, 0 while there is
   * none.
   */
  const state = new Uint32Array(2 * lengths.length);
  for (let token = 0; token < lengths.length; token++) state[2 * token] = first[token] as number;
  for (let entity = 0; entity + 1 < entityFirstForm.length; entity++) {
    const end = entityFirstForm[entity + 1] as number;
    for (let form = entityFirstForm[entity] as number; form < end; form++) {
      const start = formFirstToken[form] as number;
      const stop = formFirstToken[form + 1] as number;
      let length = stop - start - 1;
      for (let at = start; at < stop; at++) length += lengths[formToken[at] as number] as number;
      const own = ((entity << LENGTH_BITS) | Math.min(length, LENGTH_MAX)) >>> 0;
      for (let at = start; at < stop; at++) {
        const of = 2 * (formToken[at] as number);
        const next = state[of] as number;
        const last = state[of + 1] as number;
        // No posting is 0, since every form has a character.
        const isRepeated = last !== 0 && last >>> LENGTH_BITS === entity;
        if (isRepeated && last <= own) continue;
        posting[isRepeated ? next - 1 : next] = own;
        state[of] = isRepeated ? next : next + 1;
        state[of + 1] = own;
      }
    }
  }
  return { tokenFirstPosting: first, tokenPosting: posting };
}
