/** `doctor`: what a start would stumble over, one line each with what to do. */
import { type Command, EXIT } from './command.ts';
import { printable } from './output.ts';
import type { Check } from './ports.ts';

const wordOf = ({ isGood, isWarning }: Check): string =>
  isWarning ? 'warn' : isGood ? 'ok ' : 'BAD';

export const doctorCommands: readonly Command[] = [
  {
    words: 'doctor',
    summary:
      'Check Node, settings, disk, clock, port, Redis, store, keys, evidence, lists, runs, events',
    example: 'doctor --json',
    async run({ checks, output }) {
      const found = [];
      for (const check of checks) found.push(await check());
      const isGood = found.every((check) => check.isGood);
      const lines = found.map(
        (check) => `${wordOf(check)}  ${check.name}: ${printable(check.detail)}`,
      );
      output.result(
        {
          ok: isGood,
          checks: found.map(({ detail, isGood: ok, isWarning, name }) => ({
            name,
            ok,
            detail,
            ...(isWarning && { warning: true }),
          })),
        },
        lines.join('\n'),
      );
      return isGood ? EXIT.done : EXIT.bad;
    },
  },
];
