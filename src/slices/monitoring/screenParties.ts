/**
 * Everybody whom transactions name is compared with the lists in force, as one who is screened
 * alone: the same engine, policy and exclusions. A verdict is remembered for exactly what was
 * compared: the name as it was written, but for case and blanks, and all that tells it from others;
 * the lists; the policy; and the tenant's exclusions. Whoever is not CLEAR has a screening of his
 * own, with an event that holds all candidates. A bank is sought by its BIC, too, and compared by
 * the name under which that is listed.
 *
 * Lists, policy and exclusions are chosen once for a body, so none is compared with a mix.
 */
import { DomainError, type TenantId } from '#core/kernel';
import { type MayProcess, requireProcessing } from '#core/privacy';
import { canonicalJson } from '#platform/canonicalJson';
import { sha256, sha256Hex } from '#platform/crypto';
import {
  type Channel,
  type Exclusions,
  type ExclusionsInForce,
  type ListInForce,
  type ListSet,
  type ListsInForce,
  listSetOf,
  type QueryPorts,
  type RawQuery,
  type ScreenedQuery,
  type ScreeningSettings,
  screenQuery,
  selectLists,
} from '#slices/screening';
import { atOnce } from './atOnce.ts';
import {
  type Compare,
  findBanks,
  findMentions,
  type MentionAsk,
  type MentionPorts,
  type Mentions,
} from './findMentions.ts';
import { bicsOf, type ListedBanks, type PartyQuery, partyQueries } from './partyQueries.ts';
import type { TextFindings } from './ports.ts';
import type { Transaction } from './transaction.ts';
import type { KnownVerdict, VerdictMemo } from './verdictMemo.ts';

/** What compares parties with lists. */
export interface PartyScreeningPorts<Index extends object> extends QueryPorts<Index> {
  readonly engine: QueryPorts<Index>['engine'] & MentionPorts<Index>['engine'];
  readonly texts: MentionPorts<Index>['texts'];
  readonly lists: ListsInForce<Index>;
  readonly exclusions: ExclusionsInForce;
  readonly mayProcess: MayProcess;
  readonly memo: VerdictMemo;
  /** What decides the tenant's screenings of customers. */
  readonly policyOf: (tenantId: TenantId) => Promise<ScreeningSettings>;
}

/** A body is compared under this. */
export interface ScreeningTerms {
  /** Digest of the tenant's exclusions, where it has some. */
  readonly exclusions?: string | undefined;
  readonly listSet: ListSet;
  readonly settings: ScreeningSettings;
}

/** What was found of one party: known already, or compared now. */
export interface PartyOutcome {
  /** Absent: there is no name to compare. */
  readonly key?: Buffer;
  readonly known?: KnownVerdict;
  readonly screened?: ScreenedQuery;
}

/** A party of a transaction with what was found. Several have the same outcome. */
export type ScreenedParty = Pick<PartyQuery, 'place' | 'reading' | 'role'> & {
  readonly outcome: PartyOutcome;
};

/** A transaction with what was found of its parties, and in its free text. */
export interface ScreenedTransaction {
  readonly parties: readonly ScreenedParty[];
  readonly text?: TextFindings;
}

/** Compares the parties of one body. */
export interface PartyScreening {
  readonly terms: ScreeningTerms;
  /**
   * For each transaction its parties, in their order, and behind them those whom its free text
   * names. Rejects as a screening does.
   */
  screen(
    transactions: readonly Transaction[],
    signal?: AbortSignal,
  ): Promise<readonly ScreenedTransaction[]>;
  /** What was compared is durable: from now on it is known. */
  remember(outcome: PartyOutcome, since: number): void;
}

/** Who asks. */
export interface PartyScreeningAsk {
  readonly tenantId: TenantId;
  /** A sandbox sees the synthetic list too. */
  readonly sandbox: boolean;
  readonly requestedBy: string;
}

/** Opens the screening of one body. Rejects with `list-unavailable` and `processing-restricted`. */
export type OpenPartyScreening = (ask: PartyScreeningAsk) => Promise<PartyScreening>;

/** For the whole process. */
export const partyScreening =
  <Index extends object>(ports: PartyScreeningPorts<Index>): OpenPartyScreening =>
  async (ask) => {
    const { tenantId } = ask;
    await requireProcessing(ports.mayProcess, { tenantId }, 'monitoring');
    const settings = await ports.policyOf(tenantId);
    const exclusions = await ports.exclusions({ tenantId });
    const state = ports.lists.current();
    const lists = selectLists(state, undefined, {
      off: settings.sourcesOff,
      pointer: '',
      sandbox: ask.sandbox,
    });
    const listSet = listSetOf(lists, state.clusters?.digest);
    const terms = { exclusions: exclusions?.digest, listSet, settings };
    const prefix = sha256Hex(
      canonicalJson({
        exclusions: exclusions === undefined ? null : heldBy(exclusions, ports.clock.now()),
        lists: listSet.listVersion,
        settings,
        tenantId,
      }),
    );
    const body = { ...ask, clusters: state.clusters, exclusions, lists, terms };
    const compareText = comparing(ports, body, 'transaction_text');
    const mentions: MentionAsk<Index> = {
      compare: compareText,
      indexes: lists.map(({ index }) => index),
      prefix,
      tenantId,
    };
    const screening: Screening = {
      compare: comparing(ports, body, 'transaction'),
      compareText,
      find: (transactions, signal) => findMentions(ports, { ...mentions, signal }, transactions),
      findBanks: (bics, signal) => findBanks(ports, { ...mentions, signal }, bics),
      memo: ports.memo,
      prefix,
    };
    return {
      remember: (outcome, since) => remember(ports.memo, outcome, since),
      screen: (transactions, signal) => screenAll(transactions, { ...screening, signal }),
      terms,
    };
  };

