/** Work beside each other, and one that has the worker to itself. */
import { expect, test } from 'vitest';
import { Room } from '#core/work';

test('whoever is to be alone waits for those inside, and keeps others out meanwhile', async () => {
  const room = new Room();
  const steps: string[] = [];
  const one = Promise.withResolvers<void>();
  const two = Promise.withResolvers<void>();
  const beside = [room.beside(() => one.promise), room.beside(() => two.promise)];
  const alone = room.alone(async () => void steps.push(`alone, open: ${room.isOpen}`));
  expect(room.isOpen).toBe(false);
  expect(await room.alone(async () => void steps.push('a second one'))).toBe(false);
  one.reject(new Error('of its own'));
  await expect(beside[0]).rejects.toThrow('of its own');
  steps.push('one has ended');
  two.resolve();
  expect(await alone).toBe(true);
  expect(steps).toEqual(['one has ended', 'alone, open: false']);
  expect(room.isOpen).toBe(true);
});

test('the room is open again after work that failed', async () => {
  const room = new Room();
  const failing = room.alone(() => Promise.reject(new Error('failed')));
  await expect(failing).rejects.toThrow('failed');
  expect(room.isOpen).toBe(true);
  expect(await room.beside(async () => 'inside')).toBe('inside');
});
