/** The caller as entries name them: the person, where there is one. */
import type { Actor } from '#core/audit';
import { personOf } from '#core/identity';
import type { FilingPorts, TaxAsk } from '#slices/tax';
import type { CursorCodec } from '../../../api/cursor.ts';
import type { OperationContext } from '../../../api/operation.ts';
import type { GatewayProcess } from '../../processes.ts';

/** What the operations are made of. */
export interface AskRouteOptions {
  readonly ports: () => FilingPorts;
  readonly cursors: CursorCodec;
  readonly identity: Pick<GatewayProcess['identity'], 'listPersons'>;
}

/** How long an answer of an authority may take to be read; its bound is twenty megabytes. */
const READING_DEADLINE_MS = 60_000;

/** Who waits for what is read in a thread. */
export const readingBy = ({ request }: OperationContext) => ({
  deadlineMs: READING_DEADLINE_MS,
  signal: request.signal,
});

export async function askOf(
  { identity }: Pick<AskRouteOptions, 'identity'>,
  { ip, principal, tenantId }: OperationContext,
): Promise<TaxAsk> {
  const person = personOf(principal, await identity.listPersons(tenantId));
  const account: Actor = `${principal.kind === 'user' ? 'user' : 'key'}:${principal.id}`;
  const actor: Actor = person === undefined ? account : `person:${person.id}`;
  return { actor, tenantId, ...(ip !== '' && { ip }) };
}
