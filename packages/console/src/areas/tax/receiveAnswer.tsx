/** A file that an authority answered with: it is opened, checked and applied by the API. */
import type { JSX, TargetedEvent } from 'preact';
import { upload } from '../../http.ts';
import { useAttempt } from '../../parts/attempt.tsx';
import { useI18n } from './i18n.ts';

interface Received {
  readonly code: string;
  readonly result: string;
}

export function ReceiveAnswer({ onReceived }: { readonly onReceived: () => void }): JSX.Element {
  const { t } = useI18n();
  const { attempt, failure } = useAttempt();
  const onFile = ({ currentTarget }: TargetedEvent<HTMLInputElement>): void => {
    const [file] = currentTarget.files ?? [];
    if (file === undefined) return;
    attempt(async () => {
      const { code, result } = await upload<Received>('/v1/tcr/notifications', file);
      onReceived();
      return t('taxReceived', { result: `${code}, ${result}` });
    });
  };
  return (
    <>
      <label class="file">
        {t('taxNotification')} <input accept=".zip,.xml" onChange={onFile} type="file" />
      </label>
      {failure}
    </>
  );
}
