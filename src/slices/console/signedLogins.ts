/**
 * Links and sessions are compared with the chain: the last entry about each has its digest. One
 * that was written, changed or put back past the service signs nobody in.
 */
import { lookSettled, verifiedEvent } from '#core/audit';
import { chainOf, DomainError, everyRecord, type TenantId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { sha256Hex } from '#platform/crypto';
import type { ConsolePorts } from './ports.ts';
import {
  type ConsoleLink,
  type ConsoleLogin,
  consoleLinkTable,
  consoleLoginTable,
} from './tables.ts';

type Ports = Pick<ConsolePorts, 'audit' | 'keyRing' | 'tables'>;

export const linkTarget = ({ linkId }: Pick<ConsoleLink, 'linkId'>): string =>
  `console_link:${linkId}`;
export const sessionTarget = ({ sessionId }: Pick<ConsoleLogin, 'sessionId'>): string =>
  `console_session:${sessionId}`;

/** Digest of a link, whole. */
export const linkDigest = (link: ConsoleLink): string =>
  sha256Hex(`console-link-v1\0${canonicalJson(link as never)}`);

/** Digest of a session without its last request, which no entry tells. */
export function sessionDigest({ seenAt: _, ...decisive }: ConsoleLogin): string {
  return sha256Hex(`console-session-v1\0${canonicalJson(decisive as never)}`);
}

/** Undefined: there is none. Throws `state-altered`. */
export const findLink = (
  ports: Ports,
  { linkId, tenantId }: Pick<ConsoleLink, 'linkId' | 'tenantId'>,
): Promise<ConsoleLink | undefined> =>
  signed(ports, {
    digestOf: linkDigest,
    read: () => ports.tables.find(consoleLinkTable, { linkId, tenantId }),
    target: linkTarget({ linkId }),
    tenantId,
  });

/** Undefined: there is none. Throws `state-altered`. */
export const findLogin = (
  ports: Ports,
  { sessionId, tenantId }: Pick<ConsoleLogin, 'sessionId' | 'tenantId'>,
): Promise<ConsoleLogin | undefined> =>
  signed(ports, {
    digestOf: sessionDigest,
    read: () => ports.tables.find(consoleLoginTable, { sessionId, tenantId }),
    target: sessionTarget({ sessionId }),
    tenantId,
  });

async function signed<Found>(
  { audit, keyRing }: Ports,
  of: {
    readonly digestOf: (found: Found) => string;
    readonly read: () => Promise<Found | undefined>;
    readonly target: string;
    readonly tenantId: TenantId;
  },
): Promise<Found | undefined> {
  const chainId = chainOf(of.tenantId);
  const { found, refusal } = await lookSettled(audit, async () => {
    const found = await of.read();
    if (found === undefined) return { chainId, found, refusal: undefined };
    const [event] = await audit.lastEntries({ chainId, targets: [of.target] });
    const told = event && verifiedEvent(event, { chainId, keyRing });
    const isSo = told?.record_digest === of.digestOf(found);
    return { chainId, found, refusal: isSo ? undefined : 'not what was signed' };
  });
  if (refusal === undefined) return found;
  throw new DomainError('state-altered', { detail: `${of.target}: ${refusal}` });
}

/** All of a tenant that are not what was signed, in words, and how many there are. */
export async function checkLogins(
  ports: Ports,
  tenantId: TenantId,
): Promise<{ readonly count: number; readonly refusals: readonly string[] }> {
  const refusals: string[] = [];
  let count = 0;
  const look = async (find: () => Promise<unknown>): Promise<void> => {
    count++;
    try {
      await find();
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'state-altered') throw error;
      refusals.push(error.message);
    }
  };
  const ask = { equal: { tenantId }, index: 'key' } as const;
  for await (const one of everyRecord(ports.tables, consoleLinkTable, ask)) {
    await look(() => findLink(ports, one));
  }
  for await (const one of everyRecord(ports.tables, consoleLoginTable, ask)) {
    await look(() => findLogin(ports, one));
  }
  return { count, refusals };
}
