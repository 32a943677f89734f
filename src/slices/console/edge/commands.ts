/** Noun `console` of the command line, and what `doctor` and `audit verify --state` look at. */
import { tellRefusals } from '#core/audit';
import { DomainError, type TenantId } from '#core/kernel';
import { toTimestamp } from '#platform/clock';
import { localOrigin } from '#platform/localOrigin';
import { checkLogins, localRefusal, makeLink, sandboxPersons } from '#slices/console';
import { EXIT } from '../../../cli/command.ts';
import { TENANT } from '../../../cli/ownerOption.ts';
import type { SliceCheck, SliceCommand } from '../../processes.ts';
import { consolePartsOf } from './parts.ts';

/** Whether links and sessions are what their last signed entries made them. */
export const checks: readonly SliceCheck[] = [
  {
    isOfState: true,
    name: 'console',
    async look(process) {
      const ports = consolePartsOf(process);
      const refusals: string[] = [];
      let count = 0;
      for (const { id } of await process.identity.listTenants()) {
        const found = await checkLogins(ports, id);
        count += found.count;
        refusals.push(...found.refusals);
      }
      return tellRefusals(refusals, `${count} sign-ins to the console are what was signed`);
    },
  },
];

const link: SliceCommand = {
  words: 'console link',
  summary: 'Make a link that signs a person in to the console of a sandbox, once',
  options: [
    TENANT,
    { name: 'person', value: 'ID', help: 'from `person list`; absent: an invented one' },
    { name: 'port', value: 'PORT', help: 'where the gateway listens, where PORT does not say so' },
  ],
  example: 'console link --tenant 0190…',
  async run({ actor, open, output, readConfig }, given) {
    const config = readConfig();
    const refusal = localRefusal(config);
    if (refusal !== undefined) throw new DomainError('setting-invalid', { detail: refusal });
    const tenantId = given.value('tenant') as TenantId;
    const ports = consolePartsOf(await open());
    const tenant = await ports.identity.findTenant(tenantId);
    if (tenant?.kind === 'live') {
      throw new DomainError('setting-invalid', { detail: '--tenant: expected a sandbox' });
    }
    if (tenant === undefined) throw new DomainError('not-found');
    const asked = given.optional('person');
    const personId = asked ?? (await sandboxPersons(ports, { actor, tenantId }))[0]?.id ?? '';
    const origin = localOrigin(config, Number(given.optional('port') ?? config.port));
    const made = await makeLink(ports, { actor, origin, personId, tenantId });
    output.result(
      {
        expires_at: toTimestamp(made.link.expiresAt),
        person_id: personId,
        url: made.url,
      },
      `Open this link in a browser of this machine, within ten minutes, once:\n${made.url}`,
    );
    return EXIT.done;
  },
};

export const commands: readonly SliceCommand[] = [link];
