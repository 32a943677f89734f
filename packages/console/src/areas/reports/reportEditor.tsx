/** What a report says, changed: its story in fields, parties and transactions as their document. */
import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { change, send } from '../../http.ts';
import { TextField } from '../../parts/fields.tsx';
import { Failure } from '../../parts/frame.tsx';
import { Faults, JsonField } from '../../parts/jsonField.tsx';
import { useToast } from '../../parts/toast.tsx';
import { Problem, type Violation } from '../../problem.ts';
import { useI18n } from './i18n.ts';
import type { StepProps } from './reportActions.tsx';
import { type Content, pathOf } from './types.ts';

/** Members that have fields of their own, or none. */
const BESIDE: ReadonlySet<string> = new Set(['action', 'attachments', 'indicators', 'narrative']);
const INDENT = 2;

const restOf = (content: Content): object =>
  Object.fromEntries(Object.entries(content).filter(([name]) => !BESIDE.has(name)));

export function ReportEditor({
  content,
  of,
  onChanged,
}: StepProps & { readonly content: Content }): JSX.Element {
  const { t } = useI18n();
  const toast = useToast();
  const [narrative, setNarrative] = useState(content.narrative ?? '');
  const [action, setAction] = useState(content.action ?? '');
  const [indicators, setIndicators] = useState((content.indicators ?? []).join(', '));
  const [rest, setRest] = useState(() => JSON.stringify(restOf(content), null, INDENT));
  const [error, setError] = useState<unknown>();
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setError(undefined);
    try {
      await change('PATCH', pathOf(of), bodyOf(content, { action, indicators, narrative, rest }), {
        'If-Match': of.etag,
      });
      toast(t('isSaved'));
      onChanged();
    } catch (failure) {
      setError(failure);
    }
  };
  const violations: readonly Violation[] = error instanceof Problem ? error.errors : [];
  const isOwn = ({ pointer }: Violation): boolean => BESIDE.has(pointer.split('/')[1] ?? '');
  return (
    <details>
      <summary>{t('changeIt')}</summary>
      <form class="fields one-column" onSubmit={submit}>
        <p class="hint">{t('changeHint')}</p>
        <TextField isLong label={t('narrative')} onInput={setNarrative} value={narrative} />
        <TextField isLong label={t('action')} onInput={setAction} value={action} />
        <TextField
          dir="ltr"
          hint={t('indicatorsHint')}
          label={t('indicators')}
          onInput={setIndicators}
          value={indicators}
        />
        <JsonField
          label={t('partiesDocument')}
          onInput={setRest}
          rows={14}
          value={rest}
          violations={violations.filter((one) => !isOwn(one))}
        />
        {error === undefined ? null : <Failure error={error} />}
        {violations.some(isOwn) ? <Faults of={violations.filter(isOwn)} /> : null}
        <div class="actions">
          <button class="primary" type="submit">
            {t('save')}
          </button>
        </div>
      </form>
      <Attach of={of} onChanged={onChanged} />
    </details>
  );
}

/** What is given replaces; what was there and is empty now is taken away. */
function bodyOf(
  content: Content,
  given: {
    readonly action: string;
    readonly indicators: string;
    readonly narrative: string;
    readonly rest: string;
  },
): object {
  const rest = JSON.parse(given.rest) as Readonly<Record<string, unknown>>;
  const words = given.indicators.split(',').flatMap((one) => one.trim() || []);
  const next = {
    ...rest,
    ...(given.action !== '' && { action: given.action }),
    ...(given.narrative !== '' && { narrative: given.narrative }),
    ...(words.length > 0 && { indicators: words }),
  };
  const clear = Object.keys(content).filter(
    (name) => name !== 'attachments' && !isEmpty(content[name]) && !(name in next),
  );
  return { ...next, ...(clear.length > 0 && { clear }) };
}

const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

function Attach({ of, onChanged }: StepProps): JSX.Element {
  const { t } = useI18n();
  const id = useId();
  const [error, setError] = useState<unknown>();
  const attach = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    setError(undefined);
    try {
      const body = new FormData();
      body.set('file', file, file.name);
      await send(`/console/api${pathOf(of)}/attachments`, {
        body,
        headers: { 'Idempotency-Key': crypto.randomUUID(), 'If-Match': of.etag },
        method: 'POST',
      });
      onChanged();
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <div class="field">
      <label for={id}>{t('attach')}</label>
      <input
        id={id}
        onChange={(event) => void attach(event.currentTarget.files?.[0])}
        type="file"
      />
      {error === undefined ? null : <Failure error={error} />}
    </div>
  );
}
