/** A process that dies by SIGKILL in the middle of putting a blob. Argument: the folder. */
import { openFolderBlobStore } from '../../../src/storage/blob/folder.ts';

const blobs = await openFolderBlobStore({ directory: process.argv[2] ?? '' });
async function* halfOfIt() {
  yield new Uint8Array(2 * 1024 * 1024).fill(1);
  yield new Uint8Array(2 * 1024 * 1024).fill(2);
  process.kill(process.pid, 'SIGKILL');
}
await blobs.put(halfOfIt());
