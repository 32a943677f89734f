/** What the operations of reports share: ports, the place of a report, answers of changes. */

import { chainOf } from '#core/kernel';
import type { CallerLinks } from '#platform/callerLinks';
import type { StrAsk, StrDeskPorts, StrPlace, StrReport } from '#slices/str';
import { seeReport, viewedEntry } from '#slices/str';
import { changeAnswer } from '../../../api/changeAnswer.ts';
import type { CursorCodec } from '../../../api/cursor.ts';
import type { Operation, OperationContext, OperationReply } from '../../../api/operation.ts';
import type { Slots } from '../../../api/slots.ts';
import { roles } from '../roles.ts';
import { presentChanged } from './presentation.ts';
import { Changed } from './schemas.ts';

/** What the operations of reports are made of. */
export interface StrRouteOptions {
  readonly desk: () => StrDeskPorts;
  readonly cursors: CursorCodec;
  readonly links: () => CallerLinks;
  readonly slots: Slots;
  /** There is something to send. */
  readonly wake: (tenantId: string) => void;
}

export const PATH = '/v1/aml/str';
export const ONE_PATH = `${PATH}/{str_id}`;

/** What all operations have in common: that one was called is told by no figure. */
const COMMON = { isConfidential: true, limits: 'general', tag: 'AML' } as const;

export const READING = {
  ...COMMON,
  bodyBytesMax: 0,
  idempotency: 'none',
  method: 'GET',
  roles: roles.read,
  scope: 'str:read',
} as const;

const STEP_BYTES_MAX = 64 * 1024;

export const CHANGING = {
  ...COMMON,
  bodyBytesMax: STEP_BYTES_MAX,
  conditions: 'version',
  idempotency: 'required',
  method: 'POST',
  responses: { 200: { description: 'Its state; nothing of what it says', schema: Changed } },
  scope: 'str:write',
} as const satisfies Partial<Operation>;

/** Problems that every operation on one report may give. */
export const ONE_PROBLEMS = [
  'blob-damaged',
  'state-altered',
  'state-conflict',
  'str-unknown',
] as const;

/** The report that the path names. */
export const placeOf = ({
  params,
  tenantId,
}: Pick<OperationContext, 'params' | 'tenantId'>): StrPlace => ({
  strId: params.str_id ?? '',
  tenantId,
});

/** Makes a change and answers with the state of the report, kept under the caller's key. */
export function answerChange(
  { desk }: Pick<StrRouteOptions, 'desk'>,
  context: OperationContext,
  of: {
    readonly change: (ports: StrDeskPorts, ask: StrAsk & StrPlace) => Promise<StrReport>;
    readonly status?: number;
  },
): Promise<OperationReply> {
  const ports = desk();
  return changeAnswer<StrReport>(ports, context, {
    change: (ask) => of.change(ports, { ...ask, ...placeOf(context) }),
    etagOf: (report) => presentChanged(report).etag,
    present: presentChanged,
    status: of.status,
  });
}

/** A report that somebody reads: that they did is an entry, written before they get it. */
export async function viewReport(ports: StrDeskPorts, context: OperationContext, what: string) {
  const seen = await seeReport(ports, { ...placeOf(context), principal: context.principal });
  await ports.commit(chainOf(context.tenantId), {
    bus: [],
    changes: [],
    events: [viewedEntry(ports, seen, { what, ...(context.ip !== '' && { ip: context.ip }) })],
  });
  return seen;
}
