/** Noun `onboarding` of the command line, and what `doctor` and `audit verify --state` look at. */
import { tellRefusals } from '#core/audit';
import { DomainError, type TenantId } from '#core/kernel';
import { demoOnboarding } from '#slices/onboarding';
import { EXIT, UsageError } from '../../../cli/command.ts';
import type { SliceCheck, SliceCommand } from '../../processes.ts';
import { onboardingPartsOf } from './parts.ts';

/** Whether sessions are what their last signed entries made them. */
export const checks: readonly SliceCheck[] = [
  {
    isOfState: true,
    name: 'onboarding',
    async look(process) {
      const { sessions } = onboardingPartsOf(process);
      const refusals: string[] = [];
      let count = 0;
      for (const { id } of await process.identity.listTenants()) {
        const found = await sessions.check(id);
        count += found.count;
        refusals.push(...found.refusals);
      }
      return tellRefusals(refusals, `${count} onboarding sessions are what was signed`);
    },
  },
];

const demo: SliceCommand = {
  words: 'onboarding demo',
  summary: 'Publish an invented form in a sandbox, and make a link to fill it in',
  options: [{ name: 'tenant', value: 'ID', required: true, help: 'a sandbox' }],
  example: 'onboarding demo --tenant 0190…',
  async run({ actor, open, output }, given) {
    const tenantId = given.value('tenant') as TenantId;
    const process = await open();
    const tenant = await process.identity.findTenant(tenantId);
    if (tenant === undefined) throw new DomainError('not-found');
    if (tenant.kind !== 'sandbox') throw new UsageError('--tenant: expected a sandbox');
    const ports = { ...onboardingPartsOf(process), identity: process.identity };
    const { session, url } = await demoOnboarding(ports, { actor, tenantId });
    const { caseId, expiresAt } = session;
    output.result(
      { case_id: caseId, expires_at: new Date(expiresAt).toISOString(), url },
      [
        'Open this link in a browser, within thirty minutes:',
        url,
        'Then see what became of the case:',
        `npm run --silent cli -- case show --tenant ${tenantId} ${caseId}`,
      ].join('\n'),
    );
    return EXIT.done;
  },
};

export const commands: readonly SliceCommand[] = [demo];
