/** A dialog that asks for words, and sends them. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useI18n } from '../i18n/index.ts';
import { useAttempt } from './attempt.tsx';
import { Dialog } from './dialog.tsx';
import { TextField } from './fields.tsx';

export function CommentDialog({
  label,
  onClose,
  onDone,
  send,
  submit,
  title,
}: {
  readonly label: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
  readonly send: (text: string) => Promise<void>;
  readonly submit: string;
  readonly title: string;
}): JSX.Element {
  const { t } = useI18n();
  const [text, setText] = useState('');
  const { attempt, failure, isBusy } = useAttempt();
  const onSubmit = (event: Event): void => {
    event.preventDefault();
    attempt(async () => {
      await send(text);
      onDone();
      return '';
    });
  };
  return (
    <Dialog onClose={onClose} title={title}>
      <form class="fields" onSubmit={onSubmit}>
        <TextField isLong isRequired label={label} onInput={setText} value={text} />
        {failure}
        <div class="actions">
          <button class="primary" disabled={isBusy} type="submit">
            {submit}
          </button>
          <button onClick={onClose} type="button">
            {t('cancel')}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
