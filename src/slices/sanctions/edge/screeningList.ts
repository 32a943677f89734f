/** Screenings as a list (interface.md 4.8), each row checked against the chain as it is read. */
import { DomainError } from '#core/kernel';
import { PAGE_LIMIT_DEFAULT } from '#platform/limits';
import {
  type ListPorts,
  listScreenings,
  prefixOf,
  type ScreeningFilter,
  type ScreeningPlace,
} from '#slices/sanctions';
import { type Decision, START_CHARS, subjectKeyOfRef } from '#slices/screening';
import { askerOf } from '../../../api/asker.ts';
import type { CursorCodec } from '../../../api/cursor.ts';
import { instantOf } from '../../../api/instants.ts';
import { mayGoOn } from '../../../api/mayGoOn.ts';
import type { Operation, OperationContext } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import { presentChain, presentListed } from './presentation.ts';
import { ScreeningList, type ScreeningListAsk, ScreeningListQuery } from './schemas.ts';

/** Milliseconds that the check of some events may take, others before it included. */
const CHECK_DEADLINE_MS = 10_000;

export interface ListRouteOptions {
  readonly parts: () => ListPorts;
  readonly cursors: CursorCodec;
}

export const screeningListOperation = (options: ListRouteOptions): Operation => ({
  id: 'listScreenings',
  method: 'GET',
  path: '/v1/sanctions/screenings',
  tag: 'Sanctions',
  summary: 'Screenings, latest first',
  description:
    'Each row is read from its event, whose hash, signature and place in the chain are checked; ' +
    '`chain` says what was found. A page looks at a bounded number of screenings: where the ' +
    'filters leave out so many, it is short, or empty, and has a `next_cursor`; each further two ' +
    'hundred cost a token. An agent sees the screenings that they asked for or whose alert is ' +
    'theirs. Reading is an entry.',
  roles: roles.list,
  scope: 'screening:read',
  problems: ['deadline-exceeded', 'engine-queue-full'],
  idempotency: 'none',
  limits: 'general',
  bodyBytesMax: 0,
  query: ScreeningListQuery,
  responses: { 200: { description: 'A page of screenings', schema: ScreeningList } },
  handle: (context) => list(options, context),
});

async function list({ cursors, parts }: ListRouteOptions, context: OperationContext) {
  const { principal, tenantId } = context;
  const {
    cursor,
    limit = PAGE_LIMIT_DEFAULT,
    page,
    ...asked
  } = context.query as unknown as ScreeningListAsk;
  const filter = filterOf(asked, context);
  const scope = { filters: asked, list: 'listScreenings', tenantId };
  const place = cursorOf(cursor, page);
  const after = place === undefined ? undefined : placeOf(cursors.decode(scope, place));
  const ports = parts();
  const { next, screenings } = await listScreenings(
    ports,
    {
      asked,
      asker: askerOf(context),
      filter,
      limit,
      mayReadOn: () => mayGoOn(context),
      principal,
      tenantId,
      ...(after !== undefined && { after }),
    },
    { deadlineMs: CHECK_DEADLINE_MS, signal: context.request.signal },
  );
  const nextCursor = next && cursors.encode(scope, { id: next.screeningId, key: next.occurredAt });
  return {
    body: {
      data: screenings.map(presentListed),
      chain: await presentChain(ports, tenantId, screenings),
      next_cursor: nextCursor ?? null,
    },
    status: 200,
  };
}

const placeOf = ({ id, key }: ReturnType<CursorCodec['decode']>): ScreeningPlace => ({
  occurredAt: Number(key) as ScreeningPlace['occurredAt'],
  screeningId: id,
});

/** Throws `query-invalid` where both are given and differ. */
function cursorOf(cursor: string | undefined, page: string | undefined): string | undefined {
  if (cursor === undefined || page === undefined || cursor === page) return cursor ?? page;
  throw queryInvalid('?page', 'expected one of `cursor` and `page`');
}

function queryInvalid(pointer: string, detail: string): DomainError {
  return new DomainError('query-invalid', {
    detail,
    violations: [{ code: 'format', detail, pointer }],
  });
}

export function filterOf(
  asked: Omit<ScreeningListAsk, 'cursor' | 'limit' | 'page'>,
  { tenantId }: Pick<OperationContext, 'tenantId'>,
): ScreeningFilter {
  const { candidate, channel, decision, from, subject_ref, to } = asked;
  // An id may be shorter; of a name that short there are too many.
  if (candidate !== undefined && [...prefixOf(candidate)].length < START_CHARS.short) {
    throw queryInvalid('?candidate', `expected ${START_CHARS.short} letters or more`);
  }
  return {
    ...(candidate !== undefined && { candidate }),
    ...(channel !== undefined && { channel }),
    ...(decision !== undefined && { decisions: decision.split(',') as Decision[] }),
    ...(from !== undefined && { from: instantOf(from, '?from') }),
    ...(subject_ref !== undefined && { subjectKey: subjectKeyOfRef(tenantId, subject_ref) }),
    ...(to !== undefined && { to: instantOf(to, '?to') }),
  };
}
