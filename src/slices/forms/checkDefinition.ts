/** Whether a document is a form that can be filled in, with every violation and where it stands. */
import { type Violation, Violations } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { checkField } from './checkField.ts';
import { FORM_LANGUAGES, type FormLanguage, kindOf } from './definition.ts';
import { DEFINITION_BYTES_MAX, FIELDS_MAX, STEPS_MAX } from './limits.ts';
import { FIELD_ID, ID, type SeenFields } from './seenFields.ts';
import { checkTranslated } from './translations.ts';

/** What authors send. */
export interface GivenDefinition {
  readonly languages: unknown;
  readonly schema: unknown;
  /** A new form has one. */
  readonly name?: unknown;
}

/** Empty: they are the languages and the schema of a form. */
export function checkDefinition({
  languages,
  name,
  schema,
}: GivenDefinition): readonly Violation[] {
  const note = new Violations();
  const known = checkLanguages(languages, note);
  if (name !== undefined) checkTranslated(name, { languages: known, note, pointer: '/name' });
  const members = note.object(schema, '/schema', ['steps']);
  const steps = members && note.list(members.steps, '/schema/steps', STEPS_MAX, 1);
  if (steps === undefined) return note.all;
  const seen: SeenFields = { canonical: new Set(), ids: new Set(), known: new Map() };
  const stepIds = new Set<string>();
  for (const [at, step] of steps.entries()) {
    checkStep(step, { languages: known, note, pointer: `/schema/steps/${at}`, seen, stepIds });
  }
  if (seen.ids.size > FIELDS_MAX) {
    note.add('/schema/steps', 'range', `expected ${FIELDS_MAX} fields at the most`);
  }
  if (note.all.length === 0 && byteLength(schema) > DEFINITION_BYTES_MAX) {
    note.add('/schema', 'range', `expected ${DEFINITION_BYTES_MAX} bytes at the most`);
  }
  return note.all;
}

const byteLength = (schema: unknown): number =>
  Buffer.byteLength(canonicalJson(schema as never), 'utf8');

function checkLanguages(languages: unknown, note: Violations): readonly FormLanguage[] {
  const list = note.list(languages, '/languages', FORM_LANGUAGES.length, 1) ?? [];
  for (const [at, one] of list.entries()) note.oneOf(one, `/languages/${at}`, FORM_LANGUAGES);
  if (new Set(list).size !== list.length) note.add('/languages', 'range', 'expected each once');
  return FORM_LANGUAGES.filter((one) => list.includes(one));
}

function checkStep(
  step: unknown,
  of: {
    readonly languages: readonly FormLanguage[];
    readonly note: Violations;
    readonly pointer: string;
    readonly seen: SeenFields;
    readonly stepIds: Set<string>;
  },
): void {
  const { languages, note, pointer, seen, stepIds } = of;
  const members = note.object(step, pointer, ['id', 'title', 'fields']);
  if (members === undefined) return;
  note.text(members.id, `${pointer}/id`, { expected: ID, form: FIELD_ID, max: 64 });
  if (stepIds.has(String(members.id))) note.add(`${pointer}/id`, 'range', 'expected another id');
  stepIds.add(String(members.id));
  checkTranslated(members.title, { languages, note, pointer: `${pointer}/title` });
  const fields = note.list(members.fields, `${pointer}/fields`, FIELDS_MAX, 1) ?? [];
  for (const [at, field] of fields.entries()) {
    const checked = checkField(field, {
      languages,
      note,
      pointer: `${pointer}/fields/${at}`,
      seen,
    });
    if (checked === undefined) continue;
    const kind = kindOf(checked.type);
    if (kind === undefined) continue;
    const words = checked.options?.map(({ value }) => value);
    seen.known.set(checked.id, { kind, ...(words !== undefined && { words }) });
  }
}
