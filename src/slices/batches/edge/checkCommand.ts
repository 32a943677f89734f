/**
 * `batch check`: what a batch would accept of a file, before it is sent. It uses the reader of the
 * service, so the result is the same there; it needs no installation, no configuration and no
 * network.
 */
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { systemRandom } from '#platform/random';
import { ExternalIds, type Rejection, readCohort, writeRejections } from '#slices/intake';
import countries from '../../../../config/tables/countries.json' with { type: 'json' };
import { EXIT } from '../../../cli/command.ts';
import { openInput, writeWhole } from '../../../cli/files.ts';
import type { SliceCommand } from '../../processes.ts';

interface Counts {
  subjects: number;
  readonly rejected: Map<string, number>;
}

export const batchCheckCommands: readonly SliceCommand[] = [
  {
    words: 'batch check',
    summary: 'Say what a batch would take of a CSV: exit 0, or 1 where rows would be rejected',
    options: [
      { name: 'file', value: 'FILE', required: true, help: 'CSV in UTF-8, plain or gzip' },
      { name: 'rejected', value: 'OUT', help: 'writes the rejected rows there, with reasons' },
    ],
    example: 'batch check --file customers.csv.gz --rejected rejected.csv',
    async run({ output }, given) {
      const file = given.value('file');
      const out = given.optional('rejected');
      const { bytes, chunks } = await openInput(file);
      const hash = createHash('sha256');
      const counts: Counts = { rejected: new Map(), subjects: 0 };
      const ids = new ExternalIds({ directory: tmpdir(), random: systemRandom });
      try {
        const read = seen(chunks, (chunk, so) => {
          hash.update(chunk);
          output.progress({ label: 'check', share: so / Math.max(1, bytes) });
        });
        const rejections = counted(readCohort(read, { countries, format: 'csv', ids }), counts);
        if (out === undefined) await drained(rejections);
        else await writeWhole(out, writeRejections(rejections));
      } finally {
        ids.close();
      }
      const rejected = [...counts.rejected.values()].reduce((sum, count) => sum + count, 0);
      const reasons = Object.fromEntries(counts.rejected);
      const sha256 = hash.digest('hex');
      output.result(
        { bytes, file, reasons, rejected, sha256, subjects: counts.subjects },
        [
          `${file}: ${counts.subjects} subjects, ${rejected} rows rejected`,
          ...[...counts.rejected].map(([reason, count]) => `  ${reason}: ${count}`),
          `sha256 ${sha256}`,
        ].join('\n'),
      );
      return rejected === 0 ? EXIT.done : EXIT.bad;
    },
  },
];

async function* seen(
  chunks: AsyncIterable<Uint8Array>,
  see: (chunk: Uint8Array, bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    see(chunk, bytes);
    yield chunk;
  }
}

async function* counted(
  parts: ReturnType<typeof readCohort>,
  counts: Counts,
): AsyncGenerator<readonly Rejection[]> {
  for await (const { rejections, subjects } of parts) {
    counts.subjects += subjects.length;
    for (const { reason } of rejections) {
      counts.rejected.set(reason, (counts.rejected.get(reason) ?? 0) + 1);
    }
    yield rejections;
  }
}

async function drained(parts: AsyncIterable<unknown>): Promise<void> {
  const iterator = parts[Symbol.asyncIterator]();
  while ((await iterator.next()).done !== true);
}
