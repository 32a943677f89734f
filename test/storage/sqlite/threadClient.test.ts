/** The end of a storage thread, wanted and not. */
import { expect, test, vi } from 'vitest';
import { openThread } from '../../../src/storage/sqlite/threadClient.ts';

const program = new URL('./dyingThread.ts', import.meta.url);
interface Operations {
  ping(): string;
}

test('a thread that dies fails its calls and is told of once', async () => {
  const onFatal = vi.fn();
  const thread = await openThread<Operations>('unused', 'read', { onFatal, program });
  const lost = { code: 'store-unavailable' };
  await Promise.all([
    expect(thread.call('ping')).rejects.toMatchObject(lost),
    expect(thread.call('ping')).rejects.toMatchObject(lost),
  ]);
  await expect(thread.call('ping')).rejects.toMatchObject(lost);
  await thread.close();
  expect(onFatal).toHaveBeenCalledOnce();
  expect(onFatal.mock.calls[0]?.[0]).toMatchObject({
    cause: expect.objectContaining({ message: 'out of memory' }),
  });
});

test('a thread that is closed is no loss', async () => {
  const onFatal = vi.fn();
  const thread = await openThread<Operations>('unused', 'read', { onFatal, program });
  await thread.close();
  await expect(thread.call('ping')).rejects.toMatchObject({ code: 'store-unavailable' });
  expect(onFatal).not.toHaveBeenCalled();
});
