/** Entry of a thread that maps blocks of an FtM file (mapBlocks.ts). */
import { move, transferableSymbol, valueSymbol, workerData } from 'piscina';
import { DomainError } from '#domain/kernel';
import type { SpooledBlock } from './lineSpool.ts';
import { BlockMapper, type MapContext, type MappedBlock } from './mapBlock.ts';

/** Classes of errors do not cross threads, so damage is told by its detail. */
export type MapAnswer = MappedBlock | { readonly damage: string };

const mapper = new BlockMapper(workerData as MapContext);

/** What Piscina calls; the answer's bytes are moved, not copied. */
export function mapBlock(block: SpooledBlock): unknown {
  const answer = mapped(block);
  return move({ [transferableSymbol]: buffersOf(answer), [valueSymbol]: answer });
}

const buffersOf = (answer: MapAnswer): ArrayBuffer[] =>
  'damage' in answer ? [] : [answer.lines.buffer, answer.ends.buffer, answer.numbers.buffer];

function mapped({ content, ...block }: SpooledBlock): MapAnswer {
  try {
    // What arrives is the plain array that a buffer is.
    const { buffer, byteOffset, length } = content;
    return mapper.map({ ...block, content: Buffer.from(buffer, byteOffset, length) });
  } catch (error) {
    if (error instanceof DomainError && error.code === 'list-damaged') {
      return { damage: error.message };
    }
    throw error;
  }
}
