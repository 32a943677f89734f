/** Who decides about exclusions, of those who call. */
import type { Actor } from '#core/audit';
import { type Principal, personOf } from '#core/identity';
import type { ExclusionActor } from '#slices/exclusions';
import type { SliceProcess } from '../../processes.ts';

/** The caller as entries name them. */
export async function actorOf(
  { identity }: Pick<SliceProcess, 'identity'>,
  principal: Principal,
  ip?: string,
): Promise<ExclusionActor> {
  const { tenantId } = principal;
  const person = personOf(principal, await identity.listPersons(tenantId));
  const account: Actor = `${principal.kind === 'user' ? 'user' : 'key'}:${principal.id}`;
  return {
    actor: person === undefined ? account : `person:${person.id}`,
    ...(ip !== undefined && { ip }),
    isPerson: person !== undefined,
    tenantId,
  };
}
