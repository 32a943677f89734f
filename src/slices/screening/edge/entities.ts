/** Entries of lists, for people who judge a hit (decisions 2.13). No event is written. */
import type { Static } from 'typebox';
import { type EntityPorts, listedEntity } from '#slices/screening';
import type { Operation } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import { EntityQuery, EntityResult } from './entitySchemas.ts';

export interface EntityRouteOptions {
  readonly entities: () => Promise<EntityPorts>;
}

export function entityOperations(options: EntityRouteOptions): Operation[] {
  return [getEntity(options)];
}

function getEntity({ entities }: EntityRouteOptions): Operation {
  return {
    id: 'getListedEntity',
    method: 'GET',
    path: '/v1/sanctions/entities/{ftm_id}',
    tag: 'Sanctions',
    summary: 'One listed entry, whole',
    description:
      'As the list in force has it, or as it stood in a version, with the same entry on other ' +
      'lists, its relations, and what the list did with it. Without `list` the lists are asked ' +
      'in the order of their source ids. It is no screening and writes no event.',
    roles: roles.readEntities,
    scope: 'screening:read',
    problems: ['list-unavailable', 'list-unknown', 'not-found'],
    idempotency: 'none',
    limits: 'general',
    bodyBytesMax: 0,
    query: EntityQuery,
    responses: { 200: { description: 'The entry', schema: EntityResult } },
    async handle({ params, principal, query }) {
      const { list, list_version: listVersion } = query as unknown as Static<typeof EntityQuery>;
      const sandbox = principal.environment === 'sandbox';
      const ask = { id: params.ftm_id ?? '', list, listVersion, sandbox };
      return { body: await listedEntity(await entities(), ask), status: 200 };
    },
  };
}
