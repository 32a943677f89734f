/** What a check over many records has found, told at once and not without end. */
import { DomainError } from '#core/kernel';

/** Refusals that are told; more of them say the same. */
const TOLD_MAX = 10;

/** Throws where there are any; else answers what is good. */
export function tellRefusals(refusals: readonly string[], good: string): string {
  if (refusals.length === 0) return good;
  const more = refusals.length > TOLD_MAX ? `; and ${refusals.length - TOLD_MAX} more` : '';
  throw new Error(refusals.slice(0, TOLD_MAX).join('; ') + more);
}

/** Looks at all of them; the messages of DomainErrors are refusals, other errors are thrown. */
export async function refusalsIn<Item>(
  items: AsyncIterable<Item> | Iterable<Item>,
  look: (item: Item) => Promise<unknown>,
): Promise<{ readonly count: number; readonly refusals: readonly string[] }> {
  const refusals: string[] = [];
  let count = 0;
  for await (const item of items) {
    count++;
    const refusal = await refusalOf(() => look(item));
    if (refusal !== undefined) refusals.push(refusal);
  }
  return { count, refusals };
}

/** The message of a refusal; undefined where the look ends well. */
async function refusalOf(look: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await look();
    return undefined;
  } catch (error) {
    if (error instanceof DomainError) return error.message;
    throw error;
  }
}
