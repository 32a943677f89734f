/**
 * What a version changes against the one in force: fields that came, went and changed, and how much
 * of a change that is. Who has the former version can go on with a minor one; a major one takes
 * something away or asks for more.
 */
import { canonicalJson } from '#platform/canonicalJson';
import {
  type FieldValidation,
  type FormDefinition,
  type FormField,
  fieldsIn,
} from './definition.ts';

/** How much of a change it is, least first. */
export const CHANGE_SIZES = ['patch', 'minor', 'major'] as const;
/** One of CHANGE_SIZES. */
export type ChangeSize = (typeof CHANGE_SIZES)[number];

/** Ids of fields, sorted, and the size of the whole change. */
export interface FormDiff {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  readonly size: ChangeSize;
}

type Content = Pick<FormDefinition, 'languages' | 'schema'>;

/** Without a former version every field is new. */
export function diffForms(before: Content | undefined, after: Content): FormDiff {
  const [former, next] = [fieldsOf(before), fieldsOf(after)];
  const added = [...next.keys()].filter((id) => !former.has(id)).sort();
  const removed = [...former.keys()].filter((id) => !next.has(id)).sort();
  const sizes: ChangeSize[] = [];
  const changed: string[] = [];
  for (const [id, field] of next) {
    const old = former.get(id);
    if (old === undefined || canonicalJson(old as never) === canonicalJson(field as never))
      continue;
    changed.push(id);
    sizes.push(fieldChange(old, field));
  }
  if (added.length > 0) sizes.push('minor');
  if (removed.length > 0) sizes.push('major');
  if (before !== undefined) sizes.push(languageChange(before, after), orderChange(former, next));
  return { added, changed: changed.sort(), removed, size: largest(sizes) };
}

const fieldsOf = (content: Content | undefined): ReadonlyMap<string, FormField> =>
  new Map(content === undefined ? [] : fieldsIn(content.schema).map((one) => [one.id, one]));

/** The largest of several; none: a patch. */
export const largest = (sizes: readonly ChangeSize[]): ChangeSize =>
  CHANGE_SIZES.findLast((size) => sizes.includes(size)) ?? 'patch';

/** The label behind `former`; the first one is 1.0.0. */
export function nextLabel(former: string | undefined, size: ChangeSize): string {
  if (former === undefined) return '1.0.0';
  const [major = 0, minor = 0, patch = 0] = former.split('.').map(Number);
  if (size === 'major') return `${major + 1}.0.0`;
  return size === 'minor' ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch + 1}`;
}

function languageChange(before: Content, after: Content): ChangeSize {
  if (before.languages.some((one) => !after.languages.includes(one))) return 'major';
  return after.languages.length > before.languages.length ? 'minor' : 'patch';
}

/** Fields that both have, in another order. */
function orderChange(
  former: ReadonlyMap<string, FormField>,
  next: ReadonlyMap<string, FormField>,
): ChangeSize {
  const kept = [...former.keys()].filter((id) => next.has(id));
  const now = [...next.keys()].filter((id) => former.has(id));
  return kept.join() === now.join() ? 'patch' : 'minor';
}

/** Members whose change makes another field of it. */
const IDENTITY = ['type', 'canonical', 'kind', 'purpose'] as const;
const CONDITIONS = ['visible_if', 'required_if', 'text_version'] as const;

function fieldChange(before: FormField, after: FormField): ChangeSize {
  const differs = (name: keyof FormField): boolean => textOf(before[name]) !== textOf(after[name]);
  const values = (field: FormField): readonly string[] =>
    (field.options ?? []).map(({ value }) => value);
  const isGone = values(before).some((value) => !values(after).includes(value));
  const isDemanded =
    (after.required === true && before.required !== true) ||
    (after.required_if !== undefined && isOptional(before));
  if (IDENTITY.some(differs) || isGone || isDemanded || isNarrowed(before, after)) return 'major';
  const isMore = values(after).length > values(before).length;
  const isLess = before.required === true && after.required !== true;
  const isWider = textOf(before.validation) !== textOf(after.validation);
  return CONDITIONS.some(differs) || isMore || isLess || isWider ? 'minor' : 'patch';
}

const isOptional = ({ required, required_if }: FormField): boolean =>
  required !== true && required_if === undefined;

const textOf = (value: unknown): string =>
  value === undefined ? '' : canonicalJson(value as never);

/** Whether a value that was taken may be refused now. */
function isNarrowed(
  { validation: before = {} }: FormField,
  { validation: after = {} }: FormField,
): boolean {
  const isRaised = (name: 'min' | 'min_length'): boolean => isBeyond(after[name], before[name]);
  const isLowered = (name: 'max' | 'max_length'): boolean =>
    after[name] !== undefined && isBeyond(before[name] ?? Number.POSITIVE_INFINITY, after[name]);
  const isOther = (name: keyof FieldValidation): boolean =>
    after[name] !== undefined && after[name] !== before[name];
  return (
    isRaised('min') ||
    isRaised('min_length') ||
    isLowered('max') ||
    isLowered('max_length') ||
    // Whether another pattern or day takes less is not looked into.
    (['pattern', 'check', 'min_date', 'max_date'] as const).some(isOther)
  );
}

const isBeyond = (one: number | undefined, other: number | undefined): boolean =>
  one !== undefined && one > (other ?? Number.NEGATIVE_INFINITY);
