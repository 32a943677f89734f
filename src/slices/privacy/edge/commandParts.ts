/** What the commands of privacy share: who acts, on which request, and how it is told. */
import type { Actor } from '#core/audit';
import { DomainError, type TenantId } from '#core/kernel';
import { toTimestamp } from '#platform/clock';
import { effectiveDue, type PrivacyActor, type PrivacyRequest } from '#slices/privacy';
import { type CommandOption, EXIT, type Given, UsageError } from '../../../cli/command.ts';
import type { CliProcess, SliceCommand } from '../../processes.ts';
import { presentRequest } from './presentation.ts';

export const TENANT: CommandOption = {
  help: "the tenant's id",
  name: 'tenant',
  required: true,
  value: 'ID',
};
export const PERSON: CommandOption = {
  help: 'the registered person in whose name it is done',
  name: 'person',
  value: 'ID',
};
export const REQUEST = [{ help: 'an id, of `dsar list`', name: 'REQUEST' }] as const;

export const placeOf = (given: Given) => ({
  requestId: given.positionals[0] ?? '',
  tenantId: given.value('tenant') as TenantId,
});

export function tell(
  output: Parameters<SliceCommand['run']>[0]['output'],
  request: PrivacyRequest,
  now: PrivacyRequest['receivedAt'],
) {
  const { requestId, status } = request;
  const due = toTimestamp(effectiveDue(request));
  const text = `request ${requestId} (${request.action}): ${status}, due ${due}`;
  output.result(presentRequest(request, now), text);
  return EXIT.done;
}

/** The administrator, or a person in whose name they act. */
export async function actingFor(
  { identity }: Pick<CliProcess, 'identity'>,
  given: Given,
  actor: Actor,
): Promise<PrivacyActor> {
  const tenantId = given.value('tenant') as TenantId;
  const personId = given.optional('person');
  if (personId === undefined) return { actor, isPerson: false, tenantId };
  const person = (await identity.listPersons(tenantId)).find(({ id }) => id === personId);
  if (person === undefined) throw new DomainError('person-required');
  return { actor: `person:${person.id}`, isPerson: true, tenantId };
}

export function wordOf<Word extends string>(
  name: string,
  words: readonly Word[],
  given: string | undefined,
): Word | undefined {
  return given === undefined ? undefined : requiredWord(name, words, given);
}

export function requiredWord<Word extends string>(
  name: string,
  words: readonly Word[],
  given: string,
): Word {
  const word = words.find((one) => one === given);
  if (word !== undefined) return word;
  throw new UsageError(`--${name}: expected ${words.join(', ')}; got '${given}'`);
}
