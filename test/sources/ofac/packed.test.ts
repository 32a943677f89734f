/** Records that wait for the end of their file. */
import { expect, test } from 'vitest';
import { PackedRecords } from '../../../src/sources/ofac/packed.ts';

// From 16 million characters on they are compressed.
test.each([0, 1, 1_000, 20_000])('%i records come back as they came', (count) => {
  const records = new PackedRecords<{ id: number; text: string }>();
  const recordOf = (id: number) => ({ id, text: `é${id} `.repeat(200) });
  for (let id = 0; id < count; id++) records.add(recordOf(id));
  let returned = 0;
  for (const { id, text } of records.take()) {
    if (id !== returned || text !== recordOf(id).text) throw new Error(`another record: ${id}`);
    returned++;
  }
  expect(returned).toBe(count);
});
