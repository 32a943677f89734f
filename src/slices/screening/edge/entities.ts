/** Entries of lists, for people who judge a hit (decisions 2.13, 2.14). No event is written. */
import type { Static } from 'typebox';
import { PAGE_LIMIT_DEFAULT } from '#platform/limits';
import {
  type EntityPlace,
  type EntityPorts,
  type LookupPorts,
  listedEntity,
  lookUpEntities,
  VERSIONS_PER_TOKEN,
} from '#slices/screening';
import type { CursorCodec, CursorPosition } from '../../../api/cursor.ts';
import type { Operation, OperationContext } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import { EntitiesPage, EntitiesQuery, EntityQuery, EntityResult } from './entitySchemas.ts';

export interface EntityRouteOptions<Index extends object> {
  readonly cursors: CursorCodec;
  readonly entities: () => Promise<EntityPorts>;
  readonly lookups: () => Promise<LookupPorts<Index>>;
}

export function entityOperations<Index extends object>(
  options: EntityRouteOptions<Index>,
): Operation[] {
  return [findEntities(options), getEntity(options)];
}

const READING = {
  method: 'GET' as const,
  tag: 'Sanctions' as const,
  roles: roles.readEntities,
  scope: 'screening:read' as const,
  idempotency: 'none' as const,
  limits: 'general' as const,
  bodyBytesMax: 0,
};

function findEntities<Index extends object>(options: EntityRouteOptions<Index>): Operation {
  return {
    ...READING,
    id: 'findListedEntities',
    path: '/v1/sanctions/entities',
    summary: 'Look entries up by text, as one types',
    description:
      'Entries of the lists in force one of whose names has words that are, begin with, or sound ' +
      'like the beginning of each word typed. It is no screening: it writes no event, what is ' +
      'typed wrong is not found, and nobody is clear by it.',
    problems: [
      ...(['cursor-invalid', 'deadline-exceeded', 'engine-queue-full'] as const),
      ...(['list-unavailable', 'list-unknown', 'name-empty'] as const),
    ],
    query: EntitiesQuery,
    responses: { 200: { description: 'A page of entries', schema: EntitiesPage } },
    handle: (context) => find(options, context),
  };
}

async function find<Index extends object>(
  { cursors, lookups }: EntityRouteOptions<Index>,
  { principal, query, request, tenantId }: OperationContext,
) {
  const asked = query as unknown as Static<typeof EntitiesQuery>;
  const { cursor, limit = PAGE_LIMIT_DEFAULT, ...filters } = asked;
  const scope = { filters, list: 'findListedEntities', tenantId };
  const position = cursor === undefined ? undefined : cursors.decode(scope, cursor);
  const { body, next } = await lookUpEntities(await lookups(), {
    after: position && placeOf(position),
    caller: { signal: request.signal, turn: tenantId },
    limit,
    list: filters.list,
    sandbox: principal.environment === 'sandbox',
    text: filters.q,
  });
  const next_cursor = next === undefined ? null : cursors.encode(scope, positionOf(next));
  return { body: { ...body, next_cursor }, status: 200 };
}

/** Ids of publishers are any text; those of lists have no space. */
const positionOf = ({ id, list, rank }: EntityPlace): CursorPosition => ({
  id: `${list} ${id}`,
  key: rank,
});

function placeOf({ id: text, key }: CursorPosition): EntityPlace {
  const space = text.indexOf(' ');
  return { id: text.slice(space + 1), list: text.slice(0, space), rank: Number(key) };
}

function getEntity<Index extends object>({ entities }: EntityRouteOptions<Index>): Operation {
  return {
    ...READING,
    id: 'getListedEntity',
    path: '/v1/sanctions/entities/{ftm_id}',
    summary: 'One listed entry, whole',
    description:
      'As the list in force has it, or as it stood in a version, with the same entry on other ' +
      'lists, its relations, and what the list did with it. Without `list` the lists are asked ' +
      'in the order of their source ids. It is no screening and writes no event. It costs one ' +
      `token of the rate limits more for each ${VERSIONS_PER_TOKEN} versions that it looks back.`,
    problems: [
      ...(['deadline-exceeded', 'engine-queue-full', 'list-unavailable'] as const),
      ...(['list-unknown', 'not-found'] as const),
    ],
    query: EntityQuery,
    responses: { 200: { description: 'The entry', schema: EntityResult } },
    async handle(context) {
      const { params, principal, query, request, tenantId } = context;
      const { list, list_version: listVersion } = query as unknown as Static<typeof EntityQuery>;
      const sandbox = principal.environment === 'sandbox';
      const body = await listedEntity(await entities(), {
        caller: { signal: request.signal, turn: tenantId },
        charge: (tokens) => context.charge(tokens),
        id: params.ftm_id ?? '',
        list,
        listVersion,
        sandbox,
      });
      return { body, status: 200 };
    },
  };
}
