/**
 * What a policy would change: past screenings of the tenant, scored over the lists in force by the
 * policy that decides and by the one that is asked about. Both see the same lists, so that what
 * differs is the policies' doing. Nothing is written, and past events stay what they are.
 */
import { type AuditStore, type SealedEvent, seqSince } from '#core/audit';
import { chainOf, DomainError, type TenantId } from '#core/kernel';
import type { Clock, EpochMs } from '#platform/clock';
import type { Decision, NormalizedQuery, RawQuery, ScreeningSettings } from '#slices/screening';
import { SIMULATED_EXAMPLES_MAX, SIMULATION_MS_MAX } from './limits.ts';

/** A verdict as it is compared. */
export interface SimulatedVerdict {
  readonly decision: Decision;
  readonly hits: readonly { readonly ftm_id: string; readonly typology: string }[];
}

/** What a simulation is made with. */
export interface SimulationPorts {
  readonly audit: Pick<AuditStore, 'findBySeq' | 'head' | 'readEvents'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** One query by one policy. Rejects as a screening does. */
  readonly judge: (
    query: RawQuery | NormalizedQuery,
    settings: ScreeningSettings,
  ) => Promise<SimulatedVerdict>;
}

/** Which screenings, and by which policies. */
export interface SimulationAsk {
  readonly tenantId: TenantId;
  readonly from: EpochMs;
  /** Exclusive. */
  readonly to: EpochMs;
  /** Screenings at the most, spread evenly over the chain between both. */
  readonly sample: number;
  readonly before: ScreeningSettings;
  readonly after: ScreeningSettings;
  /** Fires when nobody waits for the answer any more. */
  readonly signal?: AbortSignal;
}

/** A screening that would be decided otherwise. */
export interface SimulatedExample {
  readonly screeningId: string;
  readonly occurredAt: EpochMs;
  readonly before: SimulatedVerdict;
  readonly after: SimulatedVerdict;
}

/** How often a decision would become another one. */
export interface SimulatedShift {
  readonly from: Decision;
  readonly to: Decision;
  readonly count: number;
}

/** What would change. */
export interface Simulation {
  readonly screened: number;
  /** Screenings whose query was erased. */
  readonly erased: number;
  /** False: the time was over before the sample was. */
  readonly isComplete: boolean;
  readonly before: Readonly<Record<string, number>>;
  readonly after: Readonly<Record<string, number>>;
  readonly hitsBefore: number;
  readonly hitsAfter: number;
  /** Screenings with another decision or other hits. */
  readonly changed: number;
  readonly shifts: readonly SimulatedShift[];
  readonly examples: readonly SimulatedExample[];
}

/** Rejects as a screening does: `engine-queue-full`, `deadline-exceeded`, `body-aborted`. */
export async function simulate(ports: SimulationPorts, ask: SimulationAsk): Promise<Simulation> {
  const tally = new Tally();
  const startedAtMs = ports.clock.monotonicMs();
  const isOver = (): boolean => ports.clock.monotonicMs() - startedAtMs >= SIMULATION_MS_MAX;
  for await (const event of pastScreenings(ports.audit, ask)) {
    if (isOver()) return tally.told(false);
    const query = queryOf(event);
    if (query === undefined) tally.erased += 1;
    else await compare(ports, ask, { event, query, tally });
  }
  return tally.told(true);
}

interface Past {
  readonly event: SealedEvent;
  readonly query: NormalizedQuery;
  readonly tally: Tally;
}

async function compare(
  { judge }: SimulationPorts,
  { after, before, signal }: SimulationAsk,
  { event, query, tally }: Past,
): Promise<void> {
  if (signal?.aborted) throw new DomainError('body-aborted');
  const reranker = rerankerOf(event);
  const by = (settings: ScreeningSettings) =>
    judge(settings.rerankerVersion === reranker ? query : rawOf(query), settings);
  tally.add(event, await by(before), await by(after));
}

/** The query as it was compared; undefined once it is erased. */
function queryOf({ open }: SealedEvent): NormalizedQuery | undefined {
  if (open === undefined) return undefined;
  return (JSON.parse(open) as { readonly query_normalized?: NormalizedQuery }).query_normalized;
}

const rerankerOf = ({ body }: SealedEvent): string =>
  (JSON.parse(body) as { readonly reranker_version: string }).reranker_version;

/** A query that another re-ranker read: this one reads its names, as if they had been typed so. */
function rawOf(query: NormalizedQuery): RawQuery {
  const { dob, dob_range: dobRange, gender, identifiers, nationality, schema } = query;
  const [name = '', ...transliterations] = query.names;
  return {
    name,
    transliterations,
    ...(dob !== undefined && { dob }),
    ...(dobRange !== undefined && { dobRange }),
    ...(gender !== undefined && { gender }),
    ...(identifiers !== undefined && { identifiers }),
    ...(nationality !== undefined && { nationality }),
    ...(schema !== undefined && { schema }),
  };
}

