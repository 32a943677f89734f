/** Whether a document is a field, upon the fields before it. */
import { checkCondition } from '#core/conditions';
import type { Violations } from '#core/kernel';
import { CONSENT_PURPOSES, DOCUMENT_KINDS } from '#slices/customers';
import { CANONICAL_NAMES, canonicalField } from './canonicalFields.ts';
import { checkValidation } from './checkValidation.ts';
import { FIELD_TYPES, type FieldType, type FormField, type FormLanguage } from './definition.ts';
import { OPTIONS_MAX } from './limits.ts';
import { FIELD_ID, ID, type SeenFields } from './seenFields.ts';
import { checkFieldTexts, checkTranslated } from './translations.ts';

/** Where a field stands. */
export interface FieldPlace {
  readonly languages: readonly FormLanguage[];
  readonly note: Violations;
  readonly pointer: string;
  readonly seen: SeenFields;
}

type Members = Readonly<Record<string, unknown>>;

const MEMBERS = ['id', 'type', 'visible_if', 'i18n'];
const OF_VALUES = ['canonical', 'required', 'required_if', 'validation'];
const VALUE_CHARS_MAX = 64;

/** Members that a field of a type has. */
function membersOf(type: FieldType | undefined): readonly string[] {
  if (type === 'info') return MEMBERS;
  const all = [...MEMBERS, ...OF_VALUES];
  if (type === 'choice' || type === 'multi_choice') return [...all, 'options'];
  if (type === 'document') return [...all, 'kind'];
  return type === 'consent' ? [...all, 'purpose', 'text_version'] : all;
}

/** The field, as far as those after it may ask it; undefined: it has no id or type. */
export function checkField(
  document: unknown,
  place: FieldPlace,
): Pick<FormField, 'id' | 'options' | 'type'> | undefined {
  const { note, pointer } = place;
  const given = (document as Members | null)?.type;
  const type = FIELD_TYPES.find((one) => one === given);
  const members = note.object(document, pointer, membersOf(type));
  if (members === undefined) return undefined;
  note.text(members.id, `${pointer}/id`, { expected: ID, form: FIELD_ID, max: 64 });
  note.oneOf(members.type, `${pointer}/type`, FIELD_TYPES);
  checkFieldTexts(members.i18n, { ...place, pointer: `${pointer}/i18n` });
  const id = String(members.id);
  if (place.seen.ids.has(id)) note.add(`${pointer}/id`, 'range', 'expected an id of its own');
  place.seen.ids.add(id);
  if (type === undefined) return undefined;
  checkDependence(members, place);
  checkCanonical(members.canonical, type, place);
  checkValidation(members.validation, { note, pointer: `${pointer}/validation`, type });
  checkOfType(members, type, place);
  return { id, type, ...optionsIn(members) };
}

function checkDependence(members: Members, { note, pointer, seen }: FieldPlace): void {
  const { required, required_if } = members;
  if (required !== undefined && typeof required !== 'boolean') {
    note.add(`${pointer}/required`, 'type', 'expected true or false');
  }
  if (required === true && required_if !== undefined) {
    note.add(`${pointer}/required_if`, 'range', 'expected none where required is true');
  }
  for (const name of ['visible_if', 'required_if'] as const) {
    if (members[name] === undefined) continue;
    const of = { known: seen.known, pointer: `${pointer}/${name}` };
    for (const one of checkCondition(members[name], of)) {
      note.add(one.pointer, one.code, one.detail);
    }
  }
}

function checkCanonical(name: unknown, type: FieldType, { note, pointer, seen }: FieldPlace): void {
  if (name === undefined) return;
  const place = `${pointer}/canonical`;
  const row = canonicalField(String(name));
  if (row === undefined) {
    note.add(place, 'unknown', `expected one of ${CANONICAL_NAMES.join(', ')}`);
    return;
  }
  if (!row.types.includes(type)) {
    note.add(place, 'type', `expected a field of type ${row.types.join(' or ')}`);
  }
  if (seen.canonical.has(String(name))) {
    note.add(place, 'range', 'expected one field at the most for a member of the case');
  }
  seen.canonical.add(String(name));
}

function checkOfType(members: Members, type: FieldType, place: FieldPlace): void {
  const { note, pointer } = place;
  if (type === 'choice' || type === 'multi_choice') checkOptions(members.options, place);
  if (type === 'document') note.oneOf(members.kind, `${pointer}/kind`, DOCUMENT_KINDS);
  if (type !== 'consent') return;
  note.oneOf(members.purpose, `${pointer}/purpose`, CONSENT_PURPOSES);
  note.text(members.text_version, `${pointer}/text_version`, { max: VALUE_CHARS_MAX });
}

function checkOptions(options: unknown, place: FieldPlace): void {
  const { note } = place;
  const pointer = `${place.pointer}/options`;
  const seen = new Set<unknown>();
  for (const [at, one] of (note.list(options, pointer, OPTIONS_MAX, 1) ?? []).entries()) {
    const members = note.object(one, `${pointer}/${at}`, ['value', 'i18n']);
    if (members === undefined) continue;
    const { i18n, value } = members;
    note.text(value, `${pointer}/${at}/value`, { max: VALUE_CHARS_MAX });
    if (typeof value === 'string' && value !== value.trim()) {
      note.add(`${pointer}/${at}/value`, 'format', 'expected no spaces around it');
    }
    if (seen.has(value)) note.add(`${pointer}/${at}/value`, 'range', 'expected each value once');
    seen.add(value);
    checkTranslated(i18n, { ...place, pointer: `${pointer}/${at}/i18n` });
  }
}

function optionsIn({ options }: Members): Pick<FormField, 'options'> {
  if (!Array.isArray(options)) return {};
  const values = options.map((one) => (one as Members | null)?.value);
  const whole = values.filter((value) => typeof value === 'string');
  return { options: whole.map((value) => ({ i18n: {}, value })) };
}
