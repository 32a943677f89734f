/** A session in a browser: its form, what was typed, and what is sent. */
import type { Evaluation } from '../../../src/slices/forms/evaluateForm.ts';
import { type ActiveForm, Client, type OwnSession } from './client.ts';
import { evaluate } from './evaluate.ts';
import { render } from './render.ts';

/** How a session is shown. */
export interface RenderOptions {
  /** `fr-TN`; absent: that of the session. */
  readonly locale?: string;
}

/** A session that was loaded. */
export class Onboarding {
  readonly session: OwnSession;
  readonly form: ActiveForm;
  /** What was typed, hidden fields among it: these are left out when it is sent. */
  readonly values: Record<string, unknown>;
  readonly #client: Client;

  constructor(client: Client, session: OwnSession, form: ActiveForm) {
    this.#client = client;
    this.session = session;
    this.form = form;
    this.values = { ...session.draft?.data };
  }

  /** Shows the form in `root`, which is emptied. */
  render(root: HTMLElement, options: RenderOptions = {}): void {
    render(this, root, options.locale ?? this.session.locale);
  }

  evaluate(): Evaluation {
    return evaluate(this.form, this.values);
  }

  /** Saves what is right so far; of the rest nothing is sent. */
  async save(): Promise<void> {
    await this.#send(this.evaluate().data, false);
  }

  /** Rejects with an OnboardingError, whose `errors` name the fields. */
  async submit(): Promise<void> {
    await this.#send(this.evaluate().data, true);
  }

  /** The id of the document, as a field of its kind holds it. */
  upload(kind: string, file: Blob): Promise<string> {
    return this.#client.upload(this.session.case_id, kind, file);
  }

  /** A fresh link goes to the address on file. */
  async regenerate(): Promise<void> {
    await this.#client.regenerate();
  }

  async #send(data: object, complete: boolean): Promise<void> {
    const { form_id, locale } = this.session;
    await this.#client.submit(form_id, { complete, data, locale });
  }
}

/** Loads the session of a token. Rejects with an OnboardingError; `isEnded`: it opens nothing. */
export async function load(
  token: string,
  { origin = '' }: { readonly origin?: string } = {},
): Promise<Onboarding> {
  const client = new Client(token, origin);
  const session = await client.own();
  return new Onboarding(client, session, await client.form(session.form_id));
}
