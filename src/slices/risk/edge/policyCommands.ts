/** `risk policy …`: drafted, tried, submitted, signed and ended at the command line. */
import type { TenantId } from '#core/kernel';
import {
  activateShadow,
  approveRiskPolicy,
  COMMENT_CHARS_MAX,
  type ContentPatch,
  createRiskPolicy,
  deactivateShadow,
  editRiskPolicy,
  JUSTIFICATION_CHARS_MAX,
  JUSTIFICATION_CHARS_MIN,
  type PolicyPatch,
  REJECTION_CHARS_MIN,
  type RiskAsk,
  type RiskPolicy,
  rejectRiskPolicy,
  requirePolicy,
  submitPolicy,
  withdrawPolicy,
} from '#slices/risk';
import { type CommandOption, EXIT, type Given, UsageError } from '../../../cli/command.ts';
import { instantGiven } from '../../../cli/instants.ts';
import { jsonLines } from '../../../cli/output.ts';
import { TENANT } from '../../../cli/ownerOption.ts';
import { SIGN_OPTIONS } from '../../../cli/signOptions.ts';
import type { SliceCommand } from '../../processes.ts';
import { type RiskParts, riskPortsOf } from './parts.ts';
import { presentPolicy } from './presentation.ts';

const POLICY = [{ name: 'ID', help: 'a policy, of `risk policy list`' }] as const;
const FILE: CommandOption = {
  name: 'file',
  value: 'FILE',
  help: 'members of the content as JSON: weights, thresholds, factors, overrides, …',
};

type Context = Parameters<SliceCommand['run']>[0];
type Change = (
  ports: RiskParts,
  ask: RiskAsk & { readonly policyId: string },
) => Promise<RiskPolicy>;

async function answer({ actor, open, output }: Context, given: Given, change: Change) {
  const ask = {
    policyId: given.positionals[0] ?? '',
    principal: { actor, kind: 'cli' },
    tenantId: given.value('tenant') as TenantId,
  } as const;
  const shown = presentPolicy(await change(riskPortsOf(await open()), ask));
  output.result(shown, jsonLines(shown));
  return EXIT.done;
}

/** Checked as a body of the API. */
async function patchOf(given: Given): Promise<ContentPatch> {
  const file = given.optional('file');
  if (file === undefined) return {};
  const { readPatch } = await import('./documents.ts');
  return readPatch(file);
}

function wordsOf(given: Given, name: string, [min, max]: readonly [number, number]): string {
  const text = given.value(name).trim();
  if (text.length >= min && text.length <= max) return text;
  throw new UsageError(`--${name}: expected ${min} to ${max} characters`);
}

