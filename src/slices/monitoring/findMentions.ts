/**
 * Whom the free text of payments names (TM-SAN-02). The text is read as words in one thread; where
 * listed names may stand is spotted in another; what is spotted is compared as any name is. Only
 * what is nearly the listed name is told, since a text names many people who are on no list.
 *
 * Numbers of ships, BICs and IBANs are sought exactly, and compared by the name of whom they are.
 * What came of a text is remembered by its words: payments repeat each other's.
 */
import type { TenantId } from '#core/kernel';
import { sha256 } from '#platform/crypto';
import type { RawQuery, ScreenedQuery, SpotAnswer, SpotAsk } from '#slices/screening';
import type { TextThread } from './asks.ts';
import { atOnce } from './atOnce.ts';
import type { TextFindings } from './ports.ts';
import type { TextWords } from './textWords.ts';
import { TEXT_ROLES, type Transaction } from './transaction.ts';

/** One name against the lists in force; undefined: nothing of it can be compared. */
export type Compare = (query: RawQuery, signal?: AbortSignal) => Promise<ScreenedQuery | undefined>;

/** Says where listed names may stand: the engine. */
export interface Spotter<Index> {
  spot(
    indexes: readonly Index[],
    ask: SpotAsk,
    by: { readonly turn?: string | undefined; readonly signal?: AbortSignal | undefined },
  ): Promise<SpotAnswer>;
}

/** What texts are read with, by the whole process. */
export interface TextParts {
  readonly thread: () => Promise<TextThread>;
  readonly memo: MentionMemo;
}

/** What finds mentions. */
export interface MentionPorts<Index> {
  readonly engine: Spotter<Index>;
  readonly texts: TextParts;
}

/** Under what the texts of one body are read. */
export interface MentionAsk<Index> {
  readonly tenantId: TenantId;
  readonly indexes: readonly Index[];
  /** Digest of all that decides a verdict. */
  readonly prefix: string;
  readonly compare: Compare;
  readonly signal?: AbortSignal | undefined;
}

/** A listed name in a text. */
export interface Mention {
  readonly role: (typeof TEXT_ROLES)[number];
  /** Place among those of its text, from 0. */
  readonly place: number;
  readonly query: RawQuery;
  /** Absent: it was found before. */
  readonly screened?: ScreenedQuery | undefined;
}

/** What the texts of one transaction have. */
export interface Mentions {
  readonly found: readonly Mention[];
  readonly text?: TextFindings;
}

/** The score from which on a name in a text is told. */
const TOLD_FROM = 0.92;
/** Names of one text that are told. */
const TOLD_MAX = 8;
/** The first text waits for the language model. */
const READING_DEADLINE_MS = 60_000;
const REMEMBERED_MAX = 50_000;

/**
 * Names that were found in texts, and of banks by their BICs, by the digest of words or BIC and of
 * what they were sought in.
 */
export class MentionMemo {
  readonly #most: number;
  #young = new Map<string, readonly RawQuery[]>();
  #old = new Map<string, readonly RawQuery[]>();

  constructor(most = REMEMBERED_MAX) {
    this.#most = most;
  }

  find(key: string): readonly RawQuery[] | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.add(key, old);
    return old;
  }

  add(key: string, queries: readonly RawQuery[]): void {
    if (this.#young.size >= this.#most) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, queries);
  }
}

/** The free text of a transaction by its members. Lines are one text: names go on in the next. */
export const textsOf = (
  transaction: Transaction,
): readonly { readonly role: Mention['role']; readonly text: string }[] =>
  TEXT_ROLES.flatMap((role) => {
    const text = (transaction[role] as readonly string[] | undefined)?.join(' ').trim() ?? '';
    return text === '' ? [] : [{ role, text }];
  });

/** For each transaction, in their order. Rejects as a screening does. */
export async function findMentions<Index>(
  ports: MentionPorts<Index>,
  ask: MentionAsk<Index>,
  transactions: readonly Transaction[],
): Promise<readonly Mentions[]> {
  const texts = transactions.map(textsOf);
  const distinct = [...new Set(texts.flat().map(({ text }) => text))];
  if (distinct.length === 0) return transactions.map(() => NOTHING);
  const thread = await ports.texts.thread();
  const read = await thread.read(distinct, {
    deadlineMs: READING_DEADLINE_MS,
    signal: ask.signal,
    turn: ask.tenantId,
  });
  const words = new Map(distinct.map((text, at) => [text, read.texts[at] ?? NO_WORDS]));
  const found = await foundIn(ports, ask, [...words.values()]);
  return texts.map((own): Mentions => {
    if (own.length === 0) return NOTHING;
    const terms = own.flatMap(({ text }) => words.get(text)?.terms ?? []);
    return {
      found: own.flatMap(({ role, text }) =>
        (found.get(words.get(text) ?? NO_WORDS) ?? []).map((one, place) => ({
          ...one,
          place,
          role,
        })),
      ),
      text: { reader: read.reader, terms: [...new Set(terms)].sort() },
    };
  });
}

