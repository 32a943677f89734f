/** One name for two counts: the description of each says which rows it has. */
import { expect, test } from 'vitest';
import { BatchCreated, BatchResult } from '../../../../src/slices/batches/edge/resultSchemas.ts';

test('subjects_total is described in the 202 and in the status', () => {
  expect(BatchCreated.properties.subjects_total).toMatchObject({
    description: 'Rows that came in, rejected ones too',
  });
  expect(BatchResult.properties.subjects_total).toMatchObject({
    description: expect.stringMatching(/less subjects_rejected once all were read/),
  });
});
