/** With which key a person signs: that of this browser, or one from a file. */
import type { JSX, TargetedEvent } from 'preact';
import { useI18n } from '../i18n/index.ts';
import { useCaller } from '../session.ts';
import { keptKey, readKey } from '../signingKey.ts';

export function SignButtons({
  isDisabled = false,
  onKey,
}: {
  readonly isDisabled?: boolean;
  /** Throws where there is no key. */
  readonly onKey: (keyOf: () => Promise<CryptoKey>) => void;
}): JSX.Element {
  const { t } = useI18n();
  const caller = useCaller();
  const ownKey = async (): Promise<CryptoKey> => {
    const kept = await keptKey(caller.person.person_id ?? '');
    if (kept === undefined) throw new Error(t('noBrowserKey'));
    return kept.privateKey;
  };
  const onFile = (event: TargetedEvent<HTMLInputElement>): void => {
    const [file] = event.currentTarget.files ?? [];
    if (file !== undefined) onKey(async () => readKey(await file.text()));
  };
  return (
    <>
      <button class="primary" disabled={isDisabled} onClick={() => onKey(ownKey)} type="button">
        {t('signWithBrowser')}
      </button>
      <label class="file">
        {t('signWithFile')}{' '}
        <input accept=".pem" disabled={isDisabled} onChange={onFile} type="file" />
      </label>
    </>
  );
}
