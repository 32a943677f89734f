/** Why a hit is somebody else, as the API names it; and which reason the comparison suggests. */
import type { Hit } from '../types.ts';

export const REASONS = [
  'name_only',
  'dob_differs',
  'nationality_differs',
  'gender_differs',
  'entity_type_differs',
  'id_differs',
  'deceased',
  'other',
] as const;
export type Reason = (typeof REASONS)[number];

export const COMMENT_CHARS_MIN = 20;

/** What differs most plainly; the person may choose another. */
export function suggestedReason(hit: Hit | undefined): Reason | '' {
  if (hit === undefined) return '';
  if (hit.candidate.dobScore === 0) return 'dob_differs';
  if (hit.candidate.nationalityScore === 0) return 'nationality_differs';
  return 'name_only';
}
