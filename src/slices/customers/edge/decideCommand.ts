/** `case decide`: a decision of a case at the command line, in the name of a registered person. */
import { DomainError, type TenantId } from '#core/kernel';
import {
  type CaseRecord,
  confirmDecision,
  DECISIONS,
  type DecideAsk,
  type DecisionWord,
  DOCUMENT_KINDS,
  decideCase,
  requireCase,
} from '#slices/customers';
import { EXIT, type Given, UsageError } from '../../../cli/command.ts';
import type { CliProcess, SliceCommand } from '../../processes.ts';
import { type CaseParts, casePortsOf } from './parts.ts';
import { presentRow } from './presentation.ts';

/** What the second person says of an approval that waits. */
const SECOND = ['confirm', 'decline'] as const;
const WORDS = [...DECISIONS, ...SECOND];

export const decideCommand: SliceCommand = {
  words: 'case decide',
  summary: 'Decide a case in the name of a registered person, or confirm a decision that waits',
  options: [
    { help: "the tenant's id", name: 'tenant', required: true, value: 'ID' },
    {
      help: 'the registered person in whose name it is done, by their roles',
      name: 'person',
      required: true,
      value: 'ID',
    },
    { help: `one of ${WORDS.join(', ')}`, name: 'decision', required: true, value: 'WORD' },
    { help: 'a short code, which is told', name: 'code', value: 'CODE' },
    { help: '10 characters or more, sealed and never told', name: 'reason', value: 'TEXT' },
    { help: 'a mail to the customer, of the workflow', name: 'template', value: 'NAME' },
    { help: 'kinds that are asked for, with request_documents', name: 'documents', value: 'A,B' },
  ],
  positionals: [{ help: 'a case, of `case list`', name: 'ID' }],
  example:
    'case decide --tenant 0190… --person 0190… --decision reject --code document_forged ' +
    '--reason "A copy of another document" --template rejected 0191…',
  async run({ open, output }, given) {
    const word = oneOf('decision', WORDS, given.value('decision'));
    const process = await open();
    const ports = casePortsOf(process);
    const ask = await askOf(process, given);
    const record = isSecond(word)
      ? await second(ports, ask, {
          isConfirmed: word === 'confirm',
          reason: given.optional('reason'),
        })
      : await first(ports, ask, word, given);
    const waits = record.pending === undefined ? '' : ', waits for a second person';
    output.result(presentRow(record), `case ${record.caseId}: ${record.status}${waits}`);
    return EXIT.done;
  },
};

const isSecond = (word: DecisionWord | (typeof SECOND)[number]): word is (typeof SECOND)[number] =>
  word === 'confirm' || word === 'decline';

function first(
  ports: CaseParts,
  ask: DecideAsk,
  decision: DecisionWord,
  given: Given,
): Promise<CaseRecord> {
  const documents = given.optional('documents')?.split(',');
  const template = given.optional('template');
  return decideCase(ports, ask, {
    decision,
    reason: given.optional('reason') ?? '',
    reasonCode: given.optional('code') ?? '',
    ...(documents && {
      documents: documents.map((one) => oneOf('documents', DOCUMENT_KINDS, one.trim())),
    }),
    ...(template !== undefined && { emailTemplate: template }),
  });
}

async function second(
  ports: CaseParts,
  ask: DecideAsk,
  of: { readonly isConfirmed: boolean; readonly reason: string | undefined },
): Promise<CaseRecord> {
  const { pending } = await requireCase(ports, ask);
  if (pending === undefined) {
    throw new DomainError('case-unknown', { detail: 'no decision of the case waits' });
  }
  return confirmDecision(ports, ask, {
    decisionId: pending.decisionId,
    isConfirmed: of.isConfirmed,
    ...(of.reason !== undefined && { comment: of.reason }),
  });
}

async function askOf({ identity }: CliProcess, given: Given): Promise<DecideAsk> {
  const tenantId = given.value('tenant') as TenantId;
  const personId = given.value('person');
  const person = (await identity.listPersons(tenantId)).find(({ id }) => id === personId);
  if (person === undefined) throw new DomainError('person-required');
  const caseId = given.positionals[0] ?? '';
  return { actor: `person:${person.id}`, caseId, roles: person.roles, tenantId };
}

function oneOf<Word extends string>(name: string, words: readonly Word[], given: string): Word {
  const word = words.find((one) => one === given);
  if (word !== undefined) return word;
  throw new UsageError(`--${name}: expected ${words.join(', ')}; got '${given}'`);
}