export const policyCommands: readonly SliceCommand[] = [
  {
    words: 'risk policy create',
    summary: 'Draft a risk policy, upon the one in force or upon any other',
    options: [
      TENANT,
      { name: 'name', value: 'TEXT', required: true, help: 'what it is called' },
      { name: 'based-on', value: 'ID', help: 'a policy (default: the one in force)' },
      FILE,
    ],
    example: 'risk policy create --tenant 0190… --name "More weight on countries" --file p.json',
    run: (context, given) =>
      answer(context, given, async (ports, ask) => {
        const basedOn = given.optional('based-on');
        const name = given.value('name');
        const more = {
          ...(await patchOf(given)),
          ...(basedOn !== undefined && { based_on: basedOn }),
        };
        return createRiskPolicy(ports, ask, { ...more, name });
      }),
  },
  {
    words: 'risk policy edit',
    summary: 'Change members of a draft; those that the file has not stay',
    options: [TENANT, FILE, { name: 'name', value: 'TEXT', help: 'what it is called' }],
    positionals: POLICY,
    example: 'risk policy edit --tenant 0190… 0191… --file thresholds.json',
    run: (context, given) =>
      answer(context, given, async (ports, ask) => {
        const name = given.optional('name');
        const patch: PolicyPatch = {
          ...(await patchOf(given)),
          ...(name !== undefined && { name }),
        };
        return editRiskPolicy(ports, ask, patch);
      }),
  },
  {
    words: 'risk policy shadow',
    summary: 'Try a draft beside the policy in force, or end that and keep its report',
    options: [TENANT, { name: 'end', help: 'take it out of the shadow' }],
    positionals: POLICY,
    example: 'risk policy shadow --tenant 0190… 0191…',
    run: (context, given) =>
      answer(context, given, (ports, ask) =>
        given.isSet('end') ? deactivateShadow(ports, ask) : activateShadow(ports, ask),
      ),
  },
  {
    words: 'risk policy submit',
    summary: 'Ask for two approvals, upon the last backtest and the shadow of the policy',
    options: [
      TENANT,
      {
        name: 'justification',
        value: 'TEXT',
        required: true,
        help: 'why, in 50 characters or more',
      },
      { name: 'effective-at', value: 'TIME', help: 'from when on it decides (default: at once)' },
    ],
    positionals: POLICY,
    example: 'risk policy submit --tenant 0190… 0191… --justification "Decision of the board of …"',
    run: (context, given) =>
      answer(context, given, async (ports, ask) => {
        const { backtestReport, shadow, shadowReport } = await requirePolicy(ports, ask);
        const effectiveAt = given.optional('effective-at');
        if (effectiveAt !== undefined) instantGiven(effectiveAt, 'effective-at');
        return submitPolicy(ports, ask, {
          backtestReportId: backtestReport?.reportId ?? '',
          justification: wordsOf(given, 'justification', [
            JUSTIFICATION_CHARS_MIN,
            JUSTIFICATION_CHARS_MAX,
          ]),
          shadowReportId: shadow?.shadowReportId ?? shadowReport?.reportId ?? '',
          ...(effectiveAt !== undefined && { effective_at: effectiveAt }),
        });
      }),
  },
  {
    words: 'risk policy sign',
    summary: 'Sign a policy that `risk policy show --json` printed: prints the signature',
    options: SIGN_OPTIONS,
    positionals: [{ name: 'FILE', help: 'the policy, as JSON' }],
    example: 'risk policy sign --key me.pem --signer 0190… policy.json --json',
    async run({ clock, output }, given) {
      const { readSubmitted } = await import('./documents.ts');
      const { signatureLines, signShown } = await import('../../../cli/signatures.ts');
      const { content_hash, signing } = await readSubmitted(given.positionals[0] ?? '');
      const signed = await signShown({ clock }, given, signing);
      output.result(signed, [`content   ${content_hash}`, ...signatureLines(signed)].join('\n'));
      return EXIT.done;
    },
  },
  {
    words: 'risk policy publish',
    summary: 'Hand in what `risk policy sign` printed; the second approval publishes the policy',
    options: [
      TENANT,
      {
        name: 'signature',
        value: 'FILE',
        required: true,
        help: 'as `risk policy sign --json` printed it; one login hands in one of the two',
      },
      { name: 'comment', value: 'TEXT', required: true, help: 'kept beside the signature' },
    ],
    positionals: POLICY,
    example: 'risk policy publish --tenant 0190… 0191… --signature cora.json --comment "Agreed"',
    run: (context, given) =>
      answer(context, given, async (ports, ask) => {
        const { readSignature } = await import('../../../cli/signatures.ts');
        const signed = await readSignature(given.value('signature'));
        const comment = wordsOf(given, 'comment', [1, COMMENT_CHARS_MAX]);
        return approveRiskPolicy(ports, ask, { ...signed, comment });
      }),
  },
  {
    words: 'risk policy reject',
    summary: 'Reject a policy that waits for approval; its author may edit it again',
    options: [TENANT, { name: 'comment', value: 'TEXT', required: true, help: 'why' }],
    positionals: POLICY,
    example: 'risk policy reject --tenant 0190… 0191… --comment "The weight of the channel is …"',
    run: (context, given) =>
      answer(context, given, (ports, ask) =>
        rejectRiskPolicy(
          ports,
          ask,
          wordsOf(given, 'comment', [REJECTION_CHARS_MIN, COMMENT_CHARS_MAX]),
        ),
      ),
  },
  {
    words: 'risk policy withdraw',
    summary: 'Take a policy back that waits for approval or for its day: it is a draft again',
    options: [TENANT],
    positionals: POLICY,
    example: 'risk policy withdraw --tenant 0190… 0191…',
    run: (context, given) => answer(context, given, withdrawPolicy),
  },
];
