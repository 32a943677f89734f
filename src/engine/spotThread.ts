/** Entry of the thread that finds where listed names may stand in texts. */
import type { AsideTask } from './asideThread.ts';
import { NameSpotter } from './nameSpotter.ts';
import type { SpotAnswer, SpotAsk } from './ports.ts';

const spotter = new NameSpotter();

/** The function that Piscina calls. */
export function runSpot({ ask, inUse, parts }: AsideTask<SpotAsk>): SpotAnswer | undefined {
  spotter.use(inUse);
  return ask && spotter.spot(parts, ask);
}
