/** `policy show`, `draft`, `discard`, `sign`, `simulate`, `publish` at the command line. */
import { tellRefusals } from '#core/audit';
import type { TenantId } from '#core/kernel';
import { toTimestamp } from '#platform/clock';
import {
  checkPolicies,
  copyToDraft,
  discardDraft,
  findPolicy,
  JUSTIFICATION_CHARS_MAX,
  lapse,
  type PolicyRecord,
  policyPortsOf,
  readPolicies,
  saveDraft,
  signPolicy,
} from '#slices/policies';
import { EXIT, type Given, UsageError } from '../../../cli/command.ts';
import { printable, table } from '../../../cli/output.ts';
import { TENANT } from '../../../cli/ownerOption.ts';
import type { CliProcess, SliceCheck, SliceCommand } from '../../processes.ts';
import { presentPolicy } from './presentation.ts';
import { signCommand } from './signCommand.ts';
import { simulateCommand } from './simulateCommand.ts';

const SHOWN_POLICIES = 20;
const VERSION = [{ name: 'VERSION', help: 'a version, of `policy show`' }] as const;

/** Whether policies are what their last signed entries made them. */
export const checks: readonly SliceCheck[] = [
  {
    isOfState: true,
    name: 'policies',
    async look({ identity, keyRing, storage: { audit, tables } }) {
      const refusals: string[] = [];
      let count = 0;
      for (const { id } of await identity.listTenants()) {
        const found = await checkPolicies({ audit, keyRing, tables }, id);
        count += found.count;
        refusals.push(...found.refusals.map((refusal) => `policy of ${id}: ${refusal}`));
      }
      return tellRefusals(refusals, `${count} policies are what was signed`);
    },
  },
];

export const commands: readonly SliceCommand[] = [
  {
    words: 'policy show',
    summary: 'Show the policies of a tenant, or one of them with its content',
    options: [TENANT, { name: 'version', value: 'N', help: 'this one (default: a list)' }],
    example: 'policy show --tenant 0190… --version 2 --json',
    async run({ clock, open, output }, given) {
      const tenantId = given.value('tenant') as TenantId;
      const { tables } = (await open()).storage;
      const now = clock.now();
      const version = given.optional('version');
      if (version !== undefined) {
        const policyVersion = readVersion(version);
        const record = await findPolicy({ tables }, { policyVersion, tenantId });
        output.result(presentPolicy(record, now), describe(lapse(record, now)));
        return EXIT.done;
      }
      const found = await readPolicies({ tables }, tenantId, { limit: SHOWN_POLICIES, now });
      const { active, drafts, history } = found;
      const all = [...drafts, ...(active === undefined ? [] : [active]), ...history];
      output.result(
        { policies: all.map((record) => presentPolicy(record, now)) },
        table(['VERSION', 'STATUS', 'SIGNED', 'CHANGED', 'BY', 'HASH'], all.map(lineOf)),
      );
      return EXIT.done;
    },
  },
  {
    words: 'policy draft',
    summary: 'Draft the next policy: with a content of a file, or with that of another version',
    options: [
      TENANT,
      { name: 'file', value: 'FILE', help: 'the content as JSON, or what `policy show` printed' },
      { name: 'from', value: 'N', help: 'the content of this version: to roll back' },
      { name: 'justification', value: 'TEXT', required: true, help: 'why' },
      { name: 'replace', help: 'also where a draft stands' },
    ],
    example: 'policy draft --tenant 0190… --file content.json --justification "Fewer PEP alerts"',
    run: ({ actor, clock, open, output }, given) =>
      answer({ clock, open, output }, async (process) => {
        const tenantId = given.value('tenant') as TenantId;
        const ports = policyPortsOf(process);
        const ask = { principal: { actor, kind: 'cli' }, tenantId } as const;
        const justification = readWords(given, 'justification');
        const [file, from] = [given.optional('file'), given.optional('from')];
        if ((file === undefined) === (from === undefined)) {
          throw new UsageError('expected one of --file and --from');
        }
        const mayReplace = given.isSet('replace');
        if (file === undefined) {
          const policyVersion = readVersion(from ?? '');
          return copyToDraft(ports, { ...ask, policyVersion }, { justification, mayReplace });
        }
        const { readContent } = await import('./documents.ts');
        const content = await readContent(file);
        return saveDraft(ports, ask, { content, justification });
      }),
  },
  {
    words: 'policy discard',
    summary: 'Discard a draft',
    options: [TENANT],
    positionals: VERSION,
    example: 'policy discard --tenant 0190… 3',
    run: ({ actor, clock, open, output }, given) =>
      answer({ clock, open, output }, async (process) =>
        discardDraft(policyPortsOf(process), {
          policyVersion: readVersion(given.positionals[0] ?? ''),
          principal: { actor, kind: 'cli' },
          tenantId: given.value('tenant') as TenantId,
        }),
      ),
  },
  signCommand,
  simulateCommand,
  {
    words: 'policy publish',
    summary: 'Hand in what `policy sign` printed; the second signature puts the policy into force',
    options: [
      TENANT,
      {
        name: 'signature',
        value: 'FILE',
        required: true,
        repeatable: true,
        help: 'as `policy sign --json` printed it; both together or one by one',
      },
      { name: 'comment', value: 'TEXT', help: 'kept beside the signature' },
    ],
    positionals: VERSION,
    example: 'policy publish --tenant 0190… 3 --signature ben.json --signature dora.json',
    run: ({ actor, clock, open, output }, given) =>
      answer({ clock, open, output }, async (process) => {
        const { readSignature } = await import('../../../cli/signatures.ts');
        const signatures = await Promise.all(given.all('signature').map(readSignature));
        if (signatures.length > 2) throw new UsageError('--signature: expected one or two');
        const comment = given.optional('comment');
        return signPolicy(policyPortsOf(process), {
          policyVersion: readVersion(given.positionals[0] ?? ''),
          principal: { actor, kind: 'cli' },
          signatures,
          tenantId: given.value('tenant') as TenantId,
          ...(comment !== undefined && { comment: readWords(given, 'comment') }),
        });
      }),
  },
];

