/** A page that is loaded when it is opened, with the words of its area in the person's language. */
import type { ComponentType, JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { type Area, loadWords } from '../i18n/areas.ts';
import { I18nContext, useI18n, withWords } from '../i18n/index.ts';
import { useLoad } from '../load.ts';
import type { Route } from '../router.ts';
import { Failure, PageFrame } from './frame.tsx';
import { titleOf } from './shell.tsx';

/** What a page of an area gets. */
export type AreaProps = Pick<Route, 'id' | 'query'>;

export interface AreaModule {
  readonly Page: ComponentType<AreaProps>;
}

interface Opened extends AreaModule {
  readonly words: Readonly<Record<string, string>>;
}

/** What was opened once, by page and language, is there at once. */
const opened = new Map<string, Opened>();

export function AreaPage({
  area,
  load,
  route: { id, page, query },
}: {
  readonly area: Area;
  readonly load: () => Promise<AreaModule>;
  readonly route: Route;
}): JSX.Element {
  const { language, t } = useI18n();
  const key = `${page}/${language}`;
  const loaded = useLoad(key, async () => {
    const known = opened.get(key);
    if (known !== undefined) return known;
    const [{ Page }, words] = await Promise.all([load(), loadWords(area, language)]);
    opened.set(key, { Page, words });
    return { Page, words };
  });
  const shown = opened.get(key) ?? loaded.data;
  if (shown !== undefined) return <Shown id={id} of={shown} query={query} />;
  return (
    <PageFrame title={t(titleOf(page))}>
      {loaded.error === undefined ? (
        <p aria-live="polite">{t('loading')}</p>
      ) : (
        <Failure error={loaded.error} onAgain={loaded.again} />
      )}
    </PageFrame>
  );
}

function Shown({
  id,
  of: { Page, words },
  query,
}: AreaProps & { readonly of: Opened }): JSX.Element {
  const i18n = useI18n();
  const own = useMemo(() => withWords(i18n, words), [i18n, words]);
  return (
    <I18nContext.Provider value={own}>
      <Page id={id} query={query} />
    </I18nContext.Provider>
  );
}
