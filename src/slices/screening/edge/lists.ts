/**
 * The lists in force (interface.md 4.8): read from this process's memory, as screening sees them,
 * with what is known of each beside it (operations S17).
 */
import { setTimeout as delay } from 'node:timers/promises';
import { DomainError, type TenantId } from '#core/kernel';
import type { Clock, EpochMs } from '#platform/clock';
import { isSourceSeen, type ListRun, nextFireAt } from '#slices/ingestion';
import {
  COUNTED_ENTITIES_MAX,
  type EntryThread,
  type ListSource,
  type ListVersion,
} from '#slices/lists';
import { type ListsState, listSetOf } from '#slices/screening';
import type { Operation, OperationContext } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import { ListsInForceResult, presentList } from './listSchemas.ts';

/** Milliseconds that the answer waits for a list to be counted; it goes on without it. */
const COUNT_MS_MAX = 2_000;
/** Versions whose counts are kept. */
const COUNTED_MAX = 100;

export interface ListRouteOptions {
  readonly lists: () => Promise<ListsState<unknown>>;
  readonly clock: Pick<Clock, 'now'>;
  readonly findRun: (runId: string) => Promise<ListRun | undefined>;
  readonly listSources: () => Promise<readonly ListSource[]>;
  /** Sources that the tenant's policy leaves out. */
  readonly sourcesOff: (tenantId: TenantId) => Promise<readonly string[]>;
  readonly thread: () => Promise<Pick<EntryThread, 'categories'>>;
}

export function listOperations(options: ListRouteOptions): Operation[] {
  const counts = new CategoryCounts(options.thread);
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
      handle: (context) => inForce(options, counts, context),
    },
  ];
}

async function inForce(
  options: ListRouteOptions,
  counts: CategoryCounts,
  { principal, tenantId }: OperationContext,
) {
  const sandbox = principal.environment === 'sandbox';
  const [state, sources, off] = await Promise.all([
    options.lists(),
    options.listSources(),
    options.sourcesOff(tenantId),
  ]);
  const lists = state.lists.filter(({ version }) => isSourceSeen(version.sourceId, sandbox));
  const now = options.clock.now();
  const data = await Promise.all(
    lists.map(async ({ version }) => {
      const source = sources.find(({ sourceId }) => sourceId === version.sourceId);
      const run = version.runId === undefined ? undefined : await options.findRun(version.runId);
      return presentList(version, {
        categories: await counts.of(version, tenantId),
        isEnabled: !off.includes(version.sourceId),
        nextFireAt: source && nextFire(source, now),
        now,
        run,
      });
    }),
  );
  const set = lists.length > 0 ? listSetOf(lists, state.clusters?.digest) : undefined;
  const body = { data, list_version: set?.listVersion ?? null, next_cursor: null };
  return { body, status: 200 };
}

const nextFire = (source: ListSource, now: EpochMs): EpochMs | undefined => nextFireAt(source, now);

type Counts = Readonly<Record<string, number>>;

/** Counts of versions, each read once: a version never changes. */
class CategoryCounts {
  readonly #thread: ListRouteOptions['thread'];
  /** Undefined once it is settled: it could not be read. */
  readonly #known = new Map<string, Promise<Counts | undefined>>();

  constructor(thread: ListRouteOptions['thread']) {
    this.#thread = thread;
  }

  /** Undefined: too large, unreadable, or not read in time; then a later answer has it. */
  async of(version: ListVersion, turn: string): Promise<Counts | undefined> {
    const { entityCount, listDigest, listVersion, sourceId } = version;
    if (entityCount > COUNTED_ENTITIES_MAX) return undefined;
    const name = `${sourceId}/${listVersion}/${listDigest}`;
    const counting = this.#known.get(name) ?? this.#count(version, turn);
    this.#known.set(name, counting);
    const [oldest] = this.#known.keys();
    if (this.#known.size > COUNTED_MAX && oldest !== undefined) this.#known.delete(oldest);
    return Promise.race([counting, delay(COUNT_MS_MAX, undefined, { ref: false })]);
  }

  async #count(version: ListVersion, turn: string): Promise<Counts | undefined> {
    try {
      return await (await this.#thread()).categories(version, { turn });
    } catch (error) {
      // The list is screened against all the same, and `doctor` names a blob that is damaged.
      if (error instanceof DomainError) return undefined;
      throw error;
    }
  }
}