type Means = Pick<Parameters<SliceCommand['run']>[0], 'clock' | 'open' | 'output'>;

async function answer(
  { clock, open, output }: Means,
  change: (process: CliProcess) => Promise<PolicyRecord>,
) {
  const record = await change(await open());
  output.result(presentPolicy(record, clock.now()), describe(record));
  return EXIT.done;
}

function readVersion(text: string): number {
  if (/^[1-9][0-9]{0,8}$/.test(text)) return Number(text);
  throw new UsageError(`expected the number of a version, got '${printable(text)}'`);
}

function readWords(given: Given, name: string): string {
  const text = given.value(name);
  if (text.length > 0 && text.length <= JUSTIFICATION_CHARS_MAX) return text;
  throw new UsageError(`--${name}: expected 1 to ${JUSTIFICATION_CHARS_MAX} characters`);
}

const lineOf = (record: PolicyRecord): string[] => [
  String(record.policyVersion),
  record.status,
  String(record.signatures.length),
  toTimestamp(record.updatedAt),
  record.updatedBy,
  record.contentHash.slice(0, 16),
];

function describe(record: PolicyRecord): string {
  const rows: readonly (readonly [string, string])[] = [
    ['version', String(record.policyVersion)],
    ['status', record.status],
    ['upon', String(record.baseVersion)],
    ['hash', record.contentHash],
    ['why', record.justification],
    ['by', record.updatedBy],
    ...record.signatures.map(({ signer, timestamp }): [string, string] => [
      'signed',
      `${signer} at ${timestamp}`,
    ]),
    ...record.changeSummary.map(({ new: now, old, pointer }): [string, string] => [
      'change',
      `${pointer} ${JSON.stringify(old)} → ${JSON.stringify(now)}`,
    ]),
  ];
  return rows.map(([name, value]) => `${name.padEnd(10)} ${printable(value)}`).join('\n');
}
