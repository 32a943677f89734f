/**
 * Maps the blocks of a file in the caller's thread or, for a large file, in threads of their own: a
 * million entities take two threads of one core 26 s instead of 40. The answers come in the order
 * of the blocks in either case, so the report of a file is always the same.
 */
import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import type { LineSpool, SpooledBlock } from '../lineSpool.ts';
import { BlockMapper, type MapContext, type MappedBlock } from './mapBlock.ts';

/** Bytes of lines that are mapped without a thread: two seconds. */
const ASIDE_FROM_BYTES = 32 * 1024 * 1024;
/** As many as the smallest machine has processors: one thread takes the answers. */
const THREADS = 2;
/** Blocks under way, so that no thread waits; each is some megabytes. */
const BLOCKS_MAX = 3 * THREADS;

/** For tests of short files, and of what happens when a thread dies. */
export interface MapOptions {
  readonly asideFrom?: number;
  readonly threadUrl?: URL;
}

export async function* mapBlocks(
  spool: Pick<LineSpool, 'blocks' | 'lineBytes'>,
  context: MapContext,
  { asideFrom = asideFromHere(), threadUrl }: MapOptions = {},
): AsyncGenerator<MappedBlock> {
  if (spool.lineBytes >= asideFrom) {
    yield* mapAside(spool, context, threadUrl ?? new URL('./mapThread.ts', import.meta.url));
    return;
  }
  const mapper = new BlockMapper(context);
  for await (const block of spool.blocks()) yield mapper.map(block);
}

const asideFromHere = (): number =>
  availableParallelism() === 1 ? Number.POSITIVE_INFINITY : ASIDE_FROM_BYTES;

async function* mapAside(
  spool: Pick<LineSpool, 'blocks'>,
  context: MapContext,
  threadUrl: URL,
): AsyncGenerator<MappedBlock> {
  const threads = new Piscina<SpooledBlock, MappedBlock>({
    filename: threadUrl.href,
    idleTimeout: Number.POSITIVE_INFINITY,
    maxThreads: THREADS,
    // They start with the blocks: Piscina would replace one that dies, even after the end.
    minThreads: 0,
    name: 'mapBlock',
    workerData: context,
  });
  let failure: unknown;
  let ended: Promise<void> | undefined;
  const end = (): Promise<void> => (ended ??= threads.destroy());
  /** The first one: what waits is given up with it, and would wait for ever otherwise. */
  const fail = (error: unknown): void => {
    failure ??= error;
    void end();
  };
  // For good: every thread that cannot start reports it, and without a listener that would end the
  // process.
  threads.on('error', fail);
  // For threads that die silently; an error of their own comes first.
  threads.on('workerDestroy', () => setImmediate(fail, new Error('a thread that maps ended')));
  const underWay: Promise<MappedBlock>[] = [];
  try {
    for await (const block of spool.blocks()) {
      if (failure !== undefined) throw failure;
      const mapped = threads.run(block, { transferList: buffersOf(block) });
      mapped.catch(fail);
      underWay.push(mapped);
      if (underWay.length === BLOCKS_MAX) yield mappedOf(await underWay.shift());
    }
    while (underWay.length > 0) yield mappedOf(await underWay.shift());
  } catch (error) {
    throw failure ?? error;
  } finally {
    await end();
  }
}

/** A small block may share the buffer that it stands in, and is copied. */
function buffersOf({ content, lineEnds, lineNumbers }: SpooledBlock): ArrayBuffer[] {
  const { buffer, byteLength } = content;
  const isOwn = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
  return [...(isOwn ? [buffer] : []), lineEnds.buffer, lineNumbers.buffer];
}

function mappedOf(answer: MappedBlock | undefined): MappedBlock {
  if (answer === undefined) throw new Error('a block was not mapped');
  return answer;
}
