/** A dialog that asks for words, and sends them. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useI18n } from '../i18n/index.ts';
import { Dialog } from './dialog.tsx';
import { TextField } from './fields.tsx';
import { Failure } from './frame.tsx';

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
  const [error, setError] = useState<unknown>();
  const onSubmit = async (event: Event): Promise<void> => {
    event.preventDefault();
    try {
      await send(text);
      onDone();
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <Dialog onClose={onClose} title={title}>
      <form class="fields" onSubmit={onSubmit}>
        <TextField isLong isRequired label={label} onInput={setText} value={text} />
        {error === undefined ? null : <Failure error={error} />}
        <div class="actions">
          <button class="primary" type="submit">
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
