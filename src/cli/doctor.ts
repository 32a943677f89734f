/** `doctor`: what a start would stumble over, one line each with what to do. */
import { type Command, EXIT } from './command.ts';
import { printable } from './output.ts';

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
        ({ name, isGood: good, detail }) =>
          `${good ? 'ok ' : 'BAD'}  ${name}: ${printable(detail)}`,
      );
      output.result(
        {
          ok: isGood,
          checks: found.map(({ name, isGood: ok, detail }) => ({ name, ok, detail })),
        },
        lines.join('\n'),
      );
      return isGood ? EXIT.done : EXIT.bad;
    },
  },
];
