/** A session is opened, whichever way the person has shown who they are. */
import { type EventDraft, entry } from '#core/audit';
import type { TableChange } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { uuidV7 } from '#platform/random';
import { SESSION_MS } from './limits.ts';
import type { ConsolePorts } from './ports.ts';
import { newSecret, secretText } from './secretText.ts';
import { sessionDigest, sessionTarget } from './signedLogins.ts';
import { type ConsoleLogin, consoleLoginTable } from './tables.ts';

/** A session with the only copy of what its browser keeps. */
export interface OpenedLogin {
  readonly login: ConsoleLogin;
  readonly cookie: string;
}

/** What a commit has to hold for a new session. */
export interface OpeningLogin {
  readonly change: TableChange;
  readonly event: EventDraft;
  readonly opened: OpenedLogin;
}

/** `linkId`: of the link that was used for it. */
export function openingLogin(
  ports: Pick<ConsolePorts, 'clock' | 'random'>,
  of: Pick<ConsoleLogin, 'actor' | 'tenantId' | 'tokens'> & {
    readonly authenticatedAt?: EpochMs;
    readonly ip: string;
    readonly linkId?: string;
  },
): OpeningLogin {
  const { actor, ip, linkId, tenantId, tokens } = of;
  const now = ports.clock.now();
  const { digest, secret } = newSecret(ports.random);
  const login: ConsoleLogin = {
    actor,
    authenticatedAt: of.authenticatedAt ?? now,
    createdAt: now,
    expiresAt: (now + SESSION_MS) as EpochMs,
    secretDigest: digest,
    seenAt: now,
    sessionId: uuidV7(now, ports.random),
    state: 'open',
    tenantId,
    version: 1,
    ...(tokens !== undefined && { tokens }),
  };
  const event = entry(ports, {
    action: 'console.session.opened',
    actor,
    members: {
      expires_at: new Date(login.expiresAt).toISOString(),
      record_digest: sessionDigest(login),
      ...(linkId !== undefined && { link_id: linkId }),
    },
    target: sessionTarget(login),
    ...(ip !== '' && { ip }),
  });
  const cookie = secretText(tenantId, login.sessionId, secret);
  return { change: consoleLoginTable.insert(login), event, opened: { cookie, login } };
}