/** Primary names of listed banks by these BICs; what is not listed has none. */
export async function findBanks<Index>(
  { engine, texts: { memo } }: Pick<MentionPorts<Index>, 'engine' | 'texts'>,
  { indexes, prefix, signal, tenantId }: Omit<MentionAsk<Index>, 'compare'>,
  bics: Iterable<string>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  const cold = new Map<string, string>();
  for (const bic of new Set(bics)) {
    const key = sha256(`${prefix}${JSON.stringify({ bic })}`).toString('latin1');
    const known = memo.find(key);
    if (known === undefined) cold.set(bic, key);
    else if (known.length > 0) {
      found.set(
        bic,
        known.map(({ name }) => name),
      );
    }
  }
  if (cold.size === 0) return found;
  const ask = { numbers: [...cold.keys()], runs: [] };
  const { numbers } = await engine.spot(indexes, ask, { signal, turn: tenantId });
  for (const [bic, key] of cold) {
    const names = numbers.flatMap(({ name, number }) => (number === bic ? [name] : []));
    if (names.length > 0) found.set(bic, names);
    memo.add(
      key,
      names.map((name) => ({ identifiers: [bic], name, transliterations: [] })),
    );
  }
  return found;
}

const NOTHING: Mentions = { found: [] };
const NO_WORDS: TextWords = { numbers: [], runs: [], terms: [] };

type Named = Pick<Mention, 'query' | 'screened'>;

/** By text, the names that are told. */
async function foundIn<Index>(
  { engine, texts: { memo } }: MentionPorts<Index>,
  { compare, indexes, prefix, signal, tenantId }: MentionAsk<Index>,
  texts: readonly TextWords[],
): Promise<ReadonlyMap<TextWords, readonly Named[]>> {
  const found = new Map<TextWords, readonly Named[]>();
  const cold: { readonly key: string; readonly text: TextWords }[] = [];
  for (const text of texts) {
    const key = sha256(`${prefix}${JSON.stringify([text.runs, text.numbers])}`).toString('latin1');
    const known = memo.find(key);
    if (known === undefined) cold.push({ key, text });
    else
      found.set(
        text,
        known.map((query) => ({ query })),
      );
  }
  if (cold.length === 0) return found;
  const spotted = await engine.spot(
    indexes,
    {
      numbers: [...new Set(cold.flatMap(({ text }) => text.numbers.map(({ number }) => number)))],
      runs: cold.flatMap(({ text }) => text.runs),
    },
    { signal, turn: tenantId },
  );
  let run = 0;
  const sought = cold.map(({ key, text }) => {
    const first = run;
    run += text.runs.length;
    return { candidates: candidatesIn(text, spotted, first), key, text };
  });
  const compared = new Map<string, ScreenedQuery | undefined>();
  const names = sought.flatMap(({ candidates }) => candidates.map(({ query }) => query));
  const distinct = new Map(names.map((query) => [JSON.stringify(query), query]));
  await atOnce([...distinct], async ([text, query]) => {
    compared.set(text, await compare(query, signal));
  });
  for (const { candidates, key, text } of sought) {
    const told = tellable(
      candidates.flatMap((one) => {
        const screened = compared.get(JSON.stringify(one.query));
        return screened === undefined ? [] : [{ ...one, screened }];
      }),
    );
    found.set(text, told);
    memo.add(
      key,
      told.map(({ query }) => query),
    );
  }
  return found;
}

/** Place of what stands in no run of words. */
const NUMBERS = -1;

/** A name that may be listed, and where it stands; a number stands nowhere. */
interface Candidate {
  readonly query: RawQuery;
  readonly run: number;
  readonly from: number;
  readonly to: number;
  /** Words that the list spells otherwise. */
  readonly slips: number;
}

function candidatesIn(
  { numbers, runs }: TextWords,
  spotted: SpotAnswer,
  firstRun: number,
): readonly Candidate[] {
  const own = new Set(numbers.map(({ number }) => number));
  const byNumber = spotted.numbers.flatMap(({ name, number }, at) =>
    own.has(number)
      ? [
          {
            from: at,
            query: { identifiers: [number], name, transliterations: [] },
            run: NUMBERS,
            slips: 0,
            to: at,
          },
        ]
      : [],
  );
  const byName = spotted.names.flatMap(({ from, name, run, slips, to }) =>
    run >= firstRun && run < firstRun + runs.length
      ? [{ from, query: { name, transliterations: [] }, run, slips, to }]
      : [],
  );
  return [...byNumber, ...byName];
}

/**
 * The longest of names that overlap, as it is written rather than with a slip, and the best score:
 * a part of a listed name is another one's. What the tenant has excluded is told of, too.
 */
function tellable(
  compared: readonly (Candidate & { readonly screened: ScreenedQuery })[],
): readonly Named[] {
  const scored = compared.flatMap((one) => {
    const { decision, hits, suppressed } = one.screened.record.verdict;
    const score = hits.reduce((most, { directScore }) => Math.max(most, directScore), 0);
    // A number is the party's own, whatever its name's score.
    const isNear = decision !== 'CLEAR' && (score >= TOLD_FROM || one.run === NUMBERS);
    return isNear || suppressed !== undefined ? [{ ...one, score }] : [];
  });
  const kept: typeof scored = [];
  for (const one of scored.sort(
    (a, b) =>
      b.to - b.from - (a.to - a.from) || a.slips - b.slips || b.score - a.score || a.from - b.from,
  )) {
    const isPart = kept.some((other) => other.run === one.run && overlap(other, one));
    if (!isPart && kept.length < TOLD_MAX) kept.push(one);
  }
  return kept.map(({ query, screened }) => ({ query, screened }));
}

const overlap = (one: Candidate, other: Candidate): boolean =>
  one.from <= other.to && other.from <= one.to;
