/** `policy simulate`: what a version would change, on this machine's own engine. */
import type { TenantId } from '#core/kernel';
import { EXIT, UsageError } from '../../../cli/command.ts';
import type { SliceCommand } from '../../processes.ts';

export const simulateCommand: SliceCommand = {
  words: 'policy simulate',
  summary: 'Show what a version would change over past screenings; nothing is written',
  options: [
    { name: 'tenant', value: 'ID', required: true, help: "the tenant's id" },
    { name: 'from', value: 'TIME', help: 'screened then or later (default: 30 days before)' },
    { name: 'to', value: 'TIME', help: 'screened before then (default: now)' },
    { name: 'sample', value: 'N', help: 'screenings at the most (default: 1000)' },
  ],
  positionals: [{ name: 'VERSION', help: 'a version, of `policy show`' }],
  example: 'policy simulate --tenant 0190… 3 --from 2026-01-01T00:00:00Z',
  async run({ clock, open, output }, given) {
    const { createSimulator } = await import('./simulator.ts');
    const { presentSimulation, timeOf } = await import('./simulation.ts');
    const { SAMPLE_DEFAULT } = await import('./schemas.ts');
    const { SIMULATED_SCREENINGS_MAX } = await import('#slices/policies');
    const { screeningPartsOfCommand } = await import('#slices/screening');
    const policyVersion = Number(given.positionals[0]);
    const sample = Number(given.optional('sample') ?? SAMPLE_DEFAULT);
    if (!Number.isSafeInteger(policyVersion) || policyVersion < 1) {
      throw new UsageError('VERSION: expected the number of a version');
    }
    if (!Number.isSafeInteger(sample) || sample < 1 || sample > SIMULATED_SCREENINGS_MAX) {
      throw new UsageError(`--sample: expected 1 to ${SIMULATED_SCREENINGS_MAX}`);
    }
    const [from, to] = [given.optional('from'), given.optional('to')];
    const ask = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
    const time = timeOf(ask, clock.now());
    const process = await open();
    const tenantId = given.value('tenant') as TenantId;
    const simulate = createSimulator(process, () =>
      screeningPartsOfCommand(process, (text) => output.error(text)),
    );
    const isSandbox = (await process.tenants.find(tenantId))?.kind === 'sandbox';
    const found = await simulate({ ...time, isSandbox, policyVersion, sample, tenantId });
    const shown = presentSimulation(found, { ...time, version: policyVersion });
    output.result(shown, describe(shown));
    return EXIT.done;
  },
};

function describe(shown: {
  readonly base_version: number;
  readonly changed: number;
  readonly complete: boolean;
  readonly examples: readonly { readonly screening_id: string }[];
  readonly hits_after: number;
  readonly hits_before: number;
  readonly screened: number;
  readonly shifts: readonly {
    readonly count: number;
    readonly from: string;
    readonly to: string;
  }[];
  readonly version: number;
}): string {
  const { base_version, changed, complete, hits_after, hits_before, screened, version } = shown;
  return [
    `version ${version} against ${base_version}: ${changed} of ${screened} screenings change`,
    `hits ${hits_before} → ${hits_after}${complete ? '' : ', not all of the sample in time'}`,
    ...shown.shifts.map(({ count, from, to }) => `${count}  ${from} → ${to}`),
    ...shown.examples.map(({ screening_id }) => `e.g. ${screening_id}`),
  ].join('\n');
}
