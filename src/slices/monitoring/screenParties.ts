/**
 * Everybody whom transactions name is compared with the lists in force, as one who is screened
 * alone: the same engine, policy and exclusions. A verdict is remembered for exactly what was
 * compared: the name as it was written, but for case and blanks, and all that tells it from others;
 * the lists; the policy; and the tenant's exclusions. Whoever is not CLEAR has a screening of his
 * own, with an event that holds all candidates.
 *
 * Lists, policy and exclusions are chosen once for a body, so none is compared with a mix.
 */
import { DomainError, type TenantId } from '#core/kernel';
import { type MayProcess, requireProcessing } from '#core/privacy';
import { canonicalJson } from '#platform/canonicalJson';
import { sha256, sha256Hex } from '#platform/crypto';
import {
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
import { type PartyQuery, partyQueries } from './partyQueries.ts';
import type { Transaction } from './transaction.ts';
import type { KnownVerdict, VerdictMemo } from './verdictMemo.ts';

/** What compares parties with lists. */
export interface PartyScreeningPorts<Index extends object> extends QueryPorts<Index> {
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

/** Compares the parties of one body. */
export interface PartyScreening {
  readonly terms: ScreeningTerms;
  /** For each transaction its parties, in their order. Rejects as a screening does. */
  screen(
    transactions: readonly Transaction[],
    signal?: AbortSignal,
  ): Promise<readonly (readonly ScreenedParty[])[]>;
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

/** Queries of one body that wait for the engine at once: others are served between them. */
const AT_ONCE = 32;

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
    const compare = comparing(ports, {
      ...ask,
      clusters: state.clusters,
      exclusions,
      lists,
      terms,
    });
    return {
      remember: (outcome, since) => remember(ports.memo, outcome, since),
      screen: (transactions, signal) =>
        screenAll(transactions, { compare, memo: ports.memo, prefix, signal }),
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

type Compare = (query: RawQuery, signal?: AbortSignal) => Promise<ScreenedQuery | undefined>;

interface Body<Index extends object> extends PartyScreeningAsk {
  readonly clusters: ReturnType<ListsInForce<Index>['current']>['clusters'];
  readonly exclusions: Awaited<ReturnType<ExclusionsInForce>>;
  readonly lists: readonly ListInForce<Index>[];
  readonly terms: ScreeningTerms;
}

const comparing =
  <Index extends object>(ports: PartyScreeningPorts<Index>, body: Body<Index>): Compare =>
  (query, signal) =>
    screenQuery(ports, {
      channel: 'transaction',
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
  readonly memo: VerdictMemo;
  readonly prefix: string;
  readonly signal: AbortSignal | undefined;
}

async function screenAll(
  transactions: readonly Transaction[],
  of: Screening,
): Promise<readonly (readonly ScreenedParty[])[]> {
  const named = transactions.map(partyQueries);
  const outcomes = new Map<string, { outcome: PartyOutcome }>();
  const cold: { readonly query: RawQuery; readonly key: Buffer; readonly text: string }[] = [];
  for (const { query } of named.flat()) {
    if (query === undefined) continue;
    const text = textOf(query);
    if (outcomes.has(text)) continue;
    const key = sha256(`${of.prefix}${text}`);
    const known = of.memo.find(key);
    outcomes.set(text, { outcome: known === undefined ? { key } : { key, known } });
    if (known === undefined) cold.push({ key, query, text });
  }
  await atOnce(cold, async ({ key, query, text }) => {
    const screened = await of.compare(query, of.signal);
    outcomes.set(text, { outcome: screened === undefined ? {} : { key, screened } });
  });
  return named.map((parties) =>
    parties.map(({ query, ...place }) => ({
      ...place,
      outcome: (query && outcomes.get(textOf(query))?.outcome) ?? {},
    })),
  );
}

async function atOnce<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let item = items[next++]; item !== undefined; item = items[next++]) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, lane));
}

/** What is compared, as text: the engine reads names without case, and blanks as one. */
const textOf = ({ dob, identifiers, name, schema }: RawQuery): string =>
  JSON.stringify([
    name.normalize('NFC').toLowerCase().replace(/\s+/gu, ' ').trim(),
    dob ?? null,
    schema ?? null,
    identifiers ?? null,
  ]);
