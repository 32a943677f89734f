/**
 * A form in steps. Fields appear and disappear as their conditions say; what is wrong is told
 * beside each field and in a list above them, which gets the focus.
 */
import type { FormField, FormLanguage } from '../../../src/slices/forms/definition.ts';
import type { FieldError } from '../../../src/slices/forms/evaluateForm.ts';
import { OnboardingError } from './client.ts';
import { control, idOf } from './control.ts';
import { make } from './dom.ts';
import { countriesOf, evaluate } from './evaluate.ts';
import type { Onboarding } from './onboarding.ts';
import { endedPage } from './pages.ts';
import { LANGUAGE_NAMES, languageOf, WORDS } from './words.ts';

/** Shows a session in `root`. */
export function render(onboarding: Onboarding, root: HTMLElement, locale: string): void {
  const language = languageOf([locale], onboarding.form.languages);
  if (onboarding.session.submitted) donePage(onboarding, root, language);
  else new View(onboarding, root, language).show(0);
}

/** Says in which language, and from which side, the page is read. */
export function speak(root: HTMLElement, language: FormLanguage): void {
  root.lang = language;
  root.dir = language === 'ar' ? 'rtl' : 'ltr';
}

class View {
  readonly #onboarding: Onboarding;
  readonly #root: HTMLElement;
  #language: FormLanguage;
  #at = 0;
  #isBusy = false;

  constructor(onboarding: Onboarding, root: HTMLElement, language: FormLanguage) {
    this.#onboarding = onboarding;
    this.#root = root;
    this.#language = language;
  }

  get #words() {
    return WORDS[this.#language];
  }

  show(at: number): void {
    const { languages, schema } = this.#onboarding.form;
    const step = schema.steps[at];
    if (step === undefined) return;
    this.#at = at;
    speak(this.#root, this.#language);
    const words = this.#words;
    const count = schema.steps.length;
    const title = make('h1', { tabindex: '-1' }, step.title[this.#language] ?? step.id);
    const form = make('form', { novalidate: true });
    const place = words.step.replace('{at}', String(at + 1)).replace('{of}', String(count));
    const isLast = at === count - 1;
    const buttons = make(
      'div',
      { class: 'buttons' },
      make('button', { type: 'submit' }, isLast ? words.submit : words.continue),
    );
    if (at > 0) buttons.append(this.#button(words.back, () => this.show(at - 1)));
    buttons.append(this.#button(words.save, () => this.#save()));
    form.append(
      make('div', { class: 'problems', role: 'alert', tabindex: '-1' }),
      make('div', { class: 'fields' }),
      buttons,
      make('p', { class: 'status', role: 'status' }),
    );
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#goOn(isLast);
    });
    this.#root.replaceChildren(
      ...(languages.length > 1 ? [this.#languages()] : []),
      make('p', { class: 'place' }, place),
      title,
      form,
    );
    this.#fill();
    title.focus();
  }

  #button(text: string, press: () => unknown): HTMLElement {
    const button = make('button', { class: 'other', type: 'button' }, text);
    button.addEventListener('click', () => void press());
    return button;
  }

  #languages(): HTMLElement {
    const nav = make('nav', { 'aria-label': this.#words.language, class: 'languages' });
    for (const language of this.#onboarding.form.languages) {
      const button = this.#button(LANGUAGE_NAMES[language], () => {
        this.#language = language;
        this.show(this.#at);
      });
      button.lang = language;
      if (language === this.#language) button.setAttribute('aria-current', 'true');
      nav.append(button);
    }
    return nav;
  }

  #part(name: string): HTMLElement {
    const found = this.#root.querySelector<HTMLElement>(`.${name}`);
    if (found === null) throw new Error(`the page has no ${name}`);
    return found;
  }

  #fieldsHere(): readonly FormField[] {
    return this.#onboarding.form.schema.steps[this.#at]?.fields ?? [];
  }

  /** Puts the fields that are to be seen in their places, and leaves those that are there alone. */
  #fill(): void {
    const { visible } = this.#onboarding.evaluate();
    const fields = this.#part('fields');
    let before: Element | null = null;
    for (const field of this.#fieldsHere()) {
      const shown: Element | null = fields.querySelector(`:scope > [data-field="${field.id}"]`);
      if (!visible.includes(field.id)) {
        shown?.remove();
        continue;
      }
      const element: Element = shown ?? this.#fieldOf(field);
      if (shown === null) {
        if (before === null) fields.prepend(element);
        else before.after(element);
      }
      before = element;
    }
  }

  #fieldOf(field: FormField): HTMLElement {
    const { form, values } = this.#onboarding;
    const element = control({
      changed: (value) => {
        if (value === undefined) delete values[field.id];
        else values[field.id] = value;
        this.#mark(field, '');
        this.#fill();
      },
      countries: countriesOf(form),
      field,
      isRequired: field.required === true || this.#isDemanded(field),
      language: this.#language,
      upload: (file) => this.#upload(field, file),
      value: values[field.id],
      words: this.#words,
    });
    element.dataset.field = field.id;
    return element;
  }

