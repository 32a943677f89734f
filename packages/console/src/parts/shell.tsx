/** What stands around every page: the way past the bars, the pages that a person's roles open. */
import { type ComponentChildren, Fragment, type JSX } from 'preact';
import { useState } from 'preact/hooks';
import { type MessageKey, useI18n } from '../i18n/index.ts';
import { useKeys } from '../keys.ts';
import type { MAY } from '../roles.ts';
import { go, routeTo } from '../router.ts';
import { may, useCaller } from '../session.ts';
import type { Caller } from '../types.ts';
import { Data } from './data.tsx';
import { Dialog } from './dialog.tsx';

interface Entry {
  readonly page: string;
  readonly title: MessageKey;
  readonly needs?: keyof typeof MAY;
}

const ENTRIES: readonly Entry[] = [
  { page: 'start', title: 'navStart' },
  { needs: 'screen', page: 'screen', title: 'navScreen' },
  { needs: 'readAlerts', page: 'alerts', title: 'navAlerts' },
  { needs: 'readExclusions', page: 'exclusions', title: 'navExclusions' },
  { needs: 'readScreenings', page: 'screenings', title: 'navScreenings' },
  { needs: 'readCases', page: 'cases', title: 'navCases' },
  { needs: 'readTransactions', page: 'transactions', title: 'navTransactions' },
  { needs: 'readRules', page: 'rules', title: 'navRules' },
  { needs: 'readReports', page: 'reports', title: 'navReports' },
  { needs: 'readBatches', page: 'batches', title: 'navBatches' },
  { needs: 'approve', page: 'approvals', title: 'navApprovals' },
  { needs: 'readLists', page: 'lists', title: 'navLists' },
  { needs: 'readPolicies', page: 'policies', title: 'navPolicies' },
  { needs: 'readRisk', page: 'risk', title: 'navRisk' },
  { needs: 'readTax', page: 'tax', title: 'navTax' },
  { needs: 'readPrivacy', page: 'privacy', title: 'navPrivacy' },
  { needs: 'readForms', page: 'forms', title: 'navForms' },
  { needs: 'evidence', page: 'trail', title: 'navTrail' },
  { page: 'account', title: 'navAccount' },
];

/** The word of a page in the bar; the name of the console for one that stands in none. */
export const titleOf = (page: string): MessageKey =>
  ENTRIES.find((one) => one.page === page)?.title ?? 'appName';

/** Whether a person's roles open a page; one that stands in no bar opens by itself. */
export function mayOpen(caller: Caller, page: string): boolean {
  const needs = ENTRIES.find((one) => one.page === page)?.needs;
  return needs === undefined || may(caller, needs);
}

export function Shell({
  children,
  page,
}: {
  readonly children: ComponentChildren;
  readonly page: string;
}): JSX.Element {
  const { t } = useI18n();
  const caller = useCaller();
  const [isHelping, setHelping] = useState(false);
  useKeys({
    '?': () => setHelping(true),
    'g a': () => go(routeTo('alerts')),
    'g b': () => go(routeTo('batches')),
    'g c': () => go(routeTo('screenings')),
    'g p': () => go(routeTo('approvals')),
    'g s': () => go(routeTo('start')),
  });
  const skip = (): void => document.querySelector<HTMLElement>('main h1')?.focus();
  return (
    <>
      <button class="skip" onClick={skip} type="button">
        {t('skipToContent')}
      </button>
      <header>
        <strong>{t('appName')}</strong>
        <span class="who">
          <Data text={caller.tenant.name} />
          {caller.tenant.kind === 'sandbox' ? <span class="tag">{t('sandbox')}</span> : null}
          <Data text={caller.person.name} />
        </span>
        <button onClick={() => setHelping(true)} type="button">
          {t('help')} <kbd>?</kbd>
        </button>
      </header>
      <nav aria-label={t('navigation')}>
        <ul>
          {ENTRIES.filter(({ page: one }) => mayOpen(caller, one)).map((one) => (
            <li key={one.page}>
              <a aria-current={one.page === page ? 'page' : undefined} href={routeTo(one.page)}>
                {t(one.title)}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <main id="main">{children}</main>
      {isHelping ? <KeyHelp onClose={() => setHelping(false)} /> : null}
    </>
  );
}

const KEYS: readonly (readonly [key: string, title: MessageKey])[] = [
  ['j  k', 'keyRow'],
  ['Enter', 'keyEnter'],
  ['x', 'keySelect'],
  ['a', 'keyAssign'],
  ['f', 'keyFalse'],
  ['t', 'keyTrue'],
  ['e', 'keyEscalate'],
  ['n', 'keyNext'],
  ['/', 'keySearch'],
  ['g', 'keyPages'],
  ['Ctrl Enter', 'keySubmit'],
];

function KeyHelp({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const { t } = useI18n();
  return (
    <Dialog onClose={onClose} title={t('keysTitle')}>
      <dl class="facts">
        {KEYS.map(([key, title]) => (
          <Fragment key={key}>
            <dt>
              <kbd dir="ltr">{key}</kbd>
            </dt>
            <dd>{t(title)}</dd>
          </Fragment>
        ))}
      </dl>
      <button onClick={onClose} type="button">
        {t('close')}
      </button>
    </Dialog>
  );
}
