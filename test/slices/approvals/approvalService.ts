/**
 * Approvals over a real store and the real evidence, beside the list service, whose changes are
 * asked for. Called without sockets; who calls is a header.
 */
import { type AuditStore, readTrail } from '#core/audit';
import type { Approvable, Person } from '#core/identity';
import { chainOf, PLATFORM_CHAIN } from '#core/kernel';
import { type ApprovalRequest, approvalTable } from '#slices/approvals';
import { applyExpiry } from '../../../src/slices/approvals/edge/jobs.ts';
import {
  type ApprovalRouteOptions,
  approvalOperations,
} from '../../../src/slices/approvals/edge/operations.ts';
import { TENANT } from '../../api/fakes.ts';
import type { MakeHarness } from '../../storage/contract/harness.ts';
import {
  type ListServiceParts,
  type Name,
  openListService,
  PEOPLE,
} from '../ingestion/edge/fixture.ts';
import type { Reply } from '../ingestion/edge/reply.ts';

export const APPROVALS = '/v1/approvals';
export const SUNDAYS = '0 0 2 ? * SUN';
export const ASK = {
  field: 'cron_full',
  new_value: SUNDAYS,
  reason: 'Weekly is enough',
  resource: 'sanctions_source:UN_SC',
};
export type Asked = Partial<typeof ASK> | Readonly<Record<string, unknown>>;

export type ApprovalService = Awaited<ReturnType<typeof openApprovals>>;

type Steps = (() => Promise<unknown>)[];

export async function openApprovals(makeHarness: MakeHarness) {
  /** Run once before the next change is applied, after all that is looked at before. */
  const beforeApply: Steps = [];
  /** Run once before the evidence of the next request is looked at. */
  const beforeProof: Steps = [];
  let ports: ApprovalRouteOptions | undefined;
  const lists = await openListService(makeHarness, {
    beside: (parts) => {
      ports = portsOf(parts, { beforeApply, beforeProof });
      return approvalOperations(ports);
    },
  });
  const { clock, storage } = lists;

  const post = (path: string, as: string, body?: object, key?: string): Promise<Reply> =>
    lists.call(`${APPROVALS}${path}`, {
      as,
      method: 'POST',
      ...(body !== undefined && { body }),
      ...(key !== undefined && { key }),
    });
  const record = async (approvalId: string): Promise<ApprovalRequest> => {
    const found = await storage.tables.find(approvalTable, { approvalId, tenantId: TENANT });
    if (found === undefined) throw new Error('no record');
    return found;
  };
  /** What the approver sends: the request's own values, signed, or what is given. */
  const signature = async (
    approvalId: string,
    approver: Name,
    given: { readonly at?: number; readonly author?: Name; readonly newValue?: unknown } = {},
  ) => {
    const { authorId, field, newValue, resource } = await record(approvalId);
    const author = (Object.keys(PEOPLE) as Name[]).find((name) => PEOPLE[name].id === authorId);
    const headers = lists.signed(
      { field, newValue: given.newValue ?? newValue, resource },
      {
        approver,
        author: given.author ?? author ?? 'carl',
        ...(given.at !== undefined && { at: given.at as never }),
      },
    );
    return {
      signature: headers['x-approval-signature'] ?? '',
      timestamp: headers['x-approval-timestamp'] ?? '',
    };
  };

  return {
    ...lists,
    beforeApply,
    beforeProof,
    record,
    signature,
    ask: (as: Name | string, given: Asked = {}, key?: string) =>
      post('', as, { ...ASK, ...given }, key),
    /** The id of a request of this author. */
    async asked(as: Name, given: Asked = {}): Promise<string> {
      const reply = await post('', as, { ...ASK, ...given });
      if (reply.status !== 201) throw new Error(String(reply.raw.body));
      return String(reply.json().approval_id);
    },
    get: (path: string, as: string, query = '') => lists.call(`${APPROVALS}${path}`, { as, query }),
    post,
    sign: async (approvalId: string, approver: Name, as: string = approver): Promise<Reply> =>
      post(`/${approvalId}/sign`, as, await signature(approvalId, approver)),
    /** As somebody who writes to the store past the service. */
    async alter(approvalId: string, change: Partial<ApprovalRequest>): Promise<void> {
      const before = await record(approvalId);
      const after = { ...before, ...change, version: before.version + 1 };
      await lists.commit(approvalTable.put(after, before.version) as never);
    },
    expire: () => {
      if (ports === undefined) throw new Error('not opened');
      return applyExpiry(ports);
    },
    changePerson: async (name: Name, change: Partial<Person>, version = 2): Promise<void> => {
      await lists.commit(lists.put({ ...PEOPLE[name], ...change, version }, version - 1));
    },
    /** Entries of the request's end and its asking, wherever they stand. */
    async trail(approvalId: string) {
      const target = `approval:${approvalId}`;
      const found = await Promise.all(
        [chainOf(TENANT), PLATFORM_CHAIN].map((chainId) =>
          readTrail(storage.audit, { afterSeq: 0, chainId, filter: { target }, limit: 100 }),
        ),
      );
      return found.flatMap(({ entries }) =>
        entries.map(({ action, actor }) => ({ action, actor })),
      );
    },
    now: () => clock.now(),
  };
}

function portsOf(
  parts: ListServiceParts,
  { beforeApply, beforeProof }: { readonly beforeApply: Steps; readonly beforeProof: Steps },
): ApprovalRouteOptions {
  const kinds: Readonly<Record<string, Approvable>> = parts.approvals;
  const store: AuditStore = parts.storage.audit;
  return {
    ...parts,
    approvableOf: async (resource) => {
      const [kind = '', id = ''] = resource.split(':');
      const approvable = kinds[kind];
      return approvable && { approvable: hooked(approvable, beforeApply), id };
    },
    audit: {
      head: (chainId) => store.head(chainId),
      readEvents: async (ask) => {
        await beforeProof.shift()?.();
        return store.readEvents(ask);
      },
    },
    tables: parts.storage.tables,
  };
}

const hooked = (approvable: Approvable, steps: Steps): Approvable => ({
  ...approvable,
  check: async (asked) => {
    const change = await approvable.check(asked);
    return {
      ...change,
      apply: async (by) => {
        await steps.shift()?.();
        return change.apply(by);
      },
    };
  },
});
