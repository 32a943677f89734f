/** Noun `exclusion` of the command line: what the API offers, on the store itself. */
import type { Actor } from '#core/audit';
import { DomainError, type TenantId } from '#core/kernel';
import { toTimestamp } from '#platform/clock';
import {
  addExclusion,
  approveExclusion,
  checkExclusions,
  EXCLUSION_STATES,
  type ExclusionActor,
  type ExclusionRecord,
  type ExclusionState,
  exclusionPartsOf,
  REASON_CODES,
  type ReasonCode,
  readExclusions,
  revokeExclusion,
  signedExclusionsOf,
  stateAt,
  usesOf,
} from '#slices/exclusions';
import { type CommandOption, EXIT, type Given, UsageError } from '../../../cli/command.ts';
import { table } from '../../../cli/output.ts';
import { TENANT } from '../../../cli/ownerOption.ts';
import type { CliProcess, SliceCheck, SliceCommand } from '../../processes.ts';
import { roles } from '../roles.ts';
import { presentExclusion } from './presentation.ts';

const SHOWN = 50;
const TOLD_MAX = 10;
const DAY_MS = 24 * 3_600_000;
const PERSON: CommandOption = {
  name: 'person',
  value: 'ID',
  help: 'the registered person in whose name it is done; both are in the evidence',
};
const EXCLUSION = [{ name: 'EXCLUSION', help: 'an id, of `exclusion list`' }] as const;

/** Whether exclusions are what their last signed entries made them. */
export const checks: readonly SliceCheck[] = [
  {
    isOfState: true,
    name: 'exclusions',
    async look(process) {
      const { identity, storage } = process;
      const reads = { signed: signedExclusionsOf(process), tables: storage.tables };
      const refusals: string[] = [];
      let count = 0;
      for (const { id } of await identity.listTenants()) {
        const found = await checkExclusions(reads, id);
        count += found.count;
        refusals.push(...found.refusals);
      }
      if (refusals.length === 0) return `${count} exclusions are what was signed`;
      const more = refusals.length > TOLD_MAX ? `; and ${refusals.length - TOLD_MAX} more` : '';
      throw new Error(refusals.slice(0, TOLD_MAX).join('; ') + more);
    },
  },
];

