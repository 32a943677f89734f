/**
 * The console begins: language and theme as this browser has them, then the sign-in. A link brings
 * its secret in the fragment, which is taken out of the address at once.
 */
import { type JSX, render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ask, whenSignedOut } from './http.ts';
import type { Area } from './i18n/areas.ts';
import { loadCatalogue } from './i18n/catalogues.ts';
import { type I18n, I18nContext, i18nOf } from './i18n/index.ts';
import type { Language } from './i18n/language.ts';
import { watchSequences } from './keys.ts';
import { AccountPage } from './pages/account.tsx';
import { AlertPage } from './pages/alert.tsx';
import { AlertsPage } from './pages/alerts.tsx';
import { ApprovalPage } from './pages/approval.tsx';
import { ApprovalsPage } from './pages/approvals.tsx';
import { BatchesPage } from './pages/batches.tsx';
import { ExclusionsPage } from './pages/exclusions.tsx';
import { ListsPage } from './pages/lists.tsx';
import { ScreenPage } from './pages/screen.tsx';
import { ScreeningPage } from './pages/screening.tsx';
import { ScreeningsPage } from './pages/screenings.tsx';
import { SignInPage } from './pages/signIn.tsx';
import { StartPage } from './pages/start.tsx';
import { TrailPage } from './pages/trail.tsx';
import { type AreaModule, AreaPage } from './parts/areaPage.tsx';
import { PageFrame } from './parts/frame.tsx';
import { mayOpen, Shell } from './parts/shell.tsx';
import { ToastContext, Toasts } from './parts/toast.tsx';
import { applyTheme, chooseLanguage, chosenLanguage, chosenTheme } from './preferences.ts';
import { type Route, useRoute } from './router.ts';
import { CallerContext, useCaller } from './session.ts';
import type { Caller, SignedOut } from './types.ts';

const TOAST_MS = 6_000;

async function i18nIn(language: Language): Promise<I18n> {
  return i18nOf(language, await loadCatalogue(language));
}

function showIn({ direction, language }: I18n): void {
  document.documentElement.lang = language;
  document.documentElement.dir = direction;
}

function Console({
  caller: first,
  hasFailed,
  i18n: chosen,
  way,
}: {
  readonly caller: Caller | undefined;
  readonly hasFailed: boolean;
  readonly i18n: I18n;
  readonly way: SignedOut['sign_in'];
}): JSX.Element {
  const [i18n, setI18n] = useState(chosen);
  const [caller, setCaller] = useState(first);
  const [news, setNews] = useState('');
  const route = useRoute();
  useEffect(() => whenSignedOut(() => setCaller(undefined)), []);
  useEffect(() => {
    if (news === '') return;
    const timer = setTimeout(() => setNews(''), TOAST_MS);
    return () => clearTimeout(timer);
  }, [news]);
  const choose = async (language: Language): Promise<void> => {
    chooseLanguage(language);
    const next = await i18nIn(language);
    showIn(next);
    setI18n(next);
  };
  return (
    <I18nContext.Provider value={i18n}>
      <ToastContext.Provider value={setNews}>
        {caller === undefined ? (
          <SignInPage hasFailed={hasFailed} way={way} />
        ) : (
          <CallerContext.Provider value={caller}>
            <Shell page={route.page}>
              <PageOf key={`${route.page}/${route.id ?? ''}`} onLanguage={choose} route={route} />
            </Shell>
          </CallerContext.Provider>
        )}
        <Toasts text={news} />
      </ToastContext.Provider>
    </I18nContext.Provider>
  );
}

/** Pages that are loaded when they are opened. */
const AREA_PAGES: Readonly<Record<string, readonly [area: Area, load: () => Promise<AreaModule>]>> =
  {
    cases: ['cases', () => import('./areas/cases/page.tsx')],
    forms: ['forms', () => import('./areas/forms/page.tsx')],
    policies: ['policies', () => import('./areas/policies/page.tsx')],
    privacy: ['privacy', () => import('./areas/privacy/page.tsx')],
    reports: ['reports', () => import('./areas/reports/page.tsx')],
    risk: ['risk', () => import('./areas/risk/page.tsx')],
    rules: ['monitoring', () => import('./areas/monitoring/rulesPage.tsx')],
    tax: ['tax', () => import('./areas/tax/page.tsx')],
    transactions: ['monitoring', () => import('./areas/monitoring/transactionsPage.tsx')],
  };

function PageOf({
  onLanguage,
  route,
}: {
  readonly onLanguage: (language: Language) => void;
  readonly route: Route;
}): JSX.Element {
  const { id, page, query } = route;
  const caller = useCaller();
  if (!mayOpen(caller, page)) return <ForbiddenPage />;
  const [area, load] = AREA_PAGES[page] ?? [];
  if (area !== undefined && load !== undefined) {
    return <AreaPage area={area} load={load} route={route} />;
  }
  switch (page) {
    case 'start':
      return <StartPage />;
    case 'screen':
      return <ScreenPage />;
    case 'alerts':
      return id === undefined ? <AlertsPage query={query} /> : <AlertPage id={id} />;
    case 'exclusions':
      return <ExclusionsPage />;
    case 'screenings':
      return id === undefined ? <ScreeningsPage /> : <ScreeningPage id={id} />;
    case 'batches':
      return <BatchesPage />;
    case 'approvals':
      return id === undefined ? <ApprovalsPage /> : <ApprovalPage id={id} />;
    case 'lists':
      return <ListsPage />;
    case 'trail':
      return <TrailPage />;
    case 'account':
      return <AccountPage onLanguage={onLanguage} />;
    default:
      return <UnknownPage />;
  }
}

/** Its address was typed: no link leads there. */
function ForbiddenPage(): JSX.Element {
  return (
    <I18nContext.Consumer>
      {({ t }) => (
        <PageFrame title={t('forbidden')}>
          <a href="#/">{t('navStart')}</a>
        </PageFrame>
      )}
    </I18nContext.Consumer>
  );
}

function UnknownPage(): JSX.Element {
  return (
    <I18nContext.Consumer>
      {({ t }) => (
        <PageFrame title={t('notFoundPage')}>
          <a href="#/">{t('navStart')}</a>
        </PageFrame>
      )}
    </I18nContext.Consumer>
  );
}

/** Whether a link was there and did not work. */
async function signInByLink(): Promise<boolean> {
  const token = /^#start=(.+)$/.exec(location.hash)?.[1];
  if (token === undefined) return false;
  history.replaceState(null, '', '/console#/');
  try {
    await ask('local', { token });
    return false;
  } catch {
    return true; // the page says so
  }
}

async function begin(): Promise<void> {
  applyTheme(chosenTheme());
  watchSequences();
  const i18n = await i18nIn(chosenLanguage());
  showIn(i18n);
  const hasFailed = await signInByLink();
  const found = await ask<Caller | SignedOut>('session').catch(() => undefined);
  const caller = found?.person == null ? undefined : (found as Caller);
  const way = found?.sign_in ?? 'link';
  const place = document.getElementById('console');
  if (place === null) throw new Error('the page has no place for the console');
  render(<Console caller={caller} hasFailed={hasFailed} i18n={i18n} way={way} />, place);
}

void begin();
