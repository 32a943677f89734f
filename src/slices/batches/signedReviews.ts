/**
 * People's decisions of hits are compared with the chain (decision 3.1b): each has an entry with
 * the digest of its record. A hit that was cleared past the service is not shown as cleared, and is
 * not missed among those that wait; `doctor` and `audit verify --state` find records that were put
 * back as they once were, or removed, too.
 */
import {
  type AuditStore,
  entryPages,
  findEntryNear,
  type JsonRecord,
  type KeyRing,
  type SealedEvent,
  storedMembers,
  verifiedEvent,
} from '#core/audit';
import { chainOf, DomainError, type TenantId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { sha256Hex } from '#platform/crypto';
import type { HitReview } from './batch.ts';

export const DECIDED_ACTION = 'aml.batch.hit.decided';
/** Reviews that a process knows to be good, and places that a search has met on its way. */
const KEPT_MAX = 20_000;

type ReviewAudit = Pick<AuditStore, 'findBySeq' | 'head' | 'readEvents'>;

export interface SignedReviewPorts {
  readonly audit: ReviewAudit;
  readonly keyRing: KeyRing;
}

/** Notes are free text, and stand in what can be erased; an erasure alone makes a version more. */
export function reviewDigest({ notes: _, version: __, ...decisive }: HitReview): string {
  return sha256Hex(`hit-review-v1\0${canonicalJson(decisive)}`);
}

const keyOf = ({ batchId, hitId }: Pick<HitReview, 'batchId' | 'hitId'>): string =>
  `${batchId}/${hitId}`;

const keyIn = ({ hit_id, target }: JsonRecord): string => `${target}/${hit_id}`;

/** Reviews as one process has compared them. */
export class SignedReviews {
  readonly #ports: SignedReviewPorts;
  /** Digests of reviews that are good. */
  readonly #good = new Map<string, string>();
  readonly #seqs = new Map<string, number>();

  constructor(ports: SignedReviewPorts) {
    this.#ports = ports;
  }

  /** Rejects with `results-altered` where no signed decision made the review what it is. */
  async check(review: HitReview): Promise<void> {
    const key = keyOf(review);
    const held = sha256Hex(`${reviewDigest(review)}\0${review.notes}`);
    if (this.#good.get(key) === held) return;
    const event = await this.#find(review);
    const chainId = chainOf(review.tenantId);
    const entry = event && verifiedEvent(event, { chainId, keyRing: this.#ports.keyRing });
    if (entry === undefined || !isTold(review, entry)) throw altered(review);
    keep(this.#good, key, held);
  }

  /** The entry that tells of it, unverified; of several that which does. */
  async #find(review: HitReview): Promise<SealedEvent | undefined> {
    const { audit } = this.#ports;
    const chainId = chainOf(review.tenantId);
    const isIt = (event: SealedEvent): boolean => {
      if (event.action !== DECIDED_ACTION) return false;
      const members = storedMembers(event);
      keep(this.#seqs, keyIn(members), event.seq);
      return isTold(review, members);
    };
    const known = this.#seqs.get(keyOf(review));
    const event = known === undefined ? undefined : await audit.findBySeq(chainId, known);
    if (event !== undefined && isIt(event)) return event;
    return findEntryNear(audit, chainId, {
      action: DECIDED_ACTION,
      isIt,
      near: review.reviewedAt,
    });
  }
}

/** Whether an entry made the review what it is. */
function isTold(review: HitReview, entry: JsonRecord): boolean {
  if (keyIn(entry) !== keyOf(review)) return false;
  // Erased with its subject, or with the entry's details.
  const { notes } = (entry.details ?? {}) as { readonly notes?: unknown };
  if (notes !== undefined && review.notes !== '' && notes !== review.notes) return false;
  // Entries of a former release tell the decision alone.
  if (entry.review_digest === undefined) return entry.decision === review.decision;
  return entry.review_digest === reviewDigest(review);
}

function keep<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > KEPT_MAX && oldest !== undefined) map.delete(oldest);
}

const altered = ({ hitId }: HitReview): DomainError =>
  new DomainError('results-altered', {
    detail: `hit ${hitId}: nobody decided what its record says`,
  });

/**
 * The last decision of each hit, by its key; entries that are not signed are told. It keeps some
 * hundred bytes for each hit that was ever decided.
 */
export async function lastDecisions(
  { audit, keyRing }: SignedReviewPorts,
  tenantId: TenantId,
): Promise<{
  readonly refusals: readonly string[];
  /** Why it is not what its last entry made it; undefined where it is. Asked once for each. */
  refusalOf(review: HitReview): string | undefined;
  /** Those that were not asked for. */
  gone(): readonly string[];
}> {
  const chainId = chainOf(tenantId);
  const last = new Map<string, JsonRecord>();
  const refusals: string[] = [];
  for await (const page of entryPages(audit, { action: DECIDED_ACTION, chainId, fromSeq: 1 })) {
    for (const event of page) {
      const entry = verifiedEvent(event, { chainId, keyRing });
      if (entry === undefined) refusals.push(`entry seq ${event.seq}: it is not what was signed`);
      else last.set(keyIn(entry), heldMembers(entry));
    }
  }
  return {
    gone: () => [...last.keys()].map((key) => `hit ${key.split('/')[1]}: its review is gone`),
    refusalOf(review) {
      const entry = last.get(keyOf(review));
      last.delete(keyOf(review));
      if (entry !== undefined && isTold(review, entry)) return undefined;
      return `hit ${review.hitId}: its review is not what its last entry made it`;
    },
    refusals,
  };
}

const heldMembers = ({ decision, details, hit_id, review_digest, target }: JsonRecord) => ({
  decision,
  details,
  hit_id,
  review_digest,
  target,
});
