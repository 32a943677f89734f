/** A page that is loaded when it is opened: what it is made of comes in a file of its own. */
import type { ComponentType, JSX } from 'preact';
import { useI18n } from '../i18n/index.ts';
import { useLoad } from '../load.ts';
import type { Route } from '../router.ts';
import { PageFrame, Ready } from './frame.tsx';

export type LaterProps = Pick<Route, 'id' | 'query'>;
export type LaterPages = Readonly<Record<string, () => Promise<ComponentType<LaterProps>>>>;

export function Later({
  pages,
  route: { id, page, query },
}: {
  readonly pages: LaterPages;
  readonly route: Route;
}): JSX.Element {
  const { t } = useI18n();
  const open = pages[page];
  const loaded = useLoad(page, async () => ({ Page: await open?.() }));
  if (loaded.data?.Page === undefined) {
    return (
      <PageFrame title={t('appName')}>
        <Ready of={loaded}>{() => null}</Ready>
      </PageFrame>
    );
  }
  const { Page } = loaded.data;
  return <Page id={id} query={query} />;
}
