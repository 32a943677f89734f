/** A page that is loaded when it is opened: what it is made of comes in a file of its own. */
import type { ComponentType, JSX } from 'preact';
import { useI18n } from '../i18n/index.ts';
import { useLoad } from '../load.ts';
import type { Route } from '../router.ts';
import { Failure, PageFrame } from './frame.tsx';

export type LaterProps = Pick<Route, 'id' | 'query'>;
export type LaterPages = Readonly<Record<string, () => Promise<ComponentType<LaterProps>>>>;

/** What was opened once is there at once. */
const known = new Map<string, ComponentType<LaterProps>>();

export function Later({
  pages,
  route: { id, page, query },
}: {
  readonly pages: LaterPages;
  readonly route: Route;
}): JSX.Element {
  const { t } = useI18n();
  const open = pages[page];
  const loaded = useLoad(page, async () => {
    const Page = known.get(page) ?? (await open?.());
    if (Page !== undefined) known.set(page, Page);
  });
  const Page = known.get(page);
  if (Page === undefined) {
    return (
      <PageFrame title={t('appName')}>
        {loaded.error === undefined ? (
          <p aria-live="polite">{t('loading')}</p>
        ) : (
          <Failure error={loaded.error} onAgain={loaded.again} />
        )}
      </PageFrame>
    );
  }
  return <Page id={id} query={query} />;
}
