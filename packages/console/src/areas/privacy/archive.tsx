/** The archive that a person is given, and its passphrase, which is told once. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { change, download } from '../../http.ts';
import { useAttempt } from '../../parts/attempt.tsx';
import { Code, Time } from '../../parts/data.tsx';
import { Facts } from '../../parts/facts.tsx';
import { useI18n } from './i18n.ts';
import type { PrivacyRequest } from './types.ts';

const KB = 1_000;

export function Archive({
  of,
  onTold,
}: {
  readonly of: PrivacyRequest;
  readonly onTold: () => void;
}): JSX.Element | null {
  const { number, t } = useI18n();
  const { attempt, failure, isBusy } = useAttempt();
  const [passphrase, setPassphrase] = useState<string>();
  const { archive } = of;
  if (archive === null) return null;
  const path = `/v1/privacy/dsar/${of.request_id}`;
  const fetched = (): void =>
    attempt(async () => {
      const { url } = await change<{ url: string }>('POST', `${path}/download`);
      await download(url, `personal-data-${of.request_id}.zip`);
      return '';
    });
  const tell = (): void =>
    attempt(async () => {
      const told = await change<{ passphrase: string }>('POST', `${path}/passphrase`);
      setPassphrase(told.passphrase);
      onTold();
      return '';
    });
  return (
    <section aria-labelledby="archive">
      <h2 id="archive">{t('privacyArchive')}</h2>
      <Facts
        of={[
          [t('privacyDocuments'), number(archive.files)],
          ['kB', number(archive.bytes / KB, 1)],
          [t('privacyAvailable'), <Time at={archive.available_until} key="until" />],
          ['SHA-256', <Code key="hash" text={archive.sha256} />],
        ]}
      />
      {passphrase === undefined ? null : (
        <div class="notice" role="alert">
          <p>{t('privacyPassphraseIs')}</p>
          <p>
            <Code text={passphrase} />
          </p>
        </div>
      )}
      <div class="actions">
        <button disabled={isBusy} onClick={fetched} type="button">
          {t('privacyDownload')}
        </button>
        {archive.passphrase_told ? (
          <span class="muted">{t('privacyTold')}</span>
        ) : (
          <button disabled={isBusy} onClick={tell} type="button">
            {t('privacyPassphrase')}
          </button>
        )}
      </div>
      {failure}
    </section>
  );
}
