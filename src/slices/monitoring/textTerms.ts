/**
 * Places under sanctions and goods under control, as payments name them: a dated table in English,
 * French, and Arabic in Latin letters. The table is ours to date and the tenant's to judge: what it
 * finds is a value of rules, and decides nothing by itself.
 */
import table from '../../../config/tables/textTerms.json' with { type: 'json' };

/** What a term is of. */
export const TERM_KINDS = ['place', 'goods'] as const;

/** A term with all its spellings, lower case, without accents. */
export interface TextTerm {
  /** `place:crimea`, `goods:centrifuge`. */
  readonly id: string;
  readonly spellings: readonly string[];
}

/** When the table was looked through last. */
export const TERMS_AS_OF: string = table.as_of;

/** All of them, by id. */
export const TEXT_TERMS: readonly TextTerm[] = TERM_KINDS.flatMap((kind) =>
  Object.entries(table[kind]).map(([id, spellings]) => ({ id: `${kind}:${id}`, spellings })),
).sort((one, other) => (one.id < other.id ? -1 : 1));
