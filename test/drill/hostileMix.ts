/**
 * The process that attacks: not the one that measures, so that its own work is no part of the
 * figures. Its argument is the target and how long; it prints what came of each attack, as JSON.
 */
import { setPriority } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Attack, Target } from './asking.ts';
import { ATTACKS } from './attacks.ts';

export interface MixOrder extends Target {
  readonly seconds: number;
  /** One of them alone; absent: all at once. */
  readonly only?: string;
}

/** By attack, by what came of it. */
export type MixReport = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** Attackers are elsewhere: their processor is not the service's. */
const NICENESS = 5;

async function press(attack: Attack, order: MixOrder): Promise<Record<string, number>> {
  const outcomes: Record<string, number> = {};
  const note = (word: string): void => {
    outcomes[word] = (outcomes[word] ?? 0) + 1;
  };
  const running = new Set<Promise<void>>();
  const startedMs = performance.now();
  for (let count = 0; ; count += 1) {
    const dueMs = startedMs + (count * 1_000) / attack.perSecond;
    if (dueMs - startedMs > order.seconds * 1_000) break;
    await delay(Math.max(0, dueMs - performance.now()));
    if (running.size >= attack.atOnce) {
      note('not sent: enough under way');
      continue;
    }
    const one = attack.run(order).then(note, () => note('cut'));
    running.add(one);
    void one.finally(() => running.delete(one));
  }
  await Promise.all(running);
  return outcomes;
}

setPriority(NICENESS);
const order = JSON.parse(process.argv[2] ?? '') as MixOrder;
const report = await Promise.all(
  ATTACKS.filter(({ name }) => (order.only ?? name) === name).map(
    async (attack) => [attack.name, await press(attack, order)] as const,
  ),
);
process.stdout.write(JSON.stringify(Object.fromEntries(report) satisfies MixReport));
process.exit(0);
