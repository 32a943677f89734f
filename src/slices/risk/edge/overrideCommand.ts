/** `risk override`: gives a client a level that raises, or ends one; what lowers needs two. */
import type { TenantId } from '#core/kernel';
import {
  endOverride,
  LEVELS,
  type Level,
  MANUAL_REASON_CHARS_MAX,
  MANUAL_REASON_CHARS_MIN,
  overrideClient,
} from '#slices/risk';
import { EXIT, UsageError } from '../../../cli/command.ts';
import { instantGiven } from '../../../cli/instants.ts';
import { jsonLines } from '../../../cli/output.ts';
import { TENANT } from '../../../cli/ownerOption.ts';
import type { SliceCommand } from '../../processes.ts';
import { riskPortsOf } from './parts.ts';
import { presentEvaluation } from './presentation.ts';

export const overrideCommand: SliceCommand = {
  words: 'risk override',
  summary: 'Give a client a level with a reason and an end, or end one',
  options: [
    TENANT,
    { name: 'level', value: 'LEVEL', help: LEVELS.join(', ') },
    { name: 'until', value: 'TIME', help: 'when it ends, within twelve months' },
    { name: 'end', help: 'end the level that a person gave the client' },
    { name: 'reason', value: 'TEXT', required: true, help: 'why, in 50 characters or more' },
  ],
  positionals: [{ name: 'CLIENT', help: 'the id of the client, as `risk evaluate` prints it' }],
  example:
    'risk override --tenant 0190… 0191… --level HIGH --until 2026-12-31T00:00:00Z --reason "…"',
  async run({ actor, open, output }, given) {
    const reason = given.value('reason').trim();
    if (reason.length < MANUAL_REASON_CHARS_MIN || reason.length > MANUAL_REASON_CHARS_MAX) {
      const expected = `${MANUAL_REASON_CHARS_MIN} to ${MANUAL_REASON_CHARS_MAX} characters`;
      throw new UsageError(`--reason: expected ${expected}`);
    }
    const ask = {
      clientId: given.positionals[0] ?? '',
      principal: { actor, kind: 'cli' },
      tenantId: given.value('tenant') as TenantId,
    } as const;
    const [level, until] = [given.optional('level'), given.optional('until')];
    const isEnd = given.isSet('end');
    if (isEnd === (level !== undefined && until !== undefined)) {
      throw new UsageError('expected either --end, or --level and --until');
    }
    const ports = riskPortsOf(await open());
    const { evaluation } = isEnd
      ? await endOverride(ports, { ...ask, reason })
      : await overrideClient(ports, ask, {
          level: levelOf(level),
          reason,
          until: instantGiven(until ?? '', 'until'),
        });
    const shown = presentEvaluation(evaluation);
    output.result(shown, jsonLines(shown));
    return EXIT.done;
  },
};

function levelOf(text: string | undefined): Level {
  const found = LEVELS.find((one) => one === text);
  if (found !== undefined) return found;
  throw new UsageError(`--level: expected one of ${LEVELS.join(', ')}`);
}
