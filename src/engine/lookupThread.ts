/** Entry of the thread that looks entries up by what a person types. */
import type { AsideTask } from './asideThread.ts';
import { NameLookup } from './nameLookup.ts';
import type { LookupAnswer, LookupAsk } from './ports.ts';

const lookup = new NameLookup();

/** The function that Piscina calls. */
export function runLookup({ ask, inUse, parts }: AsideTask<LookupAsk>): LookupAnswer | undefined {
  lookup.use(inUse);
  return ask && lookup.search(parts, ask);
}
