/** `dsar rectify`, `dsar changes`, `dsar change`: what is wrong about a customer is put right. */
import type { TenantId } from '#core/kernel';
import { toTimestamp } from '#platform/clock';
import {
  casePartsOf,
  decideRectification,
  type Rectified,
  rectify,
  requireReason,
  waitingChanges,
} from '#slices/customers';
import { EXIT, type Given, UsageError } from '../../../cli/command.ts';
import { table } from '../../../cli/output.ts';
import { parsedJson } from '../../../cli/parsedJson.ts';
import type { CliProcess, SliceCommand } from '../../processes.ts';
import { actingFor, PERSON, requiredWord, TENANT } from './commandParts.ts';
import { presentChange, presentRectified } from './presentation.ts';

const SUBJECT = { help: 'your own id of the subject', name: 'SUBJECT' } as const;

export const rectifyCommands: readonly SliceCommand[] = [
  {
    example:
      'dsar rectify --changes \'{"email":"a@example.org"}\' --reason "Letter of 12 January" ' +
      '--tenant 0190… C-1042',
    options: [
      TENANT,
      { help: 'JSON: members with their values', name: 'changes', required: true, value: 'JSON' },
      { help: 'why, 10 characters or more', name: 'reason', required: true, value: 'TEXT' },
      { help: 'a document of the customer that shows it', name: 'evidence', value: 'ID' },
      PERSON,
    ],
    positionals: [SUBJECT],
    async run({ actor, open, output }, given) {
      const changes = correctionsIn(given.value('changes'));
      const reason = given.value('reason');
      requireReason({ reason });
      const process = await open();
      // What has schemas is loaded when it is called, so that the help loads none.
      const { requireShape } = await import('./correctedShape.ts');
      const evidenceDocumentId = given.optional('evidence');
      const done = await rectify(casePartsOf(process), await askOf(process, given, actor), {
        changes,
        reason,
        requireShape,
        ...(evidenceDocumentId !== undefined && { evidenceDocumentId }),
      });
      return tellDone(output, done);
    },
    summary: 'Correct a customer: contact data at once, who they are by a second person',
    words: 'dsar rectify',
  },
  {
    example: 'dsar changes --tenant 0190… C-1042',
    options: [TENANT],
    positionals: [SUBJECT],
    async run({ open, output }, given) {
      const externalRef = given.positionals[0] ?? '';
      const tenantId = given.value('tenant') as TenantId;
      const found = await waitingChanges(casePartsOf(await open()), { externalRef, tenantId });
      output.result(
        { changes: found.map((one) => ({ ...presentChange(one), value: one.value })) },
        table(
          ['CHANGE', 'MEMBER', 'VALUE', 'ASKED BY', 'ASKED AT'],
          found.map(({ askedAt, askedBy, changeId, member, value }) => [
            changeId,
            member,
            JSON.stringify(value),
            askedBy,
            toTimestamp(askedAt),
          ]),
        ),
      );
      return EXIT.done;
    },
    summary: 'List the corrections of a customer that wait for a second person',
    words: 'dsar changes',
  },
  {
    example: 'dsar change --decision approve --person 0191… --tenant 0190… C-1042 019a…',
    options: [
      TENANT,
      { help: 'approve or decline', name: 'decision', required: true, value: 'WORD' },
      { help: 'needed to decline', name: 'comment', value: 'TEXT' },
      PERSON,
    ],
    positionals: [SUBJECT, { help: 'an id, of `dsar changes`', name: 'CHANGE' }],
    async run({ actor, open, output }, given) {
      const words = ['approve', 'decline'] as const;
      const isApproved = requiredWord('decision', words, given.value('decision')) === 'approve';
      const comment = given.optional('comment') ?? '';
      if (!isApproved) requireReason({ reason: comment });
      const process = await open();
      const changeId = given.positionals[1] ?? '';
      const ask = await askOf(process, given, actor);
      const decided = { changeId, comment, isApproved };
      return tellDone(output, await decideRectification(casePartsOf(process), ask, decided));
    },
    summary: 'Approve, or decline, a correction of who a customer is, as its second person',
    words: 'dsar change',
  },
];

async function askOf(process: CliProcess, given: Given, actor: Parameters<typeof actingFor>[2]) {
  const by = await actingFor(process, given, actor);
  return { actor: by.actor, externalRef: given.positionals[0] ?? '', tenantId: by.tenantId };
}

function correctionsIn(text: string): Readonly<Record<string, unknown>> {
  const value = parsedJson(text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Readonly<Record<string, unknown>>;
  }
  throw new UsageError('--changes: expected a JSON object');
}

function tellDone(output: Parameters<SliceCommand['run']>[0]['output'], done: Rectified) {
  const { applied, pending } = presentRectified(done);
  const waiting = pending.map(({ change_id, member }) => `${member} (${change_id})`);
  const words = [
    `corrected: ${applied.join(', ') || 'nothing'}`,
    ...(waiting.length > 0 ? [`waits for a second person: ${waiting.join(', ')}`] : []),
  ];
  output.result({ applied, pending }, words.join('\n'));
  return EXIT.done;
}
