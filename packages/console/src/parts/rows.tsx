/** Rows of a list, page behind page; and the keys that go through their links. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { get, type Query } from '../http.ts';
import { useI18n } from '../i18n/index.ts';
import { useKeys } from '../keys.ts';
import type { Page } from '../types.ts';
import { Failure } from './frame.tsx';

/** Rows that are held; who wants more narrows the filters. */
const ROWS_MAX = 2_000;
const NONE = { data: [], next_cursor: null };

export interface Rows<Row> {
  readonly rows: readonly Row[];
  readonly error: unknown;
  readonly isLoading: boolean;
  readonly hasMore: boolean;
  again(): void;
  more(): void;
}

/**
 * The first page of a list, and those behind it when they are asked for. A page of a former query
 * that comes late is dropped, whichever it is.
 */
export function useRows<Row>(path: string, query: Query): Rows<Row> {
  const [held, setHeld] = useState<Page<Row>>(NONE);
  const [error, setError] = useState<unknown>();
  const [isLoading, setLoading] = useState(true);
  const [round, setRound] = useState(0);
  const ending = useRef(new AbortController());
  const read = async (cursor: string | null): Promise<void> => {
    const { signal } = ending.current;
    setLoading(true);
    try {
      const asked = { ...query, ...(cursor !== null && { cursor }) };
      const page = await get<Page<Row>>(path, asked, signal);
      if (signal.aborted) return;
      setHeld((former) =>
        cursor === null ? page : { ...page, data: [...former.data, ...page.data] },
      );
      setError(undefined);
      setLoading(false);
    } catch (failure) {
      if (signal.aborted) return;
      // Rows of a former query would stand under the wrong filter.
      if (cursor === null) setHeld(NONE);
      setError(failure);
      setLoading(false);
    }
  };
  useEffect(() => {
    const own = new AbortController();
    ending.current = own;
    void read(null);
    return () => own.abort();
  }, [path, JSON.stringify(query), round]);
  return {
    again: () => setRound((count) => count + 1),
    error,
    hasMore: held.next_cursor !== null && held.data.length < ROWS_MAX,
    isLoading,
    more: () => void read(held.next_cursor),
    rows: held.data,
  };
}

/** What stands around the rows of a list. `empty`: what is said where there are none. */
export function Listed<Row>({
  children,
  empty,
  of,
}: {
  readonly children: (rows: readonly Row[]) => ComponentChildren;
  readonly empty: ComponentChildren;
  readonly of: Rows<Row>;
}): JSX.Element {
  const { t } = useI18n();
  const place = useRef<HTMLDivElement>(null);
  const step = (by: 1 | -1): void => {
    const links = [...(place.current?.querySelectorAll<HTMLElement>('tbody tr a') ?? [])];
    const at = links.indexOf(document.activeElement as HTMLElement);
    const next = Math.max(0, at < 0 ? 0 : at + by);
    links[Math.min(next, links.length - 1)]?.focus();
  };
  useKeys({ j: () => step(1), k: () => step(-1) });
  const { error, hasMore, isLoading, rows } = of;
  return (
    <div ref={place}>
      {error === undefined ? null : <Failure error={error} onAgain={of.again} />}
      {rows.length === 0 ? null : children(rows)}
      {rows.length > 0 || error !== undefined ? null : isLoading ? (
        <p aria-live="polite">{t('loading')}</p>
      ) : (
        empty
      )}
      {hasMore ? (
        <button disabled={isLoading} onClick={of.more} type="button">
          {t('more')}
        </button>
      ) : null}
    </div>
  );
}
