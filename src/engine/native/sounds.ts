/**
 * Entities that may sound like a query name: all postings of its rarest sound. Every name that is
 * heard holds a token of it, so the list is complete where it has room.
 */
import { get32, set32 } from './machine.ts';
import { TOKEN_BYTES } from './query.ts';
import { NAME_BYTES, NAMES } from './scratch.ts';
import {
  codeCount,
  codeFirstToken,
  codeKey,
  codeToken,
  list,
  listMax,
  scratch,
  tokenFirstPosting,
  tokenPosting,
} from './sections.ts';
import { findToken, lowerBound } from './tokens.ts';
import { LENGTH_BITS } from './votes.ts';

let count: i32 = 0;

/** Counts a token's postings, or writes them to the list. */
function addPostings(token: i32, write: bool): void {
  const start = get32(tokenFirstPosting + (token << 2));
  const end = get32(tokenFirstPosting + (token << 2) + 4);
  if (!write || count + end - start > listMax) {
    count += end - start;
    return;
  }
  for (let at = start; at < end; at++) {
    set32(list + (count << 2), get32(tokenPosting + (at << 2)) >>> LENGTH_BITS);
    count += 1;
  }
}

function addCode(code: i32, write: bool): void {
  if (code === 0) return;
  const at = lowerBound(codeKey, codeCount, code);
  if (at >= codeCount || get32(codeKey + (at << 2)) !== code) return;
  const end = get32(codeFirstToken + (at << 2) + 4);
  for (let place = get32(codeFirstToken + (at << 2)); place < end; place++) {
    addPostings(get32(codeToken + (place << 2)), write);
  }
}

/** Postings of a token's sound, a list's initial among them; answers how many. */
function addSound(query: i32, write: bool): i32 {
  count = 0;
  addCode(get32(query + 8), write);
  addCode(get32(query + 12), write);
  const initial = findToken(get32(query + 20), 1);
  if (initial >= 0) addPostings(initial, write);
  return count;
}

/** Writes the candidates of a name to the list; answers how many, -1 where they have no room. */
export function soundCandidates(nameAt: i32, most: i32): i32 {
  const name = scratch + NAMES + nameAt * NAME_BYTES;
  if ((get32(name + 20) & 2) === 0) return 0;
  let rarest = 0;
  let least: i32 = 0x7fffffff;
  for (let at = get32(name + 32); at < get32(name + 36); at++) {
    const query = get32(name + 24) + at * TOKEN_BYTES;
    if (get32(query + 4) !== 0) continue;
    const own = addSound(query, false);
    if (own >= least) continue;
    least = own;
    rarest = query;
  }
  if (rarest === 0) return 0;
  if (least > most || least > listMax) return -1;
  return addSound(rarest, true);
}
