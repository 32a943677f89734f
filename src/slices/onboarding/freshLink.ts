/**
 * The link that a mail brings: a session of the case's newest form. A mail that is tried again
 * brings the link that it may have brought already, while that is good for some time yet.
 */
import { overwrite } from '#core/audit';
import { constantTimeEqual } from '#platform/crypto';
import { type FreshLink, isUndecided, seeCase } from '#slices/customers';
import type { FormVersion } from '#slices/forms';
import { SESSION_LEFT_MS } from './limits.ts';
import { activeOf, commitSession, linkOf, newestSession } from './openSession.ts';
import type { OnboardingPorts } from './ports.ts';
import { tokenDigest, tokenOf } from './sessionToken.ts';
import type { SessionRecord } from './tables.ts';

const ACTOR = 'system:onboarding';

/** Undefined: the case is decided, or has no form. */
export const freshLinkOf =
  (ports: OnboardingPorts): FreshLink =>
  ({ caseId, orderId, tenantId }) =>
    overwrite(async () => {
      const { record, workflow } = await seeCase(ports.cases, { caseId, tenantId });
      if (!isUndecided(record)) return undefined;
      const former = await newestSession(ports, { caseId, tenantId });
      const same = former && (await linkAgain(ports, former, orderId));
      if (same !== undefined) return same;
      const version = await versionFor(ports, former, {
        code: workflow.content.form_code,
        tenantId,
      });
      if (version === undefined) return undefined;
      const { url } = await commitSession(
        ports,
        { actor: ACTOR, tenantId },
        {
          given: {
            channel: former?.channel ?? 'web',
            ...(former !== undefined && { locale: former.locale }),
            ...(former?.returnUrl !== undefined && { returnUrl: former.returnUrl }),
          },
          orderId,
          record,
          version,
        },
      );
      return url;
    });

/** Undefined: the session is for something else, ends soon, or was signed by another key. */
async function linkAgain(
  ports: OnboardingPorts,
  session: SessionRecord,
  orderId: string,
): Promise<string | undefined> {
  const isOf = session.orderId === orderId && session.state === 'open';
  if (!isOf || session.expiresAt - ports.clock.now() < SESSION_LEFT_MS) return undefined;
  const origin = await ports.originOf(session.tenantId);
  const token = tokenOf(session, origin, ports.signer);
  const isKnown = constantTimeEqual(tokenDigest(token), session.tokenDigest);
  return isKnown ? linkOf(origin, token) : undefined;
}

/** The form that the customer had before, else that of the workflow. */
async function versionFor(
  ports: OnboardingPorts,
  former: SessionRecord | undefined,
  { code, tenantId }: Pick<SessionRecord, 'tenantId'> & { readonly code: string | undefined },
): Promise<FormVersion | undefined> {
  if (former !== undefined) return activeOf(ports, tenantId, { id: former.formId });
  return code === undefined ? undefined : activeOf(ports, tenantId, { code });
}
