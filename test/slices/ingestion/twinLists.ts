/** Lists in two stores: in one, versions are kept as deltas; in the other, all of them whole. */
import type { EpochMs } from '#platform/clock';
import { type ListEntity, type ListVersion, linesInForce } from '#slices/lists';
import { listEntity } from '../lists/listEntity.ts';
import { buildOverlay, MemoryStore, memoryBlobs, testSigner } from './memoryPorts.ts';
import { type Release, release, source } from './release.ts';

/** What a table of lines has to find again. */
const ODD_IDS = ['a","b', 'back\\slash\\', 'é–𝄞', '', '["', 'x\\","y', '\n'];
export const many = (count: number): ListEntity[] => [
  ...Array.from({ length: count }, (_, at) => listEntity(`e${String(at).padStart(3, '0')}`)),
  ...ODD_IDS.map((id) => listEntity(id)),
];
export const keyOf = () => testSigner.publicKey;

interface Step {
  readonly entities: readonly ListEntity[];
  readonly removed?: readonly string[];
  readonly kind?: 'full' | 'delta';
  readonly releaseDate?: string;
}

let runs = 0;

/** Into two stores at once: one that writes deltas, and one that writes every version whole. */
export class Twins {
  readonly small = new MemoryStore();
  readonly whole = new MemoryStore();

  async release({ kind = 'delta', removed = [], ...rest }: Step) {
    const startedAt = (1_800_000_000_000 + ++runs * 1_000) as EpochMs;
    const into = (store: MemoryStore, deltaFromEntities: number) => {
      const run = { kind: 'full' as const, runId: `run-${startedAt}`, startedAt };
      const of: Release = {
        ...rest,
        file: { kind, ...(kind === 'delta' && { removed }) },
        options: { run },
        ports: { buildOverlay, deltaFromEntities },
      };
      return release(store, of);
    };
    const small = await into(this.small, 1);
    const whole = await into(this.whole, Number.POSITIVE_INFINITY);
    return { small, whole };
  }

  active = (): ListVersion => source(this.small).active as ListVersion;
}

export const textOf = async (store: MemoryStore, version: ListVersion): Promise<string[]> => {
  const lines: string[] = [];
  for await (const batch of linesInForce(version, memoryBlobs(store.blobs))) {
    lines.push(...batch.map(String));
  }
  return lines;
};
export const akas = (ftm_id: string, ...names: string[]) => listEntity(ftm_id, { akas: names });
