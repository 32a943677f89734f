/**
 * The thread in which a gateway draws reports of screenings: fonts, shaping and pages take a tenth
 * of a second and more. Tenants take turns for it, a report each; it gives way to the threads that
 * screen. It starts with the first, and ends when it has rested.
 */
import { Piscina } from 'piscina';
import { TurnLine } from '#platform/turnLine';
import type { ReportThread } from '#slices/sanctions';
import { rethrowFromLine } from './lineRefusal.ts';

const WAITING_MAX = 64;
const DEADLINE_MS = 30_000;
const IDLE_MS = 60_000;
const NICE_INCREMENT = 5;
const DRAWER = new URL('./reportDrawer.ts', import.meta.url);

export async function reportThread(): Promise<ReportThread> {
  const line = new TurnLine({ places: 1, waitingMax: WAITING_MAX, what: 'reports of screenings' });
  let threads: Piscina<string, Uint8Array> | undefined;
  const draw = async (text: string): Promise<Uint8Array> => {
    threads ??= new Piscina<string, Uint8Array>({
      filename: DRAWER.href,
      idleTimeout: IDLE_MS,
      maxThreads: 1,
      minThreads: 0,
      name: 'drawReport',
      niceIncrement: NICE_INCREMENT,
    });
    return threads.run(text);
  };
  return {
    close: async () => {
      line.refuseAll(new Error('reports of screenings: closed'));
      await threads?.destroy();
    },
    draw: (text, by) =>
      line.run({ deadlineMs: DEADLINE_MS, ...by }, () => draw(text)).catch(rethrowFromLine),
  };
}
