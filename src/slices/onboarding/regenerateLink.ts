/**
 * A customer whose link has ended asks for another one. It goes to the address on file alone, and
 * the caller is told the same whatever comes of it: who found an old link learns nothing by it.
 */
import { type Asker, type IdempotencyRecord, overwrite } from '#core/audit';
import { chainOf, type TenantId } from '#core/kernel';
import { type CaseContent, isUndecided, LINK_TEMPLATE, newTask, seeCase } from '#slices/customers';
import { DAY_MS, REGENERATE_MS, REGENERATIONS_MAX } from './limits.ts';
import { newestSession, revoked, sessionEntry } from './openSession.ts';
import type { OnboardingPorts } from './ports.ts';
import { type SessionRecord, sessionTable } from './tables.ts';

/** Who asks, by which session. */
export interface RegenerateAsk extends Asker {
  readonly tenantId: TenantId;
  readonly sessionId: string;
  readonly idempotency?: () => IdempotencyRecord | undefined;
}

/**
 * Whether there is an address that did not come by a form: who stole a link and filled the form in
 * with an address of his own would get links for ever.
 */
const isKnownAddress = ({ provenance, subject }: CaseContent): boolean =>
  subject.email !== undefined && provenance.email?.source !== 'form';

/** Whether a mail was ordered: for tests, not for callers. */
export async function regenerateLink(
  ports: OnboardingPorts,
  { actor, idempotency, ip, sessionId, tenantId }: RegenerateAsk,
): Promise<boolean> {
  return overwrite(async () => {
    const asked = await ports.sessions.find({ sessionId, tenantId });
    const newest = asked && (await newestSession(ports, asked));
    if (asked === undefined || newest === undefined) return false;
    const now = ports.clock.now();
    const place = { caseId: asked.caseId, tenantId };
    const { content, record } = await seeCase(ports.cases, place);
    const lately = newest.askedAt.filter((at) => at > now - DAY_MS);
    const isDue =
      isUndecided(record) &&
      isKnownAddress(content) &&
      now < asked.expiresAt + REGENERATE_MS &&
      lately.length < REGENERATIONS_MAX &&
      !isOvertaken(asked, newest, now);
    if (!isDue) return false;
    const next = { ...revoked(newest), askedAt: [...lately, now] };
    await ports.commit(chainOf(tenantId), {
      bus: [],
      changes: [
        sessionTable.put(next, newest.version),
        newTask(ports.cases, record, { kind: 'mail', template: LINK_TEMPLATE }),
      ],
      events: [
        sessionEntry(ports, { action: 'onboarding.link.requested', actor, ip, session: next }),
      ],
      idempotency: () => idempotency?.(),
    });
    ports.cases.wake(tenantId);
    return true;
  });
}

/** An old link does not void the one that the customer has in hand. */
const isOvertaken = (asked: SessionRecord, newest: SessionRecord, now: number): boolean =>
  newest.sessionId !== asked.sessionId && newest.state === 'open' && newest.expiresAt > now;
