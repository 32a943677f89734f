/** The server's own evaluation, with patterns matched by the browser. */
import { type Evaluation, evaluateForm } from '../../../src/slices/forms/evaluateForm.ts';
import { ecmaScriptSource, readPattern } from '../../../src/slices/forms/pattern.ts';
import type { ActiveForm } from './client.ts';

const kept = new Map<string, RegExp>();

function matchesOf(pattern: string): (text: string) => boolean {
  let expression = kept.get(pattern);
  if (expression === undefined) {
    expression = new RegExp(ecmaScriptSource(readPattern(pattern)), 'u');
    kept.set(pattern, expression);
  }
  const whole = expression;
  return (text) => whole.test(text);
}

/** Countries that the form knows. */
export const countriesOf = ({ schema }: Pick<ActiveForm, 'schema'>): readonly string[] =>
  schema.data.$defs?.country?.enum ?? [];

/** `today` absent: the day of the service, which counts in UTC. */
export function evaluate(
  form: Pick<ActiveForm, 'schema'>,
  values: Readonly<Record<string, unknown>>,
  today = new Date().toISOString().slice(0, 10),
): Evaluation {
  const countries = new Set(countriesOf(form));
  return evaluateForm(form, values, { isCountry: (code) => countries.has(code), matchesOf, today });
}
