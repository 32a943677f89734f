/** A job asks before it processes, and stops where it may not. */
import { expect, test } from 'vitest';
import type { TenantId } from '#core/kernel';
import { mayProcess, requireProcessing } from '#core/privacy';

const SUBJECT = { subjectRef: 'C-1', tenantId: 'tenant' as TenantId };

test('unanswered, everything may be processed', async () => {
  expect(await mayProcess.fallback(undefined)(SUBJECT, 'screening')).toBe(true);
});

test('what may not be processed stops the job, and says for what', async () => {
  const asked: unknown[] = [];
  const refusing = async (...ask: unknown[]) => {
    asked.push(ask);
    return false;
  };
  await expect(requireProcessing(refusing, SUBJECT, 'batch-screening')).rejects.toMatchObject({
    code: 'processing-restricted',
    message: expect.stringContaining('batch-screening'),
  });
  expect(asked).toEqual([[SUBJECT, 'batch-screening']]);
});
