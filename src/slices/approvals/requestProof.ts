/**
 * Whether a stored request is the one that its author asked for, and still waits. The entry of the
 * asking is signed and commits to the request by a digest, so a record that was changed past the
 * service differs. One that was opened again has an entry of its end.
 */
import { type AuditAction, type AuditStore, type SealedEvent, verifiedEvent } from '#core/audit';
import { type ChainId, chainOf, DomainError, PLATFORM_CHAIN } from '#core/kernel';
import { ENTRIES_SINCE_MAX } from './limits.ts';
import type { ApprovalPorts } from './ports.ts';
import { findRequest, requestDigest } from './request.ts';
import type { ApprovalRequest } from './tables.ts';

/** Members of the entry of the asking. */
type Asked = NonNullable<ReturnType<typeof verifiedEvent>>;

/** Requests of one tenant that were asked for at the same moment are far fewer. */
const ASKED_AT_ONCE_MAX = 1_000;
const PAGE_ENTRIES = 500;

/** Target of the entries of one request. */
export const targetOf = ({ approvalId }: Pick<ApprovalRequest, 'approvalId'>): string =>
  `approval:${approvalId}`;

/** False also where the entry is not found, or is not what the service signed. */
async function isAsAsked(
  ports: Pick<ApprovalPorts, 'audit' | 'keyRing'>,
  request: ApprovalRequest,
): Promise<boolean> {
  const asked = await askedEntry(ports, request);
  if (asked === undefined || asked.request_digest !== requestDigest(request)) return false;
  const details = asked.details as { readonly reason?: unknown } | undefined;
  const isSameReason = details?.reason === undefined || details.reason === request.reason;
  return isSameReason && !(await hasEnded(ports, request, asked));
}

/**
 * The request as it stands: `request`, or its end where it has ended since it was read. Throws
 * `approval-altered` where it waits and is not the one that its author asked for.
 */
export async function verifiedRequest(
  ports: Pick<ApprovalPorts, 'audit' | 'keyRing' | 'tables'>,
  request: ApprovalRequest,
): Promise<ApprovalRequest> {
  if (request.state !== 'open' || (await isAsAsked(ports, request))) return request;
  const found = await findRequest(ports, request);
  if (found.state !== 'open') return found;
  throw new DomainError('approval-altered');
}

/** The members of the entry, verified. */
async function askedEntry(
  { audit, keyRing }: Pick<ApprovalPorts, 'audit' | 'keyRing'>,
  request: ApprovalRequest,
): Promise<Asked | undefined> {
  const chainId = chainOf(request.tenantId);
  const target = targetOf(request);
  const event = await findEntry(audit, {
    action: 'APPROVAL_REQUESTED',
    afterSeq: request.afterSeq,
    chainId,
    entriesMax: ASKED_AT_ONCE_MAX,
    target,
  });
  const entry = event && verifiedEvent(event, { chainId, keyRing });
  return entry?.action === 'APPROVAL_REQUESTED' && entry.target === target ? entry : undefined;
}

/**
 * An expired one cannot be opened again: its time is in the digest. A stale one is stale anew.
 * Where more entries came since the asking than are looked at, nobody knows: it is refused.
 */
async function hasEnded(
  { audit }: Pick<ApprovalPorts, 'audit'>,
  request: ApprovalRequest,
  asked: Asked,
): Promise<boolean> {
  const target = targetOf(request);
  const chainId = chainOf(request.tenantId);
  const afterSeq = Number(asked.seq);
  const looks: readonly Look[] = [
    { action: 'APPROVAL_APPLIED', afterSeq, chainId, target },
    { action: 'APPROVAL_REJECTED', afterSeq, chainId, target },
    { action: 'APPROVAL_WITHDRAWN', afterSeq, chainId, target },
    {
      action: 'APPROVAL_APPLIED',
      afterSeq: Number(asked.platform_seq),
      chainId: PLATFORM_CHAIN,
      target,
    },
  ];
  const ends = await Promise.all(
    looks.map((look) =>
      findEntry(audit, { ...look, entriesMax: ENTRIES_SINCE_MAX, onBeyond: refuseUnknown }),
    ),
  );
  return ends.some((end) => end !== undefined);
}

function refuseUnknown(): never {
  const detail = `more than ${ENTRIES_SINCE_MAX} approvals ended since: ask for the change anew`;
  throw new DomainError('state-conflict', { detail });
}

interface Look {
  readonly chainId: ChainId;
  readonly action: AuditAction;
  readonly target: string;
  readonly afterSeq: number;
}

interface BoundLook extends Look {
  readonly entriesMax: number;
  /** Called where there are more. */
  readonly onBeyond?: () => never;
}

/** The first entry of this action and target, in pages of an index. */
async function findEntry(
  audit: Pick<AuditStore, 'readEvents'>,
  { action, afterSeq, chainId, entriesMax, onBeyond, target }: BoundLook,
): Promise<SealedEvent | undefined> {
  let fromSeq = afterSeq + 1;
  for (let read = 0; read < entriesMax; read += PAGE_ENTRIES) {
    const events = await audit.readEvents({ action, chainId, fromSeq, limit: PAGE_ENTRIES });
    const found = events.find(
      ({ body }) =>
        body.includes(target) &&
        (JSON.parse(body) as { readonly target?: unknown }).target === target,
    );
    const last = events.at(-1);
    if (found !== undefined || last === undefined) return found;
    fromSeq = last.seq + 1;
  }
  onBeyond?.();
  return undefined;
}
