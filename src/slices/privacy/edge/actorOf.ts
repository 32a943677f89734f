/** Who acts on a request, of those who call. */
import { type Principal, personOf } from '#core/identity';
import type { PrivacyActor } from '#slices/privacy';
import { actorOf as accountOf } from '../../../api/asker.ts';
import type { SliceProcess } from '../../processes.ts';

/** The caller as entries name them: the person, where one is registered. */
export async function actorOf(
  { identity }: Pick<SliceProcess, 'identity'>,
  { ip, principal }: { readonly ip: string; readonly principal: Principal },
): Promise<PrivacyActor> {
  const { tenantId } = principal;
  const person = personOf(principal, await identity.listPersons(tenantId));
  return {
    actor: person === undefined ? accountOf(principal) : `person:${person.id}`,
    ...(ip !== '' && { ip }),
    isPerson: person !== undefined,
    tenantId,
  };
}
