/**
 * The lists in force (interface.md 4.8): read from this process's memory, as screening sees them.
 */
import { isSourceSeen } from '#slices/ingestion';
import { type ListsState, listSetOf } from '#slices/screening';
import type { Operation } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import { ListsInForceResult, presentList } from './listSchemas.ts';

export function listOperations(options: {
  readonly lists: () => Promise<ListsState<unknown>>;
}): Operation[] {
  return [
    {
      id: 'getListsInForce',
      method: 'GET',
      path: '/v1/sanctions/lists',
      tag: 'Sanctions',
      summary: 'Lists in force, with version and statistics',
      roles: roles.readLists,
      scope: 'lists:read',
      idempotency: 'none',
      limits: 'general',
      bodyBytesMax: 0,
      responses: { 200: { description: 'Ordered by source', schema: ListsInForceResult } },
      async handle(context) {
        const sandbox = context.principal.environment === 'sandbox';
        const inForce = await options.lists();
        const lists = inForce.lists.filter(({ version }) =>
          isSourceSeen(version.sourceId, sandbox),
        );
        const data = lists.map((list) => presentList(list.version));
        const set = lists.length > 0 ? listSetOf(lists, inForce.clusters?.digest) : undefined;
        const listVersion = set?.listVersion ?? null;
        return { status: 200, body: { data, list_version: listVersion, next_cursor: null } };
      },
    },
  ];
}
