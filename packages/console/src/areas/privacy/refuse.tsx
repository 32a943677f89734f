/** Refuses a request on a ground of the law, with words for the person. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useAttempt } from '../../parts/attempt.tsx';
import { Choice, TextField } from '../../parts/fields.tsx';
import { useI18n } from './i18n.ts';
import { GROUNDS, usePrivacyWords } from './useWords.tsx';

export function Refuse({
  onRefused,
  send,
}: {
  readonly onRefused: () => void;
  readonly send: (body: object) => Promise<unknown>;
}): JSX.Element {
  const { t } = useI18n();
  const words = usePrivacyWords();
  const { attempt, failure, isBusy } = useAttempt();
  const [ground, setGround] = useState('identity_unproven');
  const [text, setText] = useState('');
  const refuse = (event: Event): void => {
    event.preventDefault();
    attempt(async () => {
      await send({ ground, text });
      onRefused();
      return t('privacyRefused');
    });
  };
  return (
    <details>
      <summary>{t('privacyRefuse')}</summary>
      <form class="fields panel" onSubmit={refuse}>
        <Choice
          choices={Object.keys(GROUNDS).map((one) => [one, words.ground(one)] as const)}
          label={t('privacyGround')}
          onChange={setGround}
          value={ground}
        />
        <TextField
          isLong
          isRequired
          label={t('privacyRefuseText')}
          onInput={setText}
          value={text}
        />
        {failure}
        <div class="actions">
          <button disabled={isBusy} type="submit">
            {t('privacyRefuse')}
          </button>
        </div>
      </form>
    </details>
  );
}
