/** One field of a form, with the browser's own controls, in the language that is looked at. */
import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import type { Language } from '../../i18n/language.ts';
import { conditionText } from '../../parts/conditionText.ts';
import { Code, Data } from '../../parts/data.tsx';
import { useI18n } from './i18n.ts';
import type { FormField } from './types.ts';

export type Values = Readonly<Record<string, unknown>>;

interface FieldProps {
  /** Of the evaluation. */
  readonly error: string | undefined;
  readonly language: Language;
  readonly of: FormField;
  readonly onChange: (value: unknown) => void;
  readonly value: unknown;
}

export function PreviewField(of: FieldProps): JSX.Element {
  const { t } = useI18n();
  const id = useId();
  const { error, language, of: field } = of;
  const texts = field.i18n[language];
  const isTick = field.type === 'boolean' || field.type === 'consent';
  const label = (
    <label for={id}>
      <Data text={texts?.label ?? field.id} />
      {field.required ? <span aria-hidden="true"> *</span> : null}
    </label>
  );
  if (field.type === 'info') {
    return (
      <p class="hint">
        <Data text={texts?.label ?? field.id} />
      </p>
    );
  }
  return (
    <div class="field">
      {isTick ? (
        <div class="choice">
          <Control {...of} id={id} /> {label}
        </div>
      ) : (
        <>
          {label}
          <Control {...of} id={id} />
        </>
      )}
      {texts?.help === undefined ? null : (
        <p class="hint">
          <Data text={texts.help} />
        </p>
      )}
      {field.visible_if === undefined ? null : (
        <p class="hint">
          {t('formShownIf')} <Code text={conditionText(field.visible_if)} />
        </p>
      )}
      {error === undefined ? null : (
        <p class="late" id={`${id}-error`}>
          <Data text={texts?.error ?? error} />
        </p>
      )}
    </div>
  );
}

const TYPES: Readonly<Record<string, 'date' | 'email' | 'number' | 'tel' | 'text'>> = {
  date: 'date',
  decimal: 'text',
  email: 'email',
  integer: 'number',
  phone: 'tel',
};

function Control({
  error,
  id,
  language,
  of,
  onChange,
  value,
}: FieldProps & { readonly id: string }): JSX.Element {
  const { t } = useI18n();
  const described = { 'aria-describedby': error === undefined ? undefined : `${id}-error`, id };
  switch (of.type) {
    case 'boolean':
    case 'consent':
      return (
        <input
          {...described}
          checked={value === true}
          onChange={({ currentTarget }) => onChange(currentTarget.checked || undefined)}
          type="checkbox"
        />
      );
    case 'choice':
      return (
        <select
          {...described}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
          value={String(value ?? '')}
        >
          <option value="">{t('formNoAnswer')}</option>
          {of.options?.map((one) => (
            <option key={one.value} value={one.value}>
              {one.i18n[language] ?? one.value}
            </option>
          ))}
        </select>
      );
    case 'document':
      return <input {...described} disabled type="text" value={t('formDocument')} />;
    default:
      return (
        <input
          {...described}
          autocomplete="off"
          dir={of.type === 'text' || of.type === 'textarea' ? 'auto' : 'ltr'}
          onInput={({ currentTarget: input }) =>
            onChange(of.type === 'integer' ? numberOf(input) : listed(of, input.value))
          }
          // The types of Preact tell kinds apart by members that none of these has.
          type={(TYPES[of.type] ?? 'text') as 'text'}
          value={Array.isArray(value) ? value.join(', ') : String(value ?? '')}
        />
      );
  }
}

const numberOf = ({ valueAsNumber }: HTMLInputElement): number | undefined =>
  Number.isFinite(valueAsNumber) ? valueAsNumber : undefined;

/** Several choices are typed with commas. */
const listed = ({ type }: FormField, text: string): unknown => {
  if (type !== 'multi_choice' || text === '') return text;
  return text.split(',').map((one) => one.trim());
};
