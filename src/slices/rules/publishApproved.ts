/**
 * The second signature of a version, given at `/v1/approvals` (decision 8.6): the last editor asks
 * once the first one stands, another person signs the very bytes of `POST …/publish`, and the
 * version comes into force with the end of the request, in one commit.
 */
import { overwrite } from '#core/audit';
import type { AppliedChange, ApprovedBy, CountedSignature, ShownChange } from '#core/identity';
import { DomainError } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { requireUnlocked } from '#slices/policies';
import type { RuleDeskPorts } from './ports.ts';
import {
  countedSignatures,
  publicationSubject,
  publish,
  ruleSigners,
  type SignableRule,
  signableRule,
} from './publishRule.ts';
import type { RulePlace } from './ruleRecord.ts';
import type { RuleRecord } from './tables.ts';

/** A version that one person has signed. */
export type AwaitedRule = SignableRule & { readonly first: CountedSignature };

/** Throws as `publishRule`; `state-conflict` where nobody has signed it, or it was edited. */
export async function awaitedRule(
  ports: RuleDeskPorts,
  place: RulePlace & { readonly newValue: unknown },
): Promise<AwaitedRule> {
  await requireUnlocked(ports, place.tenantId);
  const signable = await signableRule(ports, place);
  const { newValue } = publicationSubject(signable.draft);
  if (canonicalJson(newValue as never) !== canonicalJson(place.newValue as never)) {
    throw new DomainError('state-conflict', { detail: 'the version was edited since' });
  }
  const persons = await ports.listPersons(place.tenantId);
  const [first] = countedSignatures(signable.draft, { now: ports.clock.now(), persons });
  if (first !== undefined) return { ...signable, first };
  const detail = 'nobody has signed it: the first signature is given at POST …/publish';
  throw new DomainError('state-conflict', { detail });
}

/** Old and new for whoever signs. */
export const shownPublication = ({ active, draft, first }: AwaitedRule): ShownChange => ({
  about: {
    content: draft.content,
    justification: draft.justification,
    signed_by: first.signature.signer,
  },
  new: publicationSubject(draft).newValue,
  old: active === undefined ? null : publicationSubject(active).newValue,
});

/** Puts it into force. Throws as `awaitedRule`, and `dual-control-…` for the second person. */
export function publishApproved(
  ports: RuleDeskPorts,
  of: RulePlace & {
    readonly newValue: unknown;
    readonly by: ApprovedBy;
    readonly answerOf: (published: RuleRecord) => AppliedChange;
  },
): Promise<RuleRecord> {
  const { answerOf, by, tenantId } = of;
  const { alongside, idempotency, ip } = by;
  const { approver, consume } = by.approval;
  // Before them: the signature and what is archived; the head of the log stands behind them.
  const own = (alongside?.changes ?? []).length;
  let places = 0;
  return overwrite(
    async () => {
      const { active, draft, first } = await awaitedRule(ports, of);
      places = 2 + (active === undefined ? 0 : 1) + own;
      const second = ruleSigners.secondOf(first.person, by.approval);
      const ask = {
        tenantId,
        ...(ip !== undefined && { ip }),
        ...(idempotency && { idempotency: (made: RuleRecord) => idempotency(answerOf(made)) }),
      };
      return publish(
        ports,
        { active, ask, before: draft, editor: `person:${approver.id}` },
        {
          alongside,
          consume: [consume],
          now: ports.clock.now(),
          open: { comment: by.reason },
          signatures: [first.signature, second],
        },
      );
    },
    // The log has gone on meanwhile: the version comes into force a little later.
    { mayRepeat: ({ changeIndex }) => changeIndex >= places },
  );
}
