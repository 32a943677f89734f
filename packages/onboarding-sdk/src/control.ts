/** The controls of a field, each tied to its label, its help and its error. */
import type { FormField, FormLanguage } from '../../../src/slices/forms/definition.ts';
import { make } from './dom.ts';
import type { Words } from './words.ts';

/** What a control is made of. */
export interface ControlOf {
  readonly field: FormField;
  readonly language: FormLanguage;
  readonly words: Words;
  readonly countries: readonly string[];
  readonly value: unknown;
  readonly isRequired: boolean;
  /** Called with undefined where the value was taken away. */
  readonly changed: (value: unknown) => void;
  /** Sends a document; resolves to what is shown beside it. */
  readonly upload: (file: File) => Promise<string>;
}

export const idOf = (field: Pick<FormField, 'id'>, part = ''): string => `f-${field.id}${part}`;

const TEXT_TYPES: Readonly<Partial<Record<FormField['type'], string>>> = {
  date: 'date',
  email: 'email',
  phone: 'tel',
};
/** For the browser's own filling in (WCAG 1.3.5). */
const AUTOCOMPLETE: Readonly<Record<string, string>> = {
  'address.city': 'address-level2',
  'address.line1': 'address-line1',
  'address.line2': 'address-line2',
  'address.postal_code': 'postal-code',
  'address.region': 'address-level1',
  country_residence: 'country',
  dob: 'bday',
  email: 'email',
  first_name: 'given-name',
  full_name: 'name',
  last_name: 'family-name',
  phone: 'tel',
};

/** A field as it is shown. */
export function control(of: ControlOf): HTMLElement {
  const { field, language } = of;
  const texts = field.i18n[language];
  const label = texts?.label ?? field.id;
  if (field.type === 'info') return make('p', { class: 'info' }, label);
  const isGroup = field.type === 'multi_choice' || field.type === 'boolean';
  const name = make('span', {}, label);
  if (!of.isRequired) name.append(make('small', {}, ` (${of.words.optional})`));
  const shared = {
    'aria-describedby': [
      ...(texts?.help === undefined ? [] : [idOf(field, '-help')]),
      idOf(field, '-error'),
    ].join(' '),
    'aria-required': of.isRequired && !isGroup ? 'true' : undefined,
    id: idOf(field),
  };
  const help = texts?.help && make('p', { class: 'help', id: idOf(field, '-help') }, texts.help);
  const error = make('p', { class: 'error', id: idOf(field, '-error') });
  const beside = [...(help ? [help] : []), error];
  if (isGroup) {
    const group = make('fieldset', { ...shared, tabindex: '-1' }, make('legend', {}, name));
    group.append(...choices(of), ...beside);
    return make('div', { class: 'field' }, group);
  }
  if (field.type === 'consent') {
    return make('div', { class: 'field consent' }, tick(of, shared, name), ...beside);
  }
  const input = inputOf(of, shared);
  const heading = make('label', { for: idOf(field) }, name);
  return make('div', { class: 'field' }, heading, ...beside.slice(0, -1), ...input, error);
}

type Shared = Readonly<Record<string, string | undefined>>;

function tick({ changed, value }: ControlOf, shared: Shared, name: HTMLElement): HTMLElement {
  const box = make('input', { ...shared, checked: value === true, type: 'checkbox' });
  box.addEventListener('change', () => changed(box.checked ? true : undefined));
  return make('label', { class: 'choice' }, box, name);
}

/** Radio buttons or boxes under one legend. */
function choices({ changed, field, language, value, words }: ControlOf): readonly HTMLElement[] {
  const isMany = field.type === 'multi_choice';
  const chosen = new Set(Array.isArray(value) ? value : []);
  const options = isMany
    ? (field.options ?? []).map((one) => ({ ...one, text: one.i18n[language] ?? one.value }))
    : [
        { text: words.yes, value: true },
        { text: words.no, value: false },
      ];
  return options.map((one) => {
    const box = make('input', {
      checked: isMany ? chosen.has(one.value) : value === one.value,
      name: idOf(field),
      type: isMany ? 'checkbox' : 'radio',
      value: String(one.value),
    });
    box.addEventListener('change', () => {
      if (!isMany) return changed(one.value);
      if (box.checked) chosen.add(one.value);
      else chosen.delete(one.value);
      changed(chosen.size === 0 ? undefined : [...chosen]);
    });
    return make('label', { class: 'choice' }, box, make('span', {}, one.text));
  });
}

function inputOf(of: ControlOf, shared: Shared): readonly HTMLElement[] {
  const { changed, field } = of;
  if (field.type === 'document') return documentInput(of, shared);
  if (field.type === 'choice' || field.type === 'country') return [selectOf(of, shared)];
  const value = of.value === undefined ? '' : String(of.value);
  if (field.type === 'textarea') {
    const area = make('textarea', { ...shared, rows: '4' });
    area.value = value;
    area.addEventListener('input', () => changed(area.value === '' ? undefined : area.value));
    return [area];
  }
  const input = make('input', {
    ...shared,
    autocomplete: AUTOCOMPLETE[field.canonical ?? ''],
    dir: field.type === 'text' ? 'auto' : undefined,
    inputmode: field.type === 'integer' || field.type === 'decimal' ? 'decimal' : undefined,
    type: TEXT_TYPES[field.type] ?? 'text',
  });
  input.value = value;
  input.addEventListener('input', () => changed(input.value === '' ? undefined : input.value));
  return [input];
}

function selectOf(of: ControlOf, shared: Shared): HTMLElement {
  const { changed, countries, field, language, value, words } = of;
  const select = make('select', {
    ...shared,
    autocomplete: AUTOCOMPLETE[field.canonical ?? ''],
  });
  const names = new Intl.DisplayNames([language], { type: 'region' });
  const options =
    field.type === 'country'
      ? countries
          .map((code) => ({ text: names.of(code) ?? code, value: code }))
          .sort((one, other) => one.text.localeCompare(other.text, language))
      : (field.options ?? []).map((one) => ({
          text: one.i18n[language] ?? one.value,
          value: one.value,
        }));
  select.append(make('option', { value: '' }, words.choose));
  for (const one of options) {
    const isChosen = one.value === value;
    select.append(make('option', { selected: isChosen, value: one.value }, one.text));
  }
  select.addEventListener('change', () => changed(select.value === '' ? undefined : select.value));
  return select;
}

function documentInput({ upload, value, words }: ControlOf, shared: Shared) {
  const input = make('input', {
    ...shared,
    accept: 'image/jpeg,image/png,application/pdf',
    type: 'file',
  });
  const state = make('p', { class: 'state', role: 'status' });
  state.textContent = value === undefined ? words.file : words.chosen;
  input.addEventListener('change', () => {
    const [file] = input.files ?? [];
    if (file === undefined) return;
    state.textContent = words.uploading;
    void upload(file).then((text) => {
      state.textContent = text;
    });
  });
  return [input, state];
}
