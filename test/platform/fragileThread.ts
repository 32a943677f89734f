/** A thread entry that fails to start the second time that it is started, and dies when told so. */
import { appendFileSync, readFileSync } from 'node:fs';

const starts = process.env.FRAGILE_STARTS ?? '';
appendFileSync(starts, '.');
if (readFileSync(starts, 'utf8').length === 2) throw new Error('no room for another thread');

export function answer(word: string): string {
  if (word === 'die') process.exit(1);
  return word;
}
