/**
 * A chunk as a thread gets it and the answer: plain data and bytes. So the thread does all the work
 * of a subject (reading it, its query, its line, ids, hashes, packing), and the code that leases
 * and commits chunks only passes them on.
 *
 * Deterministic but for the event ids and times of kind `sanctions`: the same chunk always gives
 * the same bytes.
 */
import type { EventDraft } from '#core/audit';
import { type BusEvent, DomainError, type ErrorCode } from '#core/kernel';
import { WorkLost } from '#core/work';
import { CanonicalText } from '#platform/canonicalJson';
import type { Clock } from '#platform/clock';
import type { Random } from '#platform/random';
import type { CandidateEngine } from '#slices/screening';
import { unpackSubjects } from './chunkBlob.ts';
import type { ChunkAsked, ChunkWork } from './chunkPorts.ts';
import { ChunkResults } from './chunkResults.ts';
import { faultCode } from './faultCode.ts';
import { PinnedClusters } from './pinnedClusters.ts';
import { screenAsScreenings } from './screenAsScreenings.ts';
import { screenChunk } from './screenChunk.ts';

/** The order to a thread. */
export interface ChunkOrder<Index> extends ChunkAsked<Index> {
  /** One number in shared memory: once it is not 0, the answer is not needed any more. */
  readonly stop: Int32Array;
}

/** The answer: errors lose their class on the way from a thread, so they come as text. */
export type ChunkAnswer =
  | { readonly work: Omit<ChunkWork, 'events'>; readonly events: readonly PlainEvent[] }
  | { readonly fault: { readonly code: ErrorCode; readonly detail: string } }
  | { readonly stopped: true };

/** Canonical texts lose their class, too. */
interface PlainEvent extends Omit<EventDraft, 'members'> {
  readonly members: readonly (readonly [name: string, value: unknown, isText: boolean])[];
}

interface Ports<Index extends object> {
  readonly engine: CandidateEngine<Index>;
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Random;
}

/** In a thread, one chunk after the other. */
export class ChunkWorker<Index extends object> {
  readonly #ports: Ports<Index>;
  readonly #clusters = new PinnedClusters();

  constructor(ports: Ports<Index>) {
    this.#ports = ports;
  }

  /** Rejects only with an unexpected error. */
  async answer(order: ChunkOrder<Index>): Promise<ChunkAnswer> {
    try {
      const { events, ...work } = await this.#work(order);
      return { events: events.map(toPlain), work };
    } catch (error) {
      if (error instanceof WorkLost) return { stopped: true };
      const code = faultCode(error);
      if (code === 'internal' && !(error instanceof DomainError)) throw error;
      return { fault: { code, detail: (error as Error).message } };
    }
  }

  async #work(order: ChunkOrder<Index>): Promise<ChunkWork> {
    const { batch, chunk, exclusions, input, lists, resolution, stop } = order;
    const ask = {
      batch,
      checkStop: () => {
        if (Atomics.load(stop, 0) !== 0) throw new WorkLost('nobody waits for the chunk');
      },
      chunkNo: chunk.chunkNo,
      clusters: resolution && this.#clusters.of(resolution),
      exclusions,
      lists,
      subjects: await unpackSubjects(input, chunk),
    };
    const results = new ChunkResults();
    const events: EventDraft[] = [];
    const bus: BusEvent[] = [];
    if (batch.kind === 'sanctions') {
      for await (const { evidence, line } of screenAsScreenings(this.#ports, ask)) {
        results.add(line);
        if (evidence === undefined) continue;
        events.push(evidence.event);
        bus.push(evidence.bus);
      }
    } else {
      for await (const result of screenChunk(this.#ports.engine, ask)) results.add(result);
    }
    const packed = results.packed();
    return { bus, events, figures: results.figures, merkleRoot: results.merkleRoot, packed };
  }
}

/** On the side of who handed the chunk to the thread. Throws what the thread ran into. */
export function workOf(answer: ChunkAnswer): ChunkWork {
  if ('stopped' in answer) throw new WorkLost('the chunk was given up');
  if ('fault' in answer) {
    throw new DomainError(answer.fault.code, { detail: answer.fault.detail });
  }
  return { ...answer.work, events: answer.events.map(fromPlain) };
}

const toPlain = ({ members, ...event }: EventDraft): PlainEvent => ({
  ...event,
  members: Object.entries(members).map(([name, value]) =>
    value instanceof CanonicalText ? [name, value.text, true] : [name, value, false],
  ),
});

const fromPlain = ({ members, ...event }: PlainEvent): EventDraft => ({
  ...event,
  members: Object.fromEntries(
    members.map(([name, value, isText]) => [
      name,
      isText ? new CanonicalText(value as string) : value,
    ]),
  ) as EventDraft['members'],
});
