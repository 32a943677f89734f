/** What pages are made of: their title, what went wrong, and what is under way. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useI18n } from '../i18n/index.ts';
import type { Loaded } from '../load.ts';
import { Problem } from '../problem.ts';
import { Code } from './data.tsx';

/** A page begins with its heading, which has the focus when the page is new. */
export function PageFrame({
  children,
  title,
}: {
  readonly children: ComponentChildren;
  readonly title: string;
}): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null);
  const { t } = useI18n();
  useEffect(() => {
    document.title = `${title} – ${t('appName')}`;
  }, [title, t]);
  useEffect(() => heading.current?.focus(), []);
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {children}
    </>
  );
}

export function Failure({
  error,
  onAgain,
}: {
  readonly error: unknown;
  readonly onAgain?: (() => void) | undefined;
}): JSX.Element {
  const { t } = useI18n();
  const isStale = error instanceof Problem && error.code === 'mfa-required';
  const isForbidden = error instanceof Problem && error.status === 403;
  return (
    <div class="notice bad" role="alert">
      <p>{t(isStale ? 'signInAgain' : isForbidden ? 'forbidden' : 'failed')}</p>
      {isStale ? (
        <p>
          <a href="/console/auth/login?fresh=1">{t('signInByProvider')}</a>
        </p>
      ) : null}
      {error instanceof Problem ? (
        <p>
          <Code text={error.code} />{' '}
          {error.detail === '' ? null : <bdi dir="auto">{error.detail}</bdi>}
        </p>
      ) : (
        <p>
          <bdi dir="auto">{error instanceof Error ? error.message : String(error)}</bdi>
        </p>
      )}
      {onAgain === undefined || isForbidden ? null : (
        <button onClick={onAgain} type="button">
          {t('again')}
        </button>
      )}
    </div>
  );
}

/** What was read, once it is there. What stands already stays while it is read again. */
export function Ready<Body>({
  children,
  of,
}: {
  readonly children: (data: Body) => ComponentChildren;
  readonly of: Loaded<Body>;
}): JSX.Element {
  const { t } = useI18n();
  if (of.error !== undefined) return <Failure error={of.error} onAgain={of.again} />;
  if (of.data === undefined) return <p aria-live="polite">{t('loading')}</p>;
  return <>{children(of.data)}</>;
}
