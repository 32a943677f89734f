/** A list that is read page by page: what came stays, and more is asked for. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { get, type Query } from '../http.ts';
import { useI18n } from '../i18n/index.ts';
import type { Page } from '../types.ts';
import { Failure } from './frame.tsx';

interface Held<Row> {
  readonly rows: readonly Row[] | undefined;
  readonly cursor: string | null;
  readonly error: unknown;
}

export interface More<Row> {
  /** From its beginning. */
  again(): void;
  /** What there is, or that it is loading, or that there is nothing, and the way to more. */
  shown(draw: (rows: readonly Row[]) => ComponentChildren): JSX.Element;
}

export function useMore<Row>(path: string, query: Query = {}): More<Row> {
  const { t } = useI18n();
  const [held, setHeld] = useState<Held<Row>>({ cursor: null, error: undefined, rows: undefined });
  const [round, setRound] = useState(0);
  const [isLoading, setLoading] = useState(true);
  const read = async (cursor: string | null, signal?: AbortSignal): Promise<void> => {
    setLoading(true);
    try {
      const asked = { ...query, ...(cursor !== null && { cursor }) };
      const page = await get<Page<Row>>(path, asked, signal);
      setHeld((former) => ({
        cursor: page.next_cursor,
        error: undefined,
        rows: cursor === null ? page.data : [...(former.rows ?? []), ...page.data],
      }));
    } catch (error) {
      if (signal?.aborted !== true) setHeld((former) => ({ ...former, error }));
    } finally {
      if (signal?.aborted !== true) setLoading(false);
    }
  };
  useEffect(() => {
    const ending = new AbortController();
    void read(null, ending.signal);
    return () => ending.abort();
  }, [path, JSON.stringify(query), round]);
  const again = (): void => setRound((count) => count + 1);
  const shown: More<Row>['shown'] = (draw) => (
    <>
      {held.error === undefined ? null : <Failure error={held.error} onAgain={again} />}
      {held.rows === undefined && held.error === undefined ? (
        <p aria-live="polite">{t('loading')}</p>
      ) : null}
      {held.rows === undefined ? null : held.rows.length === 0 ? (
        <p>{t('nothingHere')}</p>
      ) : (
        draw(held.rows)
      )}
      {held.cursor === null ? null : (
        <button disabled={isLoading} onClick={() => void read(held.cursor)} type="button">
          {t('more')}
        </button>
      )}
    </>
  );
  return { again, shown };
}
