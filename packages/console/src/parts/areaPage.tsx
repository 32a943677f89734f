/** A page that is loaded when it is opened, with the words of its area in the person's language. */
import type { ComponentType, JSX } from 'preact';
import { type Area, loadWords } from '../i18n/areas.ts';
import { I18nContext, useI18n, withWords } from '../i18n/index.ts';
import { useLoad } from '../load.ts';
import type { Route } from '../router.ts';
import { Ready } from './frame.tsx';

/** What a page of an area gets. */
export type AreaProps = Pick<Route, 'id' | 'query'>;

export interface AreaModule {
  readonly Page: ComponentType<AreaProps>;
}

export function AreaPage({
  area,
  load,
  route: { id, query },
}: {
  readonly area: Area;
  readonly load: () => Promise<AreaModule>;
  readonly route: AreaProps;
}): JSX.Element {
  const i18n = useI18n();
  const loaded = useLoad(`${area}/${i18n.language}`, async () => {
    const [{ Page }, words] = await Promise.all([load(), loadWords(area, i18n.language)]);
    return { Page, words };
  });
  return (
    <Ready of={loaded}>
      {({ Page, words }) => (
        <I18nContext.Provider value={withWords(i18n, words)}>
          <Page id={id} query={query} />
        </I18nContext.Provider>
      )}
    </Ready>
  );
}
