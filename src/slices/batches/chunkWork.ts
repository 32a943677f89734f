/**
 * A chunk as a thread gets it and the answer: plain data and bytes. So the thread does all the work
 * of a subject (reading it, its query, its line, ids, hashes, packing), and the code that leases
 * and commits chunks only passes them on.
 *
 * Deterministic but for the event ids and times of kind `sanctions`: the same chunk always gives
 * the same bytes.
 *
 * A thread is given back after a piece of work: what is left of the chunk waits for its next turn.
 */
import type { EventDraft } from '#core/audit';
import { DomainError, type ErrorCode } from '#core/kernel';
import { WorkLost } from '#core/work';
import { CanonicalText } from '#platform/canonicalJson';
import type { Clock } from '#platform/clock';
import type { Random } from '#platform/random';
import type { CandidateEngine } from '#slices/screening';
import { unpackSubjects } from './chunkBlob.ts';
import { type PartOfChunk, type PlainEvent, packPart, unpackPart } from './chunkPart.ts';
import type { ChunkAsked, ChunkRest, ChunkWork } from './chunkPorts.ts';
import { ChunkResults } from './chunkResults.ts';
import { faultCode } from './faultCode.ts';
import { PinnedClusters } from './pinnedClusters.ts';
import type { SubjectResult } from './resultLine.ts';
import { type ScreenedAsScreening, screenAsScreenings } from './screenAsScreenings.ts';
import { type ChunkAsk, screenChunk } from './screenChunk.ts';
import { SubjectSealer } from './subjectSeal.ts';

/**
 * Milliseconds after which a thread hands back the rest of a chunk. The usual chunk takes a
 * quarter of that; another tenant's waits for one or two of them.
 */
const PIECE_MS = 2_000;

/** The order to a thread. */
export interface ChunkOrder<Index> extends ChunkAsked<Index> {
  /** One number in shared memory: once it is not 0, the answer is not needed any more. */
  readonly stop: Int32Array;
}

/** The answer: errors lose their class on the way from a thread, so they come as text. */
export type ChunkAnswer =
  | { readonly work: Omit<ChunkWork, 'events'>; readonly events: readonly PlainEvent[] }
  | { readonly rest: ChunkRest }
  | { readonly fault: { readonly code: ErrorCode; readonly detail: string } }
  | { readonly stopped: true };

interface Ports<Index extends object> {
  readonly engine: CandidateEngine<Index>;
  readonly clock: Pick<Clock, 'monotonicMs' | 'now'>;
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
      return await this.#work(order);
    } catch (error) {
      if (error instanceof WorkLost) return { stopped: true };
      const code = faultCode(error);
      if (code === 'internal' && !(error instanceof DomainError)) throw error;
      return { fault: { code, detail: (error as Error).message } };
    }
  }

  async #work(order: ChunkOrder<Index>): Promise<ChunkAnswer> {
    const { chunk, input, part, seed } = order;
    const before = part && (await unpackPart(part));
    const subjects = await unpackSubjects(input, chunk);
    const results = new ChunkResults(before?.results, seed && new SubjectSealer(seed));
    const events = [...(before?.events ?? [])];
    const bus = [...(before?.bus ?? [])];
    const endsMs = this.#ports.clock.monotonicMs() + PIECE_MS;
    let done = before?.subjects ?? 0;
    for await (const { evidence, line } of this.#screened(order, { from: done, subjects })) {
      results.add(line);
      done++;
      if (evidence !== undefined) {
        events.push(toPlain(evidence.event));
        bus.push(evidence.bus);
      }
      if (done < subjects.length && this.#ports.clock.monotonicMs() >= endsMs) {
        return restAt({ bus, events, results: results.soFar, subjects: done });
      }
    }
    const packed = results.packed();
    const work = { bus, figures: results.figures, merkleRoot: results.merkleRoot, packed };
    return { events, work };
  }

  async *#screened(
    { batch, chunk, exclusions, lists, resolution, stop }: ChunkOrder<Index>,
    of: Pick<ChunkAsk<Index>, 'from' | 'subjects'>,
  ): AsyncGenerator<ScreenedAsScreening | { readonly evidence?: never; line: SubjectResult }> {
    const ask = {
      ...of,
      batch,
      checkStop: () => {
        if (Atomics.load(stop, 0) !== 0) throw new WorkLost('nobody waits for the chunk');
      },
      chunkNo: chunk.chunkNo,
      clusters: resolution && this.#clusters.of(resolution),
      exclusions,
      lists,
    };
    if (batch.kind === 'sanctions') yield* screenAsScreenings(this.#ports, ask);
    else for await (const line of screenChunk(this.#ports.engine, ask)) yield { line };
  }
}

const restAt = (part: PartOfChunk): ChunkAnswer => ({
  rest: { part: packPart(part), subjects: part.subjects },
});

/** On the side of who handed the chunk to the thread. Throws what the thread ran into. */
export function workOf(answer: ChunkAnswer): ChunkWork | ChunkRest {
  if ('rest' in answer) return answer.rest;
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
