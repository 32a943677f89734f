/**
 * Token → tokens of the list's dictionary: phonetic keys and deletion neighbourhood in the
 * snapshot's typed arrays, beside FlexSearch over the same dictionary with its phonetic encoder
 * (docs/decisions: token lookup). `recall`: share of tokens with one or two typos whose original is
 * among the answers.
 */
import { Charset, Index } from 'flexsearch';
import { tokenSound } from '../src/engine/phonetic.ts';
import { openSnapshot, type Snapshot } from '../src/engine/snapshotFormat.ts';
import { lowerBound } from '../src/engine/sortedPairs.ts';
import { findNeighbours } from '../src/engine/tokenVotes.ts';
import { NOISES, seededRandom } from './names.ts';
import type { BenchRow } from './row.ts';

interface Measured {
  readonly perSecond: number;
  readonly recall: number;
  readonly answers: number;
}

interface Typed {
  readonly text: string;
  readonly token: number;
}

function tokenTexts(list: Snapshot): string[] {
  return Array.from(list.tokenHash, (_, token) =>
    String.fromCharCode(
      ...list.tokenUnits.subarray(list.tokenStart[token], list.tokenStart[token + 1]),
    ),
  );
}

function typedTokens(texts: readonly string[], count: number): Typed[] {
  const random = seededRandom(11);
  const words = texts
    .map((text, token) => ({ text, token }))
    .filter(({ text }) => /^[a-z]{5,16}$/.test(text));
  return Array.from({ length: count }, (_, at): Typed => {
    const word = words[Math.floor(random() * words.length)] ?? { text: '', token: 0 };
    const noise = NOISES[at % 2 === 0 ? 'typo' : 'two typos'];
    return { text: noise?.(word.text, random) ?? word.text, token: word.token };
  });
}

function measure(typed: readonly Typed[], find: (text: string) => ReadonlySet<number>): Measured {
  for (const { text } of typed.slice(0, 200)) find(text);
  let found = 0;
  let answers = 0;
  const before = process.cpuUsage();
  for (const { text, token } of typed) {
    const tokens = find(text);
    answers += tokens.size;
    if (tokens.has(token)) found += 1;
  }
  const { user, system } = process.cpuUsage(before);
  return {
    perSecond: (typed.length * 1e6) / (user + system),
    recall: found / typed.length,
    answers: answers / typed.length,
  };
}

/** Code → tokens, sorted, as the snapshot keeps code → forms. */
function codeTable(list: Snapshot): { keys: Uint32Array; tokens: Uint32Array } {
  const pairs: [number, number][] = [];
  list.tokenPrimary.forEach((code, token) => {
    if (code !== 0) pairs.push([code, token]);
    const alternate = list.tokenAlternate[token] ?? 0;
    if (alternate !== 0) pairs.push([alternate, token]);
  });
  pairs.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  return {
    keys: Uint32Array.from(pairs, ([key]) => key),
    tokens: Uint32Array.from(pairs, ([, token]) => token),
  };
}

function plainLookup(list: Snapshot): (text: string) => ReadonlySet<number> {
  const { keys, tokens } = codeTable(list);
  return (text) => {
    const found = new Set(findNeighbours(list, text));
    const { primary, alternate } = tokenSound(text);
    for (const code of [primary, alternate]) {
      if (code === 0) continue;
      for (let at = lowerBound(keys, code); keys[at] === code; at++) found.add(tokens[at] ?? 0);
    }
    return found;
  };
}

function flexSearchLookup(texts: readonly string[]): (text: string) => ReadonlySet<number> {
  const index = new Index({ tokenize: 'strict', encoder: Charset.LatinExtra });
  texts.forEach((text, token) => {
    index.add(token, text);
  });
  return (text) => new Set(index.search(text, { limit: 1_000 }) as number[]);
}

/** Rows for the engine suite. */
export function tokenLookupRows(
  snapshot: SharedArrayBuffer,
  common: Pick<BenchRow, 'suite' | 'data' | 'size'> & { readonly smoke: boolean },
): BenchRow[] {
  const { smoke, ...columns } = common;
  const list = openSnapshot(snapshot);
  const texts = tokenTexts(list);
  const typed = typedTokens(texts, smoke ? 200 : 5_000);
  const ours = measure(typed, plainLookup(list));
  const flexSearch = measure(typed, flexSearchLookup(texts));
  const unit = 'token lookups a CPU second';
  return [
    {
      ...columns,
      id: 'engine/token-lookup',
      ours: ours.perSecond,
      unit,
      baseline: flexSearch.perSecond,
      baseline_name: 'FlexSearch, LatinExtra',
      ratio: ours.perSecond / flexSearch.perSecond,
      recall: ours.recall,
      checksum: ours.answers.toFixed(3),
    },
    {
      ...columns,
      id: 'engine/token-found',
      ours: ours.recall,
      unit: 'share of typed tokens found',
      baseline: flexSearch.recall,
      baseline_name: 'FlexSearch, LatinExtra',
      ratio: ours.recall / flexSearch.recall,
      checksum: flexSearch.answers.toFixed(3),
    },
  ];
}
