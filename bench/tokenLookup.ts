/**
 * Token → tokens of the list's dictionary: the kernels' expansions of one token, beside FlexSearch
 * over the same dictionary with its phonetic encoder (docs/decisions: token lookup). `recall`:
 * share of tokens with one or two typos whose original is among the answers.
 */
import { Charset, Index } from 'flexsearch';
import { KernelHost } from '../src/engine/kernelHost.ts';
import { layOutList } from '../src/engine/listMemory.ts';
import { EXPANSIONS } from '../src/engine/native/scratch.ts';
import { EXPANSION_BYTES } from '../src/engine/native/units.ts';
import { PreparedQuery } from '../src/engine/preparedQuery.ts';
import { openSnapshot, type Snapshot } from '../src/engine/snapshotFormat.ts';
import { NOISES } from './noise.ts';
import { seededRandom } from './random.ts';
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
  return Array.from(list.tokenKind, (_, token) =>
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

/** What the kernels take a token for; a dictionary's token is known by where its postings start. */
function kernelLookup(snapshot: SharedArrayBuffer): (text: string) => ReadonlySet<number> {
  const memory = layOutList(snapshot, { slots: 1 });
  const list = openSnapshot(memory.buffer);
  const host = new KernelHost({ list, ...memory });
  const base = list.tokenPosting.byteOffset;
  const byPosting = new Map<number, number>();
  list.tokenKind.forEach((_, token) => {
    byPosting.set(base + (list.tokenFirstPosting[token] ?? 0) * 4, token);
  });
  const view = new Int32Array(memory.buffer, memory.scratchStart + EXPANSIONS);
  const prepared = new PreparedQuery();
  return (text) => {
    host.open(0, undefined);
    prepared.set({ names: [text], variants: [] });
    prepared.handTo(host);
    host.kernels.makeUnits(1);
    const found = new Set<number>();
    for (let at = 0; at < host.kernels.expansionCount(); at++) {
      found.add(byPosting.get(view[(at * EXPANSION_BYTES) / 4] ?? -1) ?? -1);
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
  const ours = measure(typed, kernelLookup(snapshot));
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