/** What decides which exclusions hold: one that ends or is compared anew gives another answer. */
const heldBy = (exclusions: Exclusions, now: number) => ({
  checked: [...exclusions.checked].map(([source, digests]) => [source, [...digests]]),
  digest: exclusions.digest,
  until: nextEnd(exclusions, now),
});

const ends = new WeakMap<Exclusions, readonly number[]>();
function nextEnd(exclusions: Exclusions, now: number): number | null {
  const known =
    ends.get(exclusions) ??
    [...exclusions.bySubject.values()]
      .flat()
      .map(({ expiresAt }) => Number(expiresAt))
      .sort((one, other) => one - other);
  ends.set(exclusions, known);
  return known.find((end) => end > now) ?? null;
}

/** Whether a comparison has an event of its own: it has hits, or would have but for exclusions. */
export const isTold = ({ record: { verdict } }: ScreenedQuery): boolean =>
  verdict.decision !== 'CLEAR' || verdict.suppressed !== undefined;

function remember(memo: VerdictMemo, { key, screened }: PartyOutcome, since: number): void {
  if (key === undefined || screened === undefined) return;
  const { decision, screeningId } = screened.record.verdict;
  memo.add(key, { decision, since, ...(isTold(screened) && { screeningId }) });
}

interface Body<Index extends object> extends PartyScreeningAsk {
  readonly clusters: ReturnType<ListsInForce<Index>['current']>['clusters'];
  readonly exclusions: Awaited<ReturnType<ExclusionsInForce>>;
  readonly lists: readonly ListInForce<Index>[];
  readonly terms: ScreeningTerms;
}

const comparing =
  <Index extends object>(
    ports: PartyScreeningPorts<Index>,
    body: Body<Index>,
    channel: Channel,
  ): Compare =>
  (query, signal) =>
    screenQuery(ports, {
      channel,
      clusters: body.clusters,
      exclusions: body.exclusions,
      lists: body.lists.map(({ index, version }) => ({ index, source: version.sourceId })),
      listSet: body.terms.listSet,
      namePointer: '',
      query,
      requestedBy: body.requestedBy,
      settings: body.terms.settings,
      signal,
      tenantId: body.tenantId,
    }).catch(unlessNameEmpty);

/** A name that folds to nothing cannot be compared; the payment is taken all the same. */
function unlessNameEmpty(error: unknown): undefined {
  if (error instanceof DomainError && error.code === 'name-empty') return undefined;
  throw error;
}

interface Screening {
  readonly compare: Compare;
  /** Compares a name in a text: its event says so. */
  readonly compareText: Compare;
  readonly find: (
    transactions: readonly Transaction[],
    signal: AbortSignal | undefined,
  ) => Promise<readonly Mentions[]>;
  readonly findBanks: (
    bics: readonly string[],
    signal: AbortSignal | undefined,
  ) => Promise<ListedBanks>;
  readonly memo: VerdictMemo;
  readonly prefix: string;
  readonly signal?: AbortSignal | undefined;
}

/** Somebody to compare: nothing is compared twice for one body. */
interface Sought {
  readonly query: RawQuery;
  readonly text: string;
  readonly compare: Compare;
  /** Compared already, to see whether it is to be told. */
  readonly screened?: ScreenedQuery | undefined;
}

async function screenAll(
  transactions: readonly Transaction[],
  of: Screening,
): Promise<readonly ScreenedTransaction[]> {
  const mentions = await of.find(transactions, of.signal);
  const banks = await of.findBanks(transactions.flatMap(bicsOf), of.signal);
  const named = transactions.map((one) => partyQueries(one, banks));
  const outcomes = new Map<string, { outcome: PartyOutcome }>();
  const cold: (Sought & { readonly key: Buffer })[] = [];
  const sought: readonly Sought[] = [
    ...named
      .flat()
      .flatMap(({ query }) =>
        query === undefined ? [] : [{ compare: of.compare, query, text: textOf(query) }],
      ),
    ...mentions.flatMap(({ found }) =>
      found.map(({ query, role, screened }) => ({
        compare: of.compareText,
        query,
        screened,
        text: textOf(query, role),
      })),
    ),
  ];
  for (const one of sought) {
    if (outcomes.has(one.text)) continue;
    const key = sha256(`${of.prefix}${one.text}`);
    const known = of.memo.find(key);
    outcomes.set(one.text, { outcome: known === undefined ? { key } : { key, known } });
    if (known === undefined) cold.push({ ...one, key });
  }
  await atOnce(cold, async ({ compare, key, query, text, ...one }) => {
    const screened = one.screened ?? (await compare(query, of.signal));
    outcomes.set(text, { outcome: screened === undefined ? {} : { key, screened } });
  });
  const outcomeOf = (text: string): PartyOutcome => outcomes.get(text)?.outcome ?? {};
  return named.map((parties, at) => {
    const { found = [], text } = mentions[at] ?? {};
    return {
      parties: [
        ...parties.map(({ query, ...place }) => ({
          ...place,
          outcome: query === undefined ? {} : outcomeOf(textOf(query)),
        })),
        ...found.map(({ place, query, role }) => ({
          outcome: outcomeOf(textOf(query, role)),
          place,
          role,
        })),
      ],
      ...(text !== undefined && { text }),
    };
  });
}

/** What is compared, as text: the engine reads names without case, and blanks as one. */
const textOf = ({ dob, identifiers, name, schema }: RawQuery, role?: string): string =>
  JSON.stringify([
    name.normalize('NFC').toLowerCase().replace(/\s+/gu, ' ').trim(),
    dob ?? null,
    schema ?? null,
    identifiers ?? null,
    // A text's verdict has an event that says so.
    ...(role === undefined ? [] : ['text']),
  ]);
