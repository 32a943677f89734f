/** Which names are spelt in several ways, since they were written in another script. */
import { hasArabic } from '../arabicVariants.ts';
import { hasReadings } from '../readings/scriptNames.ts';

/** Whether a folded name has words that are spelt in several ways. */
export function isSpelt(name: string): boolean {
  return hasArabic(name) || hasReadings(name);
}