export const commands: readonly SliceCommand[] = [
  {
    words: 'exclusion list',
    summary: `Show the last ${SHOWN} exclusions`,
    options: [TENANT, { name: 'status', value: 'STATUS', help: EXCLUSION_STATES.join(', ') }],
    example: 'exclusion list --tenant 0190… --status active',
    async run({ clock, open, output }, given) {
      const tenantId = given.value('tenant') as TenantId;
      const status = wordOf<ExclusionState>('status', EXCLUSION_STATES, given.optional('status'));
      const ports = exclusionPartsOf(await open());
      const now = clock.now();
      const filter = status === undefined ? {} : { status };
      const { exclusions } = await readExclusions(ports, {
        ...filter,
        limit: SHOWN,
        now,
        tenantId,
      });
      const uses = await usesOf(ports, exclusions);
      output.result(
        {
          exclusions: exclusions.map((one) =>
            presentExclusion(one, { now, use: uses.get(one.exclusionId) }),
          ),
        },
        table(
          ['EXCLUSION', 'STATUS', 'SOURCE', 'ENTRY', 'BY', 'EXPIRES', 'APPLIED'],
          exclusions.map((one) => [
            one.exclusionId,
            stateAt(one, now),
            one.source,
            one.ftmId,
            one.createdBy,
            toTimestamp(one.expiresAt),
            String(uses.get(one.exclusionId)?.count ?? 0),
          ]),
        ),
      );
      return EXIT.done;
    },
  },
  {
    words: 'exclusion add',
    summary: 'Say that the subject of a screening is not a listed party',
    options: [
      TENANT,
      { name: 'hit', value: 'FTM_ID', required: true, help: 'the listed entry' },
      { name: 'reason', value: 'CODE', required: true, help: REASON_CODES.join(', ') },
      { name: 'comment', value: 'TEXT', required: true, help: 'why, 20 characters or more' },
      { name: 'days', value: 'N', help: 'how long it holds (default: as the policy allows)' },
      PERSON,
    ],
    positionals: [{ name: 'SCREENING', help: 'the id of the screening that found it' }],
    example:
      'exclusion add --hit ofac-36 --reason dob_differs --comment "Born ten years later" ' +
      '--person 0191… --tenant 0190… 019a…',
    async run({ actor, clock, open, output }, given) {
      const [screeningId = ''] = given.positionals;
      const process = await open();
      const days = given.optional('days');
      const until = days === undefined ? {} : { expiresAt: clock.now() + daysOf(days) * DAY_MS };
      const records = await addExclusion(exclusionPartsOf(process), {
        ...(until as { readonly expiresAt?: ExclusionRecord['expiresAt'] }),
        by: await actingFor(process, given, actor),
        ftmId: given.value('hit'),
        reason: given.value('comment'),
        reasonCode: wordOf<ReasonCode>('reason', REASON_CODES, given.value('reason')) ?? 'other',
        screeningId,
      });
      return tell(output, records, clock.now());
    },
  },
  {
    words: 'exclusion approve',
    summary: 'Agree with a proposed exclusion, in the name of a second person',
    options: [TENANT, { ...PERSON, required: true }],
    positionals: EXCLUSION,
    example: 'exclusion approve --person 0191… --tenant 0190… 019a…',
    async run({ actor, clock, open, output }, given) {
      const process = await open();
      const by = await actingFor(process, given, actor);
      const ask = { by, exclusionIds: [given.positionals[0] ?? ''] };
      const records = await approveExclusion(exclusionPartsOf(process), ask);
      return tell(output, records, clock.now());
    },
  },
  {
    words: 'exclusion revoke',
    summary: 'End an exclusion: its hits are hits again',
    options: [TENANT, PERSON],
    positionals: EXCLUSION,
    example: 'exclusion revoke --tenant 0190… 019a…',
    async run({ actor, clock, open, output }, given) {
      const process = await open();
      const by = await actingFor(process, given, actor);
      const ask = { by, exclusionIds: [given.positionals[0] ?? ''] };
      const records = await revokeExclusion(exclusionPartsOf(process), ask);
      return tell(output, records, clock.now());
    },
  },
];

type Output = Parameters<SliceCommand['run']>[0]['output'];

function tell(
  output: Output,
  records: readonly ExclusionRecord[],
  now: ExclusionRecord['createdAt'],
) {
  output.result(
    { exclusions: records.map((record) => presentExclusion(record, { now })) },
    records.map(({ exclusionId, state }) => `exclusion ${exclusionId}: ${state}`).join('\n'),
  );
  return EXIT.done;
}

/** The administrator, or a person in whose name they act. */
async function actingFor(
  { identity }: Pick<CliProcess, 'identity'>,
  given: Given,
  actor: Actor,
): Promise<ExclusionActor> {
  const tenantId = given.value('tenant') as TenantId;
  const personId = given.optional('person');
  if (personId === undefined) return { actor, isPerson: false, tenantId };
  const person = (await identity.listPersons(tenantId)).find(({ id }) => id === personId);
  const allowed: readonly string[] = roles.decide;
  if (person === undefined) throw new DomainError('person-required');
  if (!person.roles.some((role) => allowed.includes(role))) {
    throw new DomainError('role-insufficient');
  }
  return { actor: `person:${person.id}`, isPerson: true, tenantId, through: actor };
}

function daysOf(text: string): number {
  if (/^[1-9][0-9]{0,3}$/.test(text)) return Number(text);
  throw new UsageError('--days: expected a whole number of days');
}

function wordOf<Word extends string>(
  name: string,
  words: readonly Word[],
  text: string | undefined,
): Word | undefined {
  const word = words.find((one) => one === text);
  if (word !== undefined || text === undefined) return word;
  throw new UsageError(`--${name}: expected ${words.join(', ')}`);
}
