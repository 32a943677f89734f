/** Entry of a thread that maps blocks of an FtM file (mapBlocks.ts). */
import { move, transferableSymbol, valueSymbol, workerData } from 'piscina';
import type { SpooledBlock } from '../lineSpool.ts';
import { BlockMapper, type MapContext } from './mapBlock.ts';

const mapper = new BlockMapper(workerData as MapContext);

/** Called by Piscina; the answer's bytes are moved, not copied. */
export function mapBlock({ content, ...block }: SpooledBlock): unknown {
  // A buffer arrives as a plain array.
  const { buffer, byteOffset, length } = content;
  const answer = mapper.map({ ...block, content: Buffer.from(buffer, byteOffset, length) });
  const bytes = [answer.lines.buffer, answer.ends.buffer, answer.numbers.buffer];
  return move({ [transferableSymbol]: bytes, [valueSymbol]: answer });
}