  #isDemanded(field: FormField): boolean {
    const { form, values } = this.#onboarding;
    const without = { ...values, [field.id]: undefined };
    return evaluate(form, without).errors.some(
      (one) => one.field === field.id && one.code === 'required',
    );
  }

  async #upload(field: FormField, file: File): Promise<string> {
    const { values } = this.#onboarding;
    try {
      values[field.id] = await this.#onboarding.upload(field.kind ?? 'other', file);
      this.#fill();
      return `${this.#words.chosen}: ${file.name}`;
    } catch (error) {
      if (this.#end(error)) return '';
      const isRefused = error instanceof OnboardingError && error.status >= 400;
      return isRefused ? this.#words.fileRefused : this.#words.failed;
    }
  }

  async #goOn(isLast: boolean): Promise<void> {
    const here = new Set(this.#fieldsHere().map(({ id }) => id));
    const errors = this.#onboarding.evaluate().errors.filter(({ field }) => here.has(field));
    if (this.#tell(errors)) return;
    if (!isLast) {
      if (await this.#act(() => this.#onboarding.save(), '')) this.show(this.#at + 1);
      return;
    }
    const all = this.#onboarding.evaluate().errors;
    if (all.length > 0) return this.#showFirst(all);
    if (await this.#act(() => this.#onboarding.submit(), '')) {
      donePage(this.#onboarding, this.#root, this.#language);
    }
  }

  /** The step with the first field that is wrong. */
  #showFirst(errors: readonly FieldError[]): void {
    const { steps } = this.#onboarding.form.schema;
    const wrong = new Set(errors.map(({ field }) => field));
    this.show(steps.findIndex(({ fields }) => fields.some(({ id }) => wrong.has(id))));
    this.#tell(errors);
  }

  /** Whether anything is wrong. */
  #tell(errors: readonly FieldError[]): boolean {
    const list = make('ul');
    for (const field of this.#fieldsHere()) {
      const found = errors.find((one) => one.field === field.id);
      const text = found === undefined ? '' : this.#textOf(field, found);
      const input = this.#mark(field, text);
      if (found === undefined) continue;
      const label = field.i18n[this.#language]?.label ?? field.id;
      const link = make('a', { href: `#${idOf(field)}` }, `${label}: ${text}`);
      link.addEventListener('click', (event) => {
        event.preventDefault();
        input?.focus();
      });
      list.append(make('li', {}, link));
    }
    const problems = this.#part('problems');
    problems.replaceChildren();
    if (list.children.length === 0) return false;
    problems.append(make('p', {}, this.#words.problems), list);
    problems.focus();
    return true;
  }

  /** Says beside a field what is wrong with it, or that nothing is. */
  #mark(field: FormField, text: string): HTMLElement | null {
    const input = this.#root.querySelector<HTMLElement>(`#${CSS.escape(idOf(field))}`);
    const place = this.#root.querySelector(`#${CSS.escape(idOf(field, '-error'))}`);
    if (place !== null) place.textContent = text;
    if (text === '') input?.removeAttribute('aria-invalid');
    else input?.setAttribute('aria-invalid', 'true');
    return input;
  }

  #textOf(field: FormField, { code }: Pick<FieldError, 'code'>): string {
    if (code === 'required') return this.#words.missing;
    return field.i18n[this.#language]?.error ?? this.#words.wrong;
  }

  #save(): Promise<boolean> {
    return this.#act(() => this.#onboarding.save(), this.#words.saved);
  }

  /** Whether it was done; what came of it is told. */
  async #act(act: () => Promise<void>, done: string): Promise<boolean> {
    if (this.#isBusy) return false;
    this.#isBusy = true;
    const status = this.#part('status');
    status.textContent = this.#words.loading;
    try {
      await act();
      status.textContent = done;
      return true;
    } catch (error) {
      if (!this.#end(error)) this.#told(error, status);
      return false;
    } finally {
      this.#isBusy = false;
    }
  }

  #told(error: unknown, status: HTMLElement): void {
    if (!(error instanceof OnboardingError)) throw error;
    status.textContent = error.status === 426 ? this.#words.old : this.#words.failed;
    const wrong = error.errors.map(({ code, pointer }) => ({
      code: code as FieldError['code'],
      field: pointer.replace(/^\/data\//, ''),
    }));
    if (error.code === 'submission-invalid' && wrong.length > 0) this.#showFirst(wrong);
  }

  /** Whether the session is over, which is told in the place of the form. */
  #end(error: unknown): boolean {
    if (!(error instanceof OnboardingError) || !error.isEnded) return false;
    endedPage(this.#root, this.#language, () => this.#onboarding.regenerate());
    return true;
  }
}

function donePage({ session }: Onboarding, root: HTMLElement, language: FormLanguage): void {
  const words = WORDS[language];
  speak(root, language);
  const title = make('h1', { tabindex: '-1' }, words.done);
  root.replaceChildren(title, make('p', {}, words.doneMore));
  if (session.return_url !== null) {
    root.append(make('a', { class: 'button', href: session.return_url }, words.return));
  }
  title.focus();
}
