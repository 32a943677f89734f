/** `approval list`, `approval show`: what was asked for, and what became of it. */
import type { TenantId } from '#core/kernel';
import { toTimestamp } from '#platform/clock';
import {
  APPROVAL_STATES,
  type ApprovalRequest,
  type ApprovalState,
  approvalTable,
  findRequest,
  stateOf,
} from '#slices/approvals';
import { EXIT, UsageError } from '../../../cli/command.ts';
import { printable, table } from '../../../cli/output.ts';
import { TENANT } from '../../../cli/ownerOption.ts';
import type { SliceCommand } from '../../processes.ts';
import { presentRequest } from './presentation.ts';

const SHOWN_REQUESTS = 50;

export { checks } from './stateChecks.ts';

export const commands: readonly SliceCommand[] = [
  {
    words: 'approval list',
    summary: `Show the last ${SHOWN_REQUESTS} requests for a second signature`,
    options: [TENANT, { name: 'state', value: 'STATE', help: APPROVAL_STATES.join(', ') }],
    example: 'approval list --tenant 0190… --state open',
    async run({ clock, open, output }, given) {
      const tenantId = given.value('tenant') as TenantId;
      const state = readState(given.optional('state'));
      const { tables } = (await open()).storage;
      const { records } = await tables.page(approvalTable, {
        direction: 'descending',
        equal: state === undefined ? { tenantId } : { state, tenantId },
        index: state === undefined ? 'newest' : 'byState',
        limit: SHOWN_REQUESTS,
      });
      const now = clock.now();
      const rows = records.map((request) => [
        request.approvalId,
        stateOf(request, now),
        request.resource,
        request.field,
        request.authorId,
        toTimestamp(request.requestedAt),
      ]);
      output.result(
        { approvals: records.map((request) => presentRequest(request, now)) },
        table(['APPROVAL', 'STATE', 'RESOURCE', 'FIELD', 'AUTHOR', 'REQUESTED'], rows),
      );
      return EXIT.done;
    },
  },
  {
    words: 'approval show',
    summary: 'Show one request: both values, who asked, and how it ended',
    options: [TENANT],
    positionals: [{ name: 'APPROVAL', help: 'an id, of `approval list`' }],
    example: 'approval show --tenant 0190… 019a0b2c-7d4e-7000-8000-000000000000',
    async run({ clock, open, output }, given) {
      const [approvalId = ''] = given.positionals;
      const tenantId = given.value('tenant') as TenantId;
      const { tables } = (await open()).storage;
      const request = await findRequest({ tables }, { approvalId, tenantId });
      output.result(presentRequest(request, clock.now()), describe(request));
      return EXIT.done;
    },
  },
];

function readState(text: string | undefined): ApprovalState | undefined {
  const state = APPROVAL_STATES.find((one) => one === text);
  if (state !== undefined || text === undefined) return state;
  throw new UsageError(`--state: expected ${APPROVAL_STATES.join(', ')}`);
}

function describe(request: ApprovalRequest): string {
  const rows: readonly (readonly [string, string])[] = [
    ['resource', request.resource],
    ['field', request.field],
    ['old value', JSON.stringify(request.oldValue)],
    ['new value', JSON.stringify(request.newValue)],
    ['reason', request.reason],
    ['author', request.authorId],
    ['expires', toTimestamp(request.expiresAt)],
    ['state', request.state],
    ['ended by', request.endedBy ?? '–'],
    ['comment', request.comment ?? '–'],
  ];
  return rows.map(([name, value]) => `${name.padEnd(10)} ${printable(value)}`).join('\n');
}
