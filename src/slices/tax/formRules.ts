/** Rules of forms as data (config/tax/forms.json): revisions, statuses, and how long one holds. */
import content from '../../../config/tax/forms.json' with { type: 'json' };
import type { FormInput, FormType } from './taxForm.ts';
import type { EntitySubject } from './taxSubject.ts';

/** What a status of line 5 of Form W-8BEN-E asks for, and what it says to the tables. */
export interface Chapter4Status {
  readonly facts: Partial<EntitySubject>;
  /** The part that certifies it. */
  readonly part?: string;
  readonly giin?: boolean;
  readonly owners?: boolean;
  readonly sponsor?: boolean;
  /** It holds until a change of circumstances. */
  readonly until_change?: boolean;
}

/** What a kind of entity of CRS says to the tables. */
export interface CrsEntityType {
  readonly facts: Partial<EntitySubject>;
  /** Those who control it have to be named. */
  readonly persons?: boolean;
}

interface Revision {
  readonly revision: string;
  readonly from: string;
  readonly until?: string;
}

export const FORM_FIGURES = {
  /** Days for a new form after a change of circumstances. */
  cureDays: content.cure_days,
  /** Days in which the holder has undertaken to tell of it, by Forms W-8. */
  holderDays: content.holder_days,
  /** Days before a form's end on which people are told, most first. */
  noticeDays: content.notice_days as readonly number[],
} as const;

export const CHAPTER_4 = content.chapter_4 as unknown as Readonly<Record<string, Chapter4Status>>;
export const CRS_ENTITIES = content.crs_entities as unknown as Readonly<
  Record<string, CrsEntityType>
>;
/** The 32 statuses of line 5, in its order. */
export const CHAPTER_4_STATUSES: readonly string[] = Object.keys(CHAPTER_4);
export const CRS_ENTITY_TYPES: readonly string[] = Object.keys(CRS_ENTITIES);

/** Revisions of a form of the IRS; undefined where every institution has its own. */
export const revisionsOf = (type: FormType): readonly Revision[] | undefined =>
  (content.revisions as Readonly<Record<string, readonly Revision[]>>)[type];

const W_8: ReadonlySet<FormType> = new Set(['W-8BEN', 'W-8BEN-E']);

/** Whether its holder has undertaken to tell of changes. */
export const hasHolderDuty = (type: FormType): boolean => W_8.has(type);

/**
 * The last day on which a form holds; undefined: until circumstances change. Forms W-8 hold until
 * the last day of the third calendar year after that of the signature, by the instructions of their
 * requesters. A claim of a treaty always ends so.
 */
export function lastDayOf(
  form: Pick<FormInput, 'documentary_evidence' | 'fields' | 'type'>,
  signedOn: string,
): string | undefined {
  const { documentary_evidence: isEvident, fields, type } = form;
  if (!W_8.has(type)) return undefined;
  const holds =
    type === 'W-8BEN'
      ? isEvident === true
      : CHAPTER_4[fields.chapter_4_status ?? '']?.until_change === true;
  if (holds && fields.treaty === undefined) return undefined;
  return `${Number(signedOn.slice(0, 4)) + content.succeeding_years}-12-31`;
}
