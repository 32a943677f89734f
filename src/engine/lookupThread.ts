/** Entry of the thread that looks entries up by what a person types. */
import { type LookupPart, NameLookup } from './nameLookup.ts';
import type { LookupAnswer, LookupAsk } from './ports.ts';

/** A look-up, or without an ask only the parts that are in use now. */
export interface LookupTask {
  readonly inUse: readonly Pick<LookupPart, 'buffer'>[];
  readonly parts: readonly LookupPart[];
  readonly ask?: LookupAsk;
}

const lookup = new NameLookup();

/** The function that Piscina calls. */
export function runLookup({ ask, inUse, parts }: LookupTask): LookupAnswer | undefined {
  lookup.use(inUse);
  return ask && lookup.search(parts, ask);
}
