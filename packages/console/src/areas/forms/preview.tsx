/**
 * How a version of a form looks to who fills it in, in each of its languages; and what comes of
 * values, by the same evaluation that decides. Nothing is stored.
 */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { change } from '../../http.ts';
import { LANGUAGES, type Language } from '../../i18n/language.ts';
import { useAttempt } from '../../parts/attempt.tsx';
import { Code, Data } from '../../parts/data.tsx';
import { may, useCaller } from '../../session.ts';
import { useI18n } from './i18n.ts';
import { PreviewField, type Values } from './previewField.tsx';
import type { FormStep, FormVersion, Previewed } from './types.ts';

const NAMES: Readonly<Record<Language, string>> = { ar: 'العربية', en: 'English', fr: 'Français' };

export function FormPreview({
  formId,
  of,
}: {
  readonly formId: string;
  readonly of: FormVersion;
}): JSX.Element {
  const { language: own, t } = useI18n();
  const mayTry = may(useCaller(), 'publishForms');
  const { attempt, failure, isBusy } = useAttempt();
  const languages = LANGUAGES.filter((one) => of.languages.includes(one));
  const [language, setLanguage] = useState<Language>(
    languages.includes(own) ? own : (languages[0] ?? 'fr'),
  );
  const [values, setValues] = useState<Values>({});
  const [found, setFound] = useState<Previewed>();
  const tryOut = (event: Event): void => {
    event.preventDefault();
    attempt(async () => {
      const path = `/v1/forms/${formId}/versions/${of.version_id}/preview`;
      setFound(await change<Previewed>('POST', path, { data: values }));
      return '';
    });
  };
  return (
    <section aria-labelledby="preview">
      <h2 id="preview">{t('formPreview', { version: of.version })}</h2>
      <fieldset>
        <legend class="unseen">{t('formLanguages')}</legend>
        {languages.map((one) => (
          <label class="choice" key={one}>
            <input
              checked={one === language}
              name="preview-language"
              onChange={() => setLanguage(one)}
              type="radio"
            />
            <span lang={one}>{NAMES[one]}</span>
          </label>
        ))}
      </fieldset>
      <form class="panel" onSubmit={tryOut}>
        <div dir={language === 'ar' ? 'rtl' : 'ltr'} lang={language}>
          {of.schema.steps.map((step) => (
            <Step
              found={found}
              key={step.id}
              language={language}
              of={step}
              onChange={(id, value) => setValues(withValue(values, id, value))}
              values={values}
            />
          ))}
        </div>
        {mayTry ? (
          <>
            <p class="hint">{t('formTryHint')}</p>
            <button disabled={isBusy} type="submit">
              {t('formTry')}
            </button>
          </>
        ) : null}
        {failure}
        <div aria-live="polite">{found === undefined ? null : <Outcome of={found} />}</div>
      </form>
    </section>
  );
}

/** A field without an answer is not sent. */
function withValue(values: Values, id: string, value: unknown): Values {
  const { [id]: _, ...others } = values;
  return value === undefined || value === '' ? others : { ...others, [id]: value };
}

function Step({
  found,
  language,
  of,
  onChange,
  values,
}: {
  readonly found: Previewed | undefined;
  readonly language: Language;
  readonly of: FormStep;
  readonly onChange: (id: string, value: unknown) => void;
  readonly values: Values;
}): JSX.Element {
  const fields = of.fields.filter(({ id }) => found === undefined || found.visible.includes(id));
  return (
    <>
      <h3>
        <Data text={of.title[language]} />
      </h3>
      <div class="fields">
        {fields.map((field) => (
          <PreviewField
            error={found?.errors.find((one) => one.field === field.id)?.code}
            key={field.id}
            language={language}
            of={field}
            onChange={(value) => onChange(field.id, value)}
            value={values[field.id]}
          />
        ))}
      </div>
    </>
  );
}

function Outcome({ of }: { readonly of: Previewed }): JSX.Element {
  const { t } = useI18n();
  if (of.errors.length === 0) return <p class="notice good">{t('formFine')}</p>;
  return (
    <div class="notice bad">
      {t('formErrors')}{' '}
      {of.errors.map(({ code, field }) => (
        <span class="one-of" key={field}>
          <Code text={`${field}: ${code}`} />
        </span>
      ))}
    </div>
  );
}
