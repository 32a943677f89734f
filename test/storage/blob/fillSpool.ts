/** A process whose disk takes no more than its shell allows. Arguments: configuration, folder. */
import { systemClock } from '#platform/clock';
import { systemRandom } from '#platform/random';
import { openS3BlobStore } from '../../../src/storage/blob/s3.ts';

process.on('SIGXFSZ', () => {}); // the write fails instead
const blobs = await openS3BlobStore({
  clock: systemClock,
  random: systemRandom,
  s3: JSON.parse(process.argv[2] ?? ''),
  secretAccessKey: 'test-secret',
  sleep: async () => {},
  spoolDirectory: process.argv[3] ?? '',
});
async function* large() {
  for (let at = 0; at < 8; at++) yield new Uint8Array(1024 * 1024).fill(at);
}
const code = await blobs.put(large()).then(
  () => 'put',
  (error: { code?: string }) => error.code,
);
let count = 0;
for await (const _ of blobs.list()) count++;
process.stdout.write(JSON.stringify({ code, count }));
