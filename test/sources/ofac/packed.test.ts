/** Records that wait for the end of their file. */
import { expect, test } from 'vitest';
import { PackedRecords } from '../../../src/sources/ofac/packed.ts';
import { ScratchFile } from '../../../src/sources/scratchFile.ts';

const KEPT_BYTES_MAX = 2_000_000;

// From two million characters on they are compressed.
test.each([0, 1, 1_000, 5_000])('%i records come back as they came', async (count) => {
  const scratch = new ScratchFile({ keptBytesMax: KEPT_BYTES_MAX });
  const records = new PackedRecords<{ id: number; text: string }>(scratch);
  const recordOf = (id: number) => ({ id, text: `é${id} `.repeat(200) });
  for (let id = 0; id < count; id++) records.add(recordOf(id));
  let returned = 0;
  for await (const batch of records.take()) {
    for (const { id, text } of batch) {
      if (id !== returned || text !== recordOf(id).text) throw new Error(`another record: ${id}`);
      returned++;
    }
  }
  expect(returned).toBe(count);
});
