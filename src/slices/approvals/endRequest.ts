/** How a request ends without its change: rejected, withdrawn, expired or stale. One end wins. */
import { type Actor, entry, type IdempotencyRecord, overwrite, StaleChange } from '#core/audit';
import type { Person, Principal } from '#core/identity';
import { chainOf, DomainError, isConflict, type PageCursor } from '#core/kernel';
import { allTogether, type PerTenant } from '#core/work';
import { OPEN_REQUESTS_MAX } from './limits.ts';
import { decidedEvent } from './notices.ts';
import type { ApprovalPorts, EndPorts } from './ports.ts';
import {
  findRequest,
  mayDecide,
  type RequestPlace,
  requireOpen,
  requirePerson,
} from './request.ts';
import { targetOf } from './requestProof.ts';
import { type ApprovalRequest, approvalTable } from './tables.ts';

/** Every end but `applied`, which is in the commit of the change (signRequest.ts). */
type Unapplied = 'expired' | 'rejected' | 'stale' | 'withdrawn';

const ACTIONS = {
  expired: 'APPROVAL_EXPIRED',
  rejected: 'APPROVAL_REJECTED',
  stale: 'APPROVAL_STALE',
  withdrawn: 'APPROVAL_WITHDRAWN',
} as const satisfies Readonly<Record<Unapplied, string>>;

/** Requests that one run of the job ends. */
export const EXPIRED_PER_RUN_MAX = 1_000;
const EXPIRED_PAGE = 100;

interface End {
  readonly state: Unapplied;
  readonly actor: Actor;
  readonly person?: Person;
  readonly comment?: string;
  readonly ip?: string;
  readonly idempotency?: (request: ApprovalRequest) => IdempotencyRecord;
}

/** What a person sends to end a request. */
export interface EndByPerson extends RequestPlace, Pick<End, 'idempotency' | 'ip'> {
  readonly principal: Principal;
}

/**
 * The request, rejected by one who might have signed it. Throws `person-required`,
 * `dual-control-same-person`, `dual-control-roles`, `state-conflict`.
 */
export async function rejectRequest(
  ports: EndPorts & Pick<ApprovalPorts, 'listPersons'>,
  ask: EndByPerson & { readonly comment: string },
): Promise<ApprovalRequest> {
  const person = requirePerson(ask.principal, await ports.listPersons(ask.tenantId));
  const end = { ...ask, actor: `person:${person.id}`, person, state: 'rejected' } as const;
  return overwrite(async () => {
    const request = await openRequest(ports, ask);
    if (request.authorId === person.id) throw new DomainError('dual-control-same-person');
    if (!mayDecide(request, person)) throw new DomainError('dual-control-roles');
    return endRequest(ports, request, end);
  });
}

/** The request, withdrawn. Throws `person-required`, `role-insufficient`, `state-conflict`. */
export async function withdrawRequest(
  ports: EndPorts & Pick<ApprovalPorts, 'listPersons'>,
  ask: EndByPerson,
): Promise<ApprovalRequest> {
  const person = requirePerson(ask.principal, await ports.listPersons(ask.tenantId));
  const end = { ...ask, actor: `person:${person.id}`, person, state: 'withdrawn' } as const;
  return overwrite(async () => {
    const request = await openRequest(ports, ask);
    if (request.authorId !== person.id) {
      throw new DomainError('role-insufficient', { detail: 'expected the author of the request' });
    }
    return endRequest(ports, request, end);
  });
}

/** Ends a request whose base has changed. Another end that was faster stays. */
export async function markStale(
  ports: EndPorts,
  request: ApprovalRequest,
  by: { readonly person: Person; readonly ip?: string },
): Promise<void> {
  const end = { ...by, actor: `person:${by.person.id}`, state: 'stale' } as const;
  await endRequest(ports, request, end).catch(ignoreStale);
}

/**
 * Ends what was asked for of the same field and upon the same value: the applied request has
 * replaced it. A change that is made otherwise is met when such a request is signed.
 */
export async function endOvertaken(ports: EndPorts, applied: ApprovalRequest): Promise<void> {
  const { baseVersion, field, resource, tenantId } = applied;
  const { records } = await ports.tables.page(approvalTable, {
    equal: { state: 'open', tenantId },
    index: 'byState',
    limit: OPEN_REQUESTS_MAX,
  });
  const overtaken = records.filter(
    (one) => one.resource === resource && one.field === field && one.baseVersion === baseVersion,
  );
  for (const request of overtaken) {
    const end = { actor: 'system:approvals', state: 'stale' } as const;
    await endRequest(ports, request, end).catch(ignoreStale);
  }
}

/**
 * Ends what nobody decided in time; answers how many. Harmless to repeat, and to do at once. A
 * tenant has OPEN_REQUESTS_MAX of them, so one whose requests cannot be ended holds up few looks.
 */
export async function expireRequests(
  ports: EndPorts,
  perTenant: PerTenant = allTogether,
): Promise<number> {
  const now = ports.clock.now();
  const end = { actor: 'system:approvals', state: 'expired' } as const;
  let ended = 0;
  for (let after: PageCursor | undefined; ended < EXPIRED_PER_RUN_MAX; ) {
    const { next, records } = await ports.tables.page(approvalTable, {
      equal: { isOpen: true },
      index: 'due',
      limit: EXPIRED_PAGE,
      to: now + 1,
      ...(after !== undefined && { after }),
    });
    for (const request of records) {
      const work = () =>
        endRequest(ports, request, end)
          .catch(ignoreStale)
          .then(() => 1);
      ended += (await perTenant(request.tenantId, work)) ?? 0;
    }
    after = next;
    if (after === undefined) break;
  }
  return ended;
}

async function openRequest(ports: EndPorts, place: RequestPlace): Promise<ApprovalRequest> {
  const request = await findRequest(ports, place);
  requireOpen(request, ports.clock.now());
  return request;
}

async function endRequest(
  ports: EndPorts,
  request: ApprovalRequest,
  { actor, comment, idempotency, ip, person, state }: End,
): Promise<ApprovalRequest> {
  const ended = endedAs(request, {
    at: ports.clock.now(),
    state,
    ...(person && { by: person.id }),
  });
  const next: ApprovalRequest = { ...ended, ...(comment !== undefined && { comment }) };
  const event = entry(ports, {
    action: ACTIONS[state],
    actor,
    ...(ip !== undefined && { ip }),
    members: { field: request.field, resource: request.resource },
    open: comment === undefined ? {} : { comment },
    target: targetOf(request),
  });
  await ports.commit(chainOf(request.tenantId), {
    bus: [decidedEvent(next)],
    changes: [approvalTable.put(next, request.version)],
    events: [event],
    ...(idempotency !== undefined && { idempotency: () => idempotency(next) }),
  });
  return next;
}

/** The next version of a request, in a final state. */
export const endedAs = (
  request: ApprovalRequest,
  of: {
    readonly state: ApprovalRequest['state'];
    readonly at: ApprovalRequest['requestedAt'];
    readonly by?: string;
  },
): ApprovalRequest => ({
  ...request,
  endedAt: of.at,
  ...(of.by !== undefined && { endedBy: of.by }),
  state: of.state,
  version: request.version + 1,
});

/** Another end was faster. */
function ignoreStale(error: unknown): void {
  if (!(error instanceof StaleChange || isConflict(error))) throw error;
}
