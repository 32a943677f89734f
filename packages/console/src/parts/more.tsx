/** A list that is read page by page: what came stays, and more is asked for. */
import type { ComponentChildren, JSX } from 'preact';
import type { Query } from '../http.ts';
import { useI18n } from '../i18n/index.ts';
import { Listed, useRows } from './rows.tsx';

export interface More<Row> {
  /** From its beginning. */
  again(): void;
  /** What there is, or that it is loading, or that there is nothing, and the way to more. */
  shown(draw: (rows: readonly Row[]) => ComponentChildren): JSX.Element;
}

export function useMore<Row>(path: string, query: Query = {}): More<Row> {
  const { t } = useI18n();
  const list = useRows<Row>(path, query);
  return {
    again: list.again,
    shown: (draw) => (
      <Listed empty={<p>{t('nothingHere')}</p>} of={list}>
        {draw}
      </Listed>
    ),
  };
}
