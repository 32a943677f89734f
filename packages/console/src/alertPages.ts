/**
 * A list of alerts, page by page. Of pages that are far from the rows that are seen only the ids are
 * held, and the cursor by which they are read again: a list of 100,000 costs no more than a short one.
 */
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { get } from './http.ts';
import type { Route } from './router.ts';
import { followAlerts } from './stream.ts';
import type { Alert, AlertsPage } from './types.ts';

export const PAGE_ROWS = 200;
/** Pages whose rows are held. */
const HELD_PAGES = 10;
/** Rows before the end at which the next page is read. */
const AHEAD_ROWS = 100;

interface PageOfRows {
  /** By which it was read; null: the first. */
  readonly cursor: string | null;
  readonly ids: readonly string[];
  /** Of how many rows it stands behind. */
  readonly offset: number;
  /** undefined: it is read again when it is seen. */
  readonly rows: readonly Alert[] | undefined;
}

interface Held {
  readonly altered: readonly string[];
  readonly next: string | null;
  readonly pages: readonly PageOfRows[];
}

const NOTHING: Held = { altered: [], next: null, pages: [] };

export interface AlertList {
  readonly altered: readonly string[];
  /** Rows that are known; behind them there may be more. */
  readonly count: number;
  readonly error: unknown;
  readonly hasMore: boolean;
  readonly isLoading: boolean;
  /** Alerts that came since the list was read. */
  readonly newCount: number;
  again(): void;
  fail(error: unknown): void;
  /** All ids that are known, in their order. */
  ids(): readonly string[];
  /** undefined: it is not held, and comes once it is seen. */
  rowAt(at: number): Alert | undefined;
  replace(alert: Alert): void;
  /** Says which rows are seen, and reads what they lack. */
  see(first: number, last: number): void;
}

const countOf = ({ pages }: Held): number => {
  const last = pages.at(-1);
  return last === undefined ? 0 : last.offset + last.ids.length;
};

/** All pages but the last are whole. */
const pageAt = ({ pages }: Held, at: number): PageOfRows | undefined =>
  pages[Math.floor(at / PAGE_ROWS)];

interface Places {
  readonly no: number;
  /** The page that is seen, which another may be by the time that one comes. */
  readonly seen: number;
}

/** With what came for the page `no`; pages far from the one that is seen give up their rows. */
function withPage(
  held: Held,
  { no, seen }: Places,
  page: AlertsPage & { cursor: string | null },
): Held {
  const read: PageOfRows = {
    cursor: page.cursor,
    ids: page.data.map(({ alert_id }) => alert_id),
    offset: no * PAGE_ROWS,
    rows: page.data,
  };
  const isLast = no >= held.pages.length - 1;
  const pages = [...held.pages.slice(0, no), read, ...held.pages.slice(no + 1)].map((one, at) =>
    Math.abs(at - seen) < HELD_PAGES / 2 || one.rows === undefined
      ? one
      : { ...one, rows: undefined },
  );
  return {
    altered: [...new Set([...held.altered, ...page.altered])],
    next: isLast ? page.next_cursor : held.next,
    pages,
  };
}

export function useAlertPages(query: Route['query']): AlertList {
  const [held, setHeld] = useState<Held>(NOTHING);
  const [error, setError] = useState<unknown>();
  const [isLoading, setLoading] = useState(true);
  const [news, setNews] = useState<ReadonlySet<string>>(new Set());
  const [round, setRound] = useState(0);
  const latest = useRef(held);
  const ending = useRef(new AbortController());
  const underWay = useRef(new Set<number>());
  const seen = useRef(0);
  const key = JSON.stringify(query);
  useLayoutEffect(() => {
    latest.current = held;
  }, [held]);

  const read = async (no: number, cursor: string | null): Promise<void> => {
    if (underWay.current.has(no)) return;
    underWay.current.add(no);
    const { signal } = ending.current;
    setLoading(true);
    try {
      const asked = { ...query, limit: PAGE_ROWS, ...(cursor !== null && { cursor }) };
      const page = await get<AlertsPage>('/v1/aml/alerts', asked, signal);
      if (signal.aborted) return;
      const places = { no, seen: seen.current };
      setHeld((former) => withPage(former, places, { ...page, cursor }));
      setError(undefined);
    } catch (failure) {
      if (!signal.aborted) setError(failure);
    } finally {
      if (!signal.aborted) {
        underWay.current.delete(no);
        setLoading(false);
      }
    }
  };
  const replace = (alert: Alert): void =>
    setHeld((former) => ({
      ...former,
      pages: former.pages.map((page) => replaced(page, alert)),
    }));
  useEffect(() => {
    ending.current = new AbortController();
    underWay.current = new Set();
    seen.current = 0;
    setNews(new Set());
    setHeld(NOTHING);
    void read(0, null);
    void followAlerts(ending.current.signal, ({ alert, kind }) => {
      if (kind === 'aml.alert') setNews((former) => new Set([...former, alert.alert_id]));
      else replace(alert);
    });
    return () => ending.current.abort();
  }, [key, round]);
  const see = useCallback(
    (first: number, last: number): void => {
      const now = latest.current;
      const count = countOf(now);
      seen.current = Math.floor((first + Math.min(last, count)) / 2 / PAGE_ROWS);
      for (let no = Math.floor(first / PAGE_ROWS); no * PAGE_ROWS <= last; no++) {
        const page = now.pages[no];
        if (page !== undefined && page.rows === undefined) void read(no, page.cursor);
      }
      const isNear = count > 0 && last >= count - AHEAD_ROWS;
      if (isNear && now.next !== null) void read(now.pages.length, now.next);
    },
    [key, round],
  );
  return {
    again: () => setRound((one) => one + 1),
    altered: held.altered,
    count: countOf(held),
    error,
    fail: setError,
    hasMore: held.next !== null,
    ids: () => latest.current.pages.flatMap(({ ids }) => ids),
    isLoading,
    newCount: news.size,
    replace,
    rowAt: (at) => pageAt(held, at)?.rows?.[at % PAGE_ROWS],
    see,
  };
}

function replaced(page: PageOfRows, alert: Alert): PageOfRows {
  const at = page.rows === undefined ? -1 : page.ids.indexOf(alert.alert_id);
  if (page.rows === undefined || at < 0) return page;
  return { ...page, rows: page.rows.with(at, alert) };
}
