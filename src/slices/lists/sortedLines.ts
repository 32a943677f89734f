/** Finds a few lines of a version without reading each: lines and ids are sorted. */
import { lineId } from './entityLine.ts';

/** Place of the first of `lines`, from `start` on, for which `isBefore` does not hold. */
export function firstNotBefore<Item>(
  lines: readonly Item[],
  start: number,
  isBefore: (line: Item) => boolean,
): number {
  const last = lines.at(-1);
  // Usually it holds for all of them.
  if (last === undefined || isBefore(last)) return lines.length;
  let [low, high] = [start, lines.length - 1];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(lines[middle] as Item)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Takes a version's batches in order. */
export class WantedLines {
  /** Ascending by code units. */
  readonly #ids: readonly string[];
  #at = 0;

  constructor(ids: ReadonlySet<string>) {
    this.#ids = [...ids].sort();
  }

  of(lines: readonly Buffer[]): readonly Buffer[] {
    const found: Buffer[] = [];
    let place = 0;
    for (let id = this.#ids[this.#at]; id !== undefined; id = this.#ids[++this.#at]) {
      const wanted = id;
      place = firstNotBefore(lines, place, (line) => lineId(line) < wanted);
      const line = lines[place];
      if (line === undefined) break;
      if (lineId(line) === wanted) found.push(line);
    }
    return found;
  }
}
