/** A command of the slice, at a fixed time, over no installation. */
import { runCommandLine } from '../../../src/cli/commandLine.ts';
import { surroundings } from '../../cli/surroundings.ts';
import { NOW } from './packageKit.ts';

export async function runTax(
  ...words: readonly string[]
): Promise<{ readonly code: number; readonly err: string; readonly out: string }> {
  const written = { err: '', out: '' };
  const stream = (name: 'err' | 'out') => ({
    isTerminal: false,
    write: (text: string) => {
      written[name] += text;
    },
  });
  const streams = { err: stream('err'), out: stream('out') };
  const clock = { ...surroundings().clock, now: () => NOW };
  const code = await runCommandLine([...words], streams as never, surroundings({ clock }));
  return { code, ...written };
}
