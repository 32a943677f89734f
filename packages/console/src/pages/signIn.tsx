/** What is shown to who is not signed in: how to get a link. */
import type { JSX } from 'preact';
import { useI18n } from '../i18n/index.ts';
import { CodeBlock } from '../parts/data.tsx';
import { PageFrame } from '../parts/frame.tsx';
import type { SignedOut } from '../types.ts';

export function SignInPage({
  hasFailed,
  way,
}: {
  readonly hasFailed: boolean;
  readonly way: SignedOut['sign_in'];
}): JSX.Element {
  const { t } = useI18n();
  return (
    <main class="alone">
      <PageFrame title={t('signedOutTitle')}>
        {hasFailed ? (
          <p class="notice bad" role="alert">
            {t('signInFailed')}
          </p>
        ) : null}
        {way === 'provider' ? (
          <p>
            <a href="/console/auth/login">{t('signInByProvider')}</a>
          </p>
        ) : (
          <>
            <p>{t('signedOutText')}</p>
            <CodeBlock
              label={t('signedOutTitle')}
              text="npm run --silent cli -- console link --tenant ID"
            />
          </>
        )}
      </PageFrame>
    </main>
  );
}
