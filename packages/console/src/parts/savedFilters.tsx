/** Filters of alerts that a person saved in this browser: opened by name, saved, removed. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useI18n } from '../i18n/index.ts';
import { savedFilters, saveFilters } from '../preferences.ts';
import { type Route, routeTo } from '../router.ts';
import type { SavedFilter } from '../savedFilter.ts';
import { useCaller } from '../session.ts';
import { isolated } from '../visible.ts';
import { CommentDialog } from './commentDialog.tsx';
import { Data } from './data.tsx';
import { useToast } from './toast.tsx';

export function SavedFilters({ query }: Pick<Route, 'query'>): JSX.Element | null {
  const { t } = useI18n();
  const toast = useToast();
  const { person, tenant } = useCaller();
  const whose = `${tenant.tenant_id}.${person.actor}`;
  const [saved, setSaved] = useState(() => savedFilters(whose));
  const [isNaming, setNaming] = useState(false);
  const keep = (next: readonly SavedFilter[]): boolean => {
    const isKept = saveFilters(whose, next);
    if (isKept) setSaved(next);
    return isKept;
  };
  const remove = (removed: string): void => {
    if (!keep(saved.filter(({ name }) => name !== removed))) toast(t('filtersNotKept'));
  };
  const hasFilters = Object.values(query).some((value) => value !== '');
  if (saved.length === 0 && !hasFilters) return null;
  return (
    <section aria-label={t('savedFilters')} class="actions">
      {saved.map((one) => (
        <span class="saved" key={one.name}>
          <a
            aria-current={JSON.stringify(one.query) === JSON.stringify(query) ? 'true' : undefined}
            href={routeTo('alerts', undefined, one.query)}
          >
            <Data text={one.name} />
          </a>
          <button
            aria-label={t('removeFilter', { name: isolated(one.name) })}
            class="link"
            onClick={() => remove(one.name)}
            type="button"
          >
            ×
          </button>
        </span>
      ))}
      {hasFilters ? (
        <button onClick={() => setNaming(true)} type="button">
          {t('saveFilters')}
        </button>
      ) : null}
      {isNaming ? (
        <CommentDialog
          label={t('filterName')}
          onClose={() => setNaming(false)}
          onDone={() => setNaming(false)}
          send={async (name) => {
            const next = [...saved.filter((one) => one.name !== name), { name, query }];
            if (!keep(next)) throw new Error(t('filtersNotKept'));
          }}
          submit={t('save')}
          title={t('saveFilters')}
        />
      ) : null}
    </section>
  );
}
