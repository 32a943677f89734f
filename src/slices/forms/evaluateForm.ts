/**
 * A form with values: what is shown, what is wrong, what is kept and what is left out. The server
 * decides by this file, and the page by the same one: pure, without time, network or storage. A
 * hidden field is absent for those after it, never required, and its value is left out by name.
 */
import { compileCondition, type Holds } from '#core/conditions';
import { type FormField, type FormSchema, fieldsIn } from './definition.ts';
import { type FormValue, judgeValue, type ValueContext, type ValueFault } from './fieldValue.ts';

/** How patterns are matched; each engine brings its own. */
export type MatchesOf = ValueContext['matchesOf'];

/** Something is wrong with the value of a field, or it has none. */
export interface FieldError {
  readonly field: string;
  readonly code: ValueFault;
}

/** What came of the values. */
export interface Evaluation {
  /** Ids of the fields that are shown. */
  readonly visible: readonly string[];
  readonly errors: readonly FieldError[];
  /** Values that are kept, by field. */
  readonly data: Readonly<Record<string, FormValue>>;
  /** Names of what was sent and left out: hidden fields, and those that the form does not have. */
  readonly ignored: readonly string[];
}

interface Compiled {
  readonly field: FormField;
  readonly isVisible: Holds | undefined;
  readonly isRequired: Holds | undefined;
}

const compiled = new WeakMap<FormSchema, readonly Compiled[]>();

/** The values of a form, judged. `values` is by field id, as it was typed or sent. */
export function evaluateForm(
  { schema }: { readonly schema: FormSchema },
  values: Readonly<Record<string, unknown>>,
  context: ValueContext,
): Evaluation {
  const data: Record<string, FormValue> = Object.create(null);
  const visible: string[] = [];
  const errors: FieldError[] = [];
  const known = new Set<string>();
  const ignored: string[] = [];
  for (const { field, isRequired, isVisible } of compile(schema)) {
    const { id } = field;
    known.add(id);
    const given = Object.hasOwn(values, id) ? values[id] : undefined;
    const isGiven = given !== undefined && given !== null;
    if (isVisible !== undefined && !isVisible(data)) {
      if (isGiven) ignored.push(id);
      continue;
    }
    visible.push(id);
    if (field.type === 'info') {
      if (isGiven) ignored.push(id);
      continue;
    }
    const judged = isGiven ? judgeValue(field, given, context) : { value: undefined };
    if ('fault' in judged) errors.push({ code: judged.fault, field: id });
    else if (judged.value !== undefined) data[id] = judged.value;
    else if (field.required === true || isRequired?.(data)) {
      errors.push({ code: 'required', field: id });
    }
  }
  ignored.push(...Object.keys(values).filter((name) => !known.has(name)));
  return { data: { ...data }, errors, ignored, visible };
}

function compile(schema: FormSchema): readonly Compiled[] {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  const made = fieldsIn(schema).map((field) => ({
    field,
    isRequired: field.required_if && compileCondition(field.required_if),
    isVisible: field.visible_if && compileCondition(field.visible_if),
  }));
  compiled.set(schema, made);
  return made;
}
