/** `risk …`: policies and evaluations at the command line. */
import { tellRefusals } from '#core/audit';
import type { TenantId } from '#core/kernel';
import { evaluateClient, listRiskPolicies, requirePolicy } from '#slices/risk';
import { EXIT, UsageError } from '../../../cli/command.ts';
import { jsonLines, printable, table } from '../../../cli/output.ts';
import { TENANT } from '../../../cli/ownerOption.ts';
import type { SliceCheck, SliceCommand } from '../../processes.ts';
import { backtestCommand } from './backtestCommand.ts';
import { overrideCommand } from './overrideCommand.ts';
import { riskPortsOf } from './parts.ts';
import { policyCommands } from './policyCommands.ts';
import { presentEvaluation, presentPolicy, presentPolicyRow } from './presentation.ts';

const SHOWN = 50;
/** Whether policies and clients are what their last signed entries made them. */
export const checks: readonly SliceCheck[] = [
  {
    isOfState: true,
    name: 'risk',
    async look(process) {
      const refusals: string[] = [];
      for (const { id } of await process.identity.listTenants()) {
        refusals.push(...(await riskPortsOf(process).signed.check(id)));
      }
      return tellRefusals(refusals, 'risk policies and levels of clients are what was signed');
    },
  },
];

export const commands: readonly SliceCommand[] = [
  {
    words: 'risk policy list',
    summary: 'List the risk policies of a tenant, latest first',
    options: [TENANT],
    example: 'risk policy list --tenant 0190…',
    async run({ open, output }, given) {
      const { policies } = await listRiskPolicies(riskPortsOf(await open()), {
        limit: SHOWN,
        tenantId: given.value('tenant') as TenantId,
      });
      const rows = policies.map(presentPolicyRow);
      output.result(
        { policies: rows },
        table(
          ['ID', 'VERSION', 'STATUS', 'NAME', 'HASH'],
          rows.map((row) => [
            row.policy_id,
            String(row.version ?? '-'),
            row.status,
            printable(row.name),
            row.content_hash.slice(0, 16),
          ]),
        ),
      );
      return EXIT.done;
    },
  },
  {
    words: 'risk policy show',
    summary: 'Show a risk policy, with the rules that it breaks and warnings',
    options: [TENANT],
    positionals: [{ name: 'ID', help: 'a policy, of `risk policy list`' }],
    example: 'risk policy show --tenant 0190… 0191… --json',
    async run({ open, output }, given) {
      const tenantId = given.value('tenant') as TenantId;
      const policyId = given.positionals[0] ?? '';
      const record = await requirePolicy(riskPortsOf(await open()), { policyId, tenantId });
      const shown = presentPolicy(record);
      output.result(shown, jsonLines(shown));
      return shown.violations.length === 0 ? EXIT.done : EXIT.bad;
    },
  },
  {
    words: 'risk evaluate',
    summary: 'Evaluate a client by the policy in force',
    options: [
      TENANT,
      { name: 'ref', value: 'REF', help: 'the client, by your own reference' },
      { name: 'case', value: 'ID', help: 'or by a case' },
    ],
    example: 'risk evaluate --tenant 0190… --ref client-000123',
    async run({ actor, open, output }, given) {
      const [externalRef, caseId] = [given.optional('ref'), given.optional('case')];
      if ((externalRef === undefined) === (caseId === undefined)) {
        throw new UsageError('expected one of --ref and --case');
      }
      const { evaluation } = await evaluateClient(riskPortsOf(await open()), {
        actor,
        isAsked: true,
        tenantId: given.value('tenant') as TenantId,
        ...(caseId !== undefined && { caseId }),
        ...(externalRef !== undefined && { externalRef }),
      });
      const shown = presentEvaluation(evaluation);
      output.result(shown, jsonLines(shown));
      return EXIT.done;
    },
  },
  backtestCommand,
  overrideCommand,
  ...policyCommands,
];
