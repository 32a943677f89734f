/**
 * Persons with a title in a name (Shaykh, Mullah, Haji …), for re-ranker 1.1, which compares their
 * names without it too. The index is folded as 1.0 does it, and stays as it is: which tokens are
 * titles is looked up in its dictionary, and who has one in its postings, once per list.
 */
import { SCHEMA_CODE } from './attributeCodes.ts';
import type { KernelHost } from './kernelHost.ts';
import { TITLES } from './nameWords.ts';
import { SPACE_BIT } from './native/signs.ts';
import { LENGTH_BITS } from './native/tokens.ts';
import { popcount, signatureOnce, signatureTwice } from './signature.ts';
import type { Snapshot } from './snapshotFormat.ts';

/** In the order of the dictionary. */
const SORTED = [...TITLES].sort();
/** Slack for rounding: a bound must never be tighter than the kernel. */
const SLACK = 1e-6;

/** Numbers of a name without its titles: entity, length, letters (native/signs.ts), attributes. */
const PLAIN = { entity: 0, length: 1, once: 2, twice: 3, has: 4, size: 5 } as const;

const plainNames = new WeakMap<Snapshot, Int32Array>();

/**
 * Tells the kernels the titles of a list and who has one, once per scratch; `host` is open, and its
 * query is not handed over yet.
 */
export function openTitles(host: KernelHost, list: Snapshot): void {
  if (host.hasTitles) return;
  host.kernels.clearTitles();
  const found = new Set<number>();
  const titles = new Set<number>();
  for (const title of SORTED) {
    for (let at = 0; at < title.length; at++) host.input[at] = title.charCodeAt(at);
    const token = host.kernels.addTitle(title.length);
    if (token < 0) continue;
    titles.add(token);
    addPersons(list, token, found);
  }
  host.titled.fill(0);
  for (const entity of found) {
    host.titled[entity >> 3] = (host.titled[entity >> 3] ?? 0) | (1 << (entity & 7));
  }
  host.hasTitles = true;
  if (plainNames.has(list) || list.sweepStart.length === 0) return;
  const persons = [...found].sort((a, b) => a - b);
  plainNames.set(
    list,
    Int32Array.from(persons.flatMap((entity) => plainNamesOf(list, entity, titles))),
  );
}

function addPersons(list: Snapshot, token: number, to: Set<number>): void {
  const end = list.tokenFirstPosting[token + 1] ?? 0;
  for (let at = list.tokenFirstPosting[token] ?? 0; at < end; at++) {
    const entity = (list.tokenPosting[at] ?? 0) >>> LENGTH_BITS;
    if (list.entitySchema[entity] === SCHEMA_CODE.Person) to.add(entity);
  }
}

function plainNamesOf(list: Snapshot, entity: number, titles: ReadonlySet<number>): number[] {
  const holds = (first: Uint32Array) => (first[entity + 1] ?? 0) > (first[entity] ?? 0);
  const has = (holds(list.entityFirstDate) ? 1 : 0) | (holds(list.entityFirstNation) ? 2 : 0);
  const names: number[] = [];
  const end = list.entityFirstForm[entity + 1] ?? 0;
  for (let form = list.entityFirstForm[entity] ?? 0; form < end; form++) {
    const all = list.formToken.subarray(list.formFirstToken[form], list.formFirstToken[form + 1]);
    const tokens = all.filter((token) => !titles.has(token));
    if (tokens.length === all.length || tokens.length < 2) continue;
    let length = tokens.length - 1;
    let once = SPACE_BIT;
    let twice = tokens.length > 2 ? SPACE_BIT : 0;
    for (const token of tokens) {
      length += (list.tokenStart[token + 1] ?? 0) - (list.tokenStart[token] ?? 0);
      const own = list.tokenOnce[token] ?? 0;
      twice |= (list.tokenTwice[token] ?? 0) | (once & own);
      once |= own;
    }
    names.push(entity, length, once, twice, has);
  }
  return names;
}

/**
 * Persons whose name without titles has enough letters of one of the query's for the Jaro
 * similarity that the person's attributes ask for. (A sweep looks at names as they are published.)
 *
 * @param jaros by attributes: 0 none, 1 dates, 2 nationalities, 3 both
 */
export function titledCandidates(
  list: Snapshot,
  queries: readonly string[],
  jaros: readonly number[],
): Uint32Array {
  const names = plainNames.get(list) ?? new Int32Array();
  const found: number[] = [];
  for (const query of queries) {
    const units = Uint16Array.from(query, (_, at) => query.charCodeAt(at));
    const own = units.length;
    const once = signatureOnce(units, 0, own);
    const twice = signatureTwice(units, 0, own);
    for (let at = 0; at < names.length; at += PLAIN.size) {
      const other = names[at + PLAIN.length] as number;
      const otherOnce = names[at + PLAIN.once] as number;
      const otherTwice = names[at + PLAIN.twice] as number;
      const missed = popcount(once & ~otherOnce) + popcount(twice & ~otherTwice);
      const others = popcount(otherOnce & ~once) + popcount(otherTwice & ~twice);
      const matches = Math.min(own - missed, other - others);
      const jaro = (matches / own + matches / other + 1) / 3 + SLACK;
      const least = jaros[names[at + PLAIN.has] as number] as number;
      if (jaro >= least) found.push(names[at + PLAIN.entity] as number);
    }
  }
  return Uint32Array.from(found);
}
