/** `risk backtest`: a policy upon past evaluations, worked off by the service. */
import { setTimeout as delay } from 'node:timers/promises';
import type { TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import {
  BACKTEST_PERIOD_MS,
  backtestShare,
  findRiskBacktest,
  type RiskBacktest,
  readRiskReport,
  requestRiskBacktest,
  SEGMENT_PATTERN,
  SEGMENTS_WANTED_MAX,
} from '#slices/risk';
import { EXIT, type Given, UsageError } from '../../../cli/command.ts';
import { instantGiven } from '../../../cli/instants.ts';
import { jsonLines } from '../../../cli/output.ts';
import { TENANT } from '../../../cli/ownerOption.ts';
import type { SliceCommand } from '../../processes.ts';
import { type RiskParts, riskPortsOf } from './parts.ts';
import { backtestTimes } from './presentation.ts';

const LOOK_MS = 500;

export const backtestCommand: SliceCommand = {
  words: 'risk backtest',
  summary: 'Try a policy upon past evaluations; a worker does it',
  options: [
    TENANT,
    { name: 'from', value: 'TIME', help: 'evaluations from then on (default: two years back)' },
    { name: 'to', value: 'TIME', help: 'and before then (default: now)' },
    {
      name: 'segment',
      value: 'NAME',
      repeatable: true,
      help: 'clients of these alone, as country:TN, channel:api, product:loan',
    },
    { name: 'watch', help: 'until it has ended: prints the report; exit 1 where it failed' },
  ],
  positionals: [{ name: 'ID', help: 'a policy, of `risk policy list`' }],
  example: 'risk backtest --tenant 0190… 0191… --watch',
  async run({ actor, clock, open, output }, given) {
    const ports = riskPortsOf(await open());
    const to = timeOf(given, 'to') ?? clock.now();
    const from = timeOf(given, 'from') ?? ((to - BACKTEST_PERIOD_MS) as EpochMs);
    if (from >= to) throw new UsageError('--from: expected a time before --to');
    const made = await requestRiskBacktest(
      ports,
      {
        policyId: given.positionals[0] ?? '',
        principal: { actor, kind: 'cli' },
        tenantId: given.value('tenant') as TenantId,
      },
      { from, to, ...segmentsOf(given) },
    );
    if (!given.isSet('watch')) {
      const shown = { btr_id: made.btrId, status: made.status };
      output.result(shown, jsonLines(shown));
      return EXIT.done;
    }
    output.note(`${made.btrId}: it goes on if you stop watching`);
    const ended = await watch(ports, made, (share) =>
      output.progress({ label: 'backtest', share }),
    );
    const { failure, reportSha256, status } = ended;
    const found = reportSha256 === undefined ? {} : await readRiskReport(ports, reportSha256);
    const shown = {
      btr_id: made.btrId,
      ...found,
      status,
      ...backtestTimes(ended),
      ...(failure !== undefined && { failure }),
    };
    output.result(shown, jsonLines(shown));
    return status === 'ready' ? EXIT.done : EXIT.bad;
  },
};

async function watch(
  ports: RiskParts,
  place: Pick<RiskBacktest, 'btrId' | 'policyId' | 'tenantId'>,
  onShare: (share: number) => void,
): Promise<RiskBacktest> {
  for (;;) {
    const found = await findRiskBacktest(ports, place);
    onShare(backtestShare(found));
    if (found.status !== 'queued') return found;
    await delay(LOOK_MS);
  }
}

const SEGMENT = new RegExp(SEGMENT_PATTERN, 'u');

function segmentsOf(given: Given): { readonly segments?: readonly string[] } {
  const segments = [...new Set(given.all('segment'))];
  const wrong = segments.find((one) => !SEGMENT.test(one));
  if (wrong === undefined && segments.length <= SEGMENTS_WANTED_MAX) {
    return segments.length === 0 ? {} : { segments };
  }
  const form = 'each as country:TN, channel:api or product:loan';
  throw new UsageError(`--segment: expected at most ${SEGMENTS_WANTED_MAX}, ${form}`);
}

function timeOf(given: Given, name: string): EpochMs | undefined {
  const text = given.optional(name);
  return text === undefined ? undefined : instantGiven(text, name);
}