const EVENTS_A_PAGE = 200;
/** Clocks of processes differ by less. */
const SKEW_MS = 120_000;
/** In a chain with more events than these for each one wanted, single ones are read. */
const EVENTS_FOR_ONE_MAX = 4;

/** Screenings of the time, at most `sample`, in the order of the chain. */
async function* pastScreenings(
  audit: SimulationPorts['audit'],
  { from, sample, tenantId, to }: SimulationAsk,
): AsyncGenerator<SealedEvent> {
  const chainId = chainOf(tenantId);
  const first = await seqSince(audit, chainId, from);
  const end = await seqSince(audit, chainId, (to + SKEW_MS) as EpochMs);
  const isOne = ({ occurredAt, type }: SealedEvent): boolean =>
    type === 'screening' && occurredAt >= from && occurredAt < to;
  const isLong = end - first > sample * EVENTS_FOR_ONE_MAX;
  const events = isLong
    ? spreadEvents(audit, { chainId, end, first, sample })
    : everyEvent(audit, { chainId, end, first });
  let found = 0;
  for await (const event of events) {
    if (!isOne(event)) continue;
    yield event;
    found += 1;
    if (found === sample) return;
  }
}

interface Range {
  readonly chainId: ReturnType<typeof chainOf>;
  readonly first: number;
  /** Exclusive. */
  readonly end: number;
}

async function* everyEvent(
  audit: SimulationPorts['audit'],
  { chainId, end, first }: Range,
): AsyncGenerator<SealedEvent> {
  for (let fromSeq = first; fromSeq < end; ) {
    const page = await audit.readEvents({ chainId, fromSeq, limit: EVENTS_A_PAGE });
    for (const event of page) if (event.seq < end) yield event;
    const last = page.at(-1);
    if (last === undefined) return;
    fromSeq = last.seq + 1;
  }
}

async function* spreadEvents(
  audit: SimulationPorts['audit'],
  { chainId, end, first, sample }: Range & Pick<SimulationAsk, 'sample'>,
): AsyncGenerator<SealedEvent> {
  for (let at = 0; at < sample; at += 1) {
    const seq = first + Math.floor((at * (end - first)) / sample);
    const event = await audit.findBySeq(chainId, seq);
    if (event !== undefined) yield event;
  }
}

/** What was found so far. */
class Tally {
  erased = 0;
  #screened = 0;
  #changed = 0;
  readonly #before = new Map<Decision, number>();
  readonly #after = new Map<Decision, number>();
  #hitsBefore = 0;
  #hitsAfter = 0;
  readonly #shifts = new Map<string, SimulatedShift>();
  readonly #examples: SimulatedExample[] = [];

  add(event: SealedEvent, before: SimulatedVerdict, after: SimulatedVerdict): void {
    this.#screened += 1;
    this.#hitsBefore += before.hits.length;
    this.#hitsAfter += after.hits.length;
    count(this.#before, before.decision);
    count(this.#after, after.decision);
    if (before.decision !== after.decision) this.#shift(before.decision, after.decision);
    if (textOf(before) === textOf(after)) return;
    this.#changed += 1;
    if (this.#examples.length >= SIMULATED_EXAMPLES_MAX) return;
    const { occurredAt, screeningId = '' } = event;
    this.#examples.push({ after, before, occurredAt, screeningId });
  }

  #shift(from: Decision, to: Decision): void {
    const name = `${from} ${to}`;
    const known = this.#shifts.get(name)?.count ?? 0;
    this.#shifts.set(name, { count: known + 1, from, to });
  }

  told(isComplete: boolean): Simulation {
    return {
      after: Object.fromEntries(this.#after),
      before: Object.fromEntries(this.#before),
      changed: this.#changed,
      erased: this.erased,
      examples: this.#examples,
      hitsAfter: this.#hitsAfter,
      hitsBefore: this.#hitsBefore,
      isComplete,
      screened: this.#screened,
      shifts: [...this.#shifts.values()].sort((one, other) => other.count - one.count),
    };
  }
}

const count = (counts: Map<Decision, number>, decision: Decision): void =>
  void counts.set(decision, (counts.get(decision) ?? 0) + 1);

/** Equal for equal verdicts: hits are in the order of their scores. */
const textOf = ({ decision, hits }: SimulatedVerdict): string =>
  JSON.stringify([decision, hits.map(({ ftm_id, typology }) => [ftm_id, typology])]);
