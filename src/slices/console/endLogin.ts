/** Sessions of a person: listed, and ended by the person. */
import { entry, overwrite } from '#core/audit';
import { chainOf, DomainError } from '#core/kernel';
import { isLive } from './callingLogin.ts';
import { SESSIONS_SHOWN_MAX } from './limits.ts';
import type { ConsolePorts } from './ports.ts';
import { findLogin, sessionDigest, sessionTarget } from './signedLogins.ts';
import { type ConsoleLogin, consoleLoginTable } from './tables.ts';

type Owner = Pick<ConsoleLogin, 'actor' | 'tenantId'>;

/** Those that may be used now, latest first. */
export async function liveLogins(
  { clock, tables }: Pick<ConsolePorts, 'clock' | 'tables'>,
  { actor, tenantId }: Owner,
): Promise<readonly ConsoleLogin[]> {
  const { records } = await tables.page(consoleLoginTable, {
    direction: 'descending',
    equal: { actor, tenantId },
    index: 'byActor',
    limit: SESSIONS_SHOWN_MAX,
  });
  const now = clock.now();
  return records.filter((one) => isLive(one, now));
}

/** Throws `not-found` for a session of somebody else. One that has ended stays ended. */
export async function endLogin(
  ports: ConsolePorts,
  { actor, ip, sessionId, tenantId }: Owner & { readonly ip: string; readonly sessionId: string },
): Promise<void> {
  await overwrite(async () => {
    const login = await findLogin(ports, { sessionId, tenantId });
    if (login === undefined || login.actor !== actor) throw new DomainError('not-found');
    if (login.state === 'ended') return;
    // Its tokens are good for nothing more here.
    const { tokens: _, ...kept } = login;
    const ended: ConsoleLogin = { ...kept, state: 'ended', version: login.version + 1 };
    const told = entry(ports, {
      action: 'console.session.ended',
      actor,
      members: { record_digest: sessionDigest(ended) },
      target: sessionTarget(ended),
      ...(ip !== '' && { ip }),
    });
    const changes = [consoleLoginTable.put(ended, login.version)];
    await ports.commit(chainOf(tenantId), { bus: [], changes, events: [told] });
  });
}
