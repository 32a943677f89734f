/**
 * Requests of a tenant, latest first: those that the caller asked for, and those that the caller
 * may decide. A page is one walk of an index that goes on until it is full, or has looked at so
 * many records that the rest is the next page's.
 */
import { type Person, type Principal, personOf, type Role } from '#core/identity';
import type { PageCursor, TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { ApprovalPorts } from './ports.ts';
import { stateOf } from './request.ts';
import { type ApprovalRequest, type ApprovalState, approvalTable } from './tables.ts';

/** Which requests, and how many; a member that is absent matches all. */
export interface InboxAsk {
  readonly principal: Principal;
  readonly tenantId: TenantId;
  readonly state?: ApprovalState;
  readonly resource?: string;
  /** True: asked for by the caller. False: to be decided by the caller. */
  readonly isMine?: boolean;
  /** Continues behind this request. */
  readonly after?: { readonly approvalId: string; readonly requestedAt: EpochMs };
  readonly limit: number;
  /** Asked before each further step of the walk; false ends the page there. */
  readonly mayReadOn?: () => Promise<boolean>;
}

/**
 * One page. It is short and has a `next` only where EXAMINED_MAX records were looked at, or it may
 * not read on.
 */
export interface InboxPage {
  readonly requests: readonly ApprovalRequest[];
  /** Behind which the next page begins. Absent: this was the last one. */
  readonly next?: Pick<ApprovalRequest, 'approvalId' | 'requestedAt'>;
}

/** Records that a page looks at; a tenant may have requests of many years that others asked for. */
export const EXAMINED_MAX = 2_000;
/** What one step reads; a page takes as many steps as it needs. */
const STEP_RECORDS = 200;

/** The caller as a reader: a person, or a key with its roles. */
interface Reader {
  readonly personId: string | undefined;
  readonly roles: readonly Role[];
}

/** One more than the limit is looked for, so that the last page is known to be the last. */
export async function readInbox(
  ports: Pick<ApprovalPorts, 'clock' | 'listPersons' | 'tables'>,
  ask: InboxAsk,
): Promise<InboxPage> {
  const person = personOf(ask.principal, await ports.listPersons(ask.tenantId));
  const reader = readerOf(ask.principal, person);
  const now = ports.clock.now();
  const walk = walkOf(ask, reader);
  const found: ApprovalRequest[] = [];
  let after = walk.after;
  for (let examined = 0; ; ) {
    const page = await ports.tables.page(approvalTable, {
      direction: 'descending',
      equal: walk.equal,
      index: walk.index,
      limit: STEP_RECORDS,
      ...(after !== undefined && { after }),
    });
    const whole = page.records.filter(isWhole);
    found.push(...whole.filter((request) => isAsked(request, { ask, now, reader })));
    const requests = found.slice(0, ask.limit);
    if (found.length > ask.limit) return withNext(requests, requests.at(-1));
    if (page.next === undefined) return { requests };
    examined += page.records.length;
    const isOver = examined >= EXAMINED_MAX || (await ask.mayReadOn?.()) === false;
    if (isOver) return withNext(requests, whole.at(-1) ?? page.records.at(-1));
    after = page.next;
  }
}

const withNext = (
  requests: readonly ApprovalRequest[],
  last: ApprovalRequest | undefined,
): InboxPage => ({ requests, ...(last !== undefined && { next: last }) });

function readerOf(principal: Principal, person: Person | undefined): Reader {
  return { personId: person?.id, roles: (person ?? principal).roles };
}

/** The narrowest index that the filters name; the others are looked at record by record. */
function walkOf({ after, isMine, resource, state, tenantId }: InboxAsk, { personId }: Reader) {
  const position: PageCursor | undefined = after && [after.requestedAt, tenantId, after.approvalId];
  const walk = (index: string, equal: Readonly<Record<string, string>>) => ({
    after: position,
    equal: { tenantId, ...equal },
    index,
  });
  if (resource !== undefined) return walk('byResource', { resource });
  if (isMine === true) return walk('byAuthor', { authorId: personId ?? '' });
  // A request whose time is over is expired before the job has written it.
  if (state !== undefined && state !== 'expired') return walk('byState', { state });
  return walk('newest', {});
}

/** One that lacks what every request has was written past the service; `doctor` names it. */
const isWhole = ({ endedAt, expiresAt, requestedAt, signerRoles }: ApprovalRequest): boolean =>
  [requestedAt, expiresAt, endedAt ?? 0].every(isInstant) && Array.isArray(signerRoles);

const isInstant = (at: unknown): boolean =>
  typeof at === 'number' && !Number.isNaN(new Date(at).getTime());

function isAsked(
  request: ApprovalRequest,
  { ask, now, reader }: { readonly ask: InboxAsk; readonly now: EpochMs; readonly reader: Reader },
): boolean {
  if (ask.state !== undefined && stateOf(request, now) !== ask.state) return false;
  if (ask.resource !== undefined && request.resource !== ask.resource) return false;
  const isMine = request.authorId === reader.personId;
  const isForMe = !isMine && reader.roles.some((role) => request.signerRoles.includes(role));
  if (ask.isMine === undefined) return isMine || isForMe;
  return ask.isMine ? isMine : isForMe;
}
