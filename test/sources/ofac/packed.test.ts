/** Records that wait for the end of their file. */
import { expect, test } from 'vitest';
import { PackedRecords } from '../../../src/sources/ofac/packed.ts';

test.each([0, 1, 8_192, 8_193, 20_001])('%i records come back as they came', (count) => {
  const records = new PackedRecords<{ id: number; text: string }>();
  const expected = Array.from({ length: count }, (_, id) => ({
    id,
    text: `é${id}`.repeat(id % 40),
  }));
  for (const record of expected) records.add(record);
  expect([...records.take()]).toEqual(expected);
});
