/** Findings as entries tell them: by half an id and half a digest, many in little memory. */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { ToldFindings } from '#slices/rescreening';

const hex = (text: string): string => createHash('sha256').update(text).digest('hex');

test('the last entry of each holds, among many', () => {
  const told = new ToldFindings();
  const of = (number: number, round: number) => ({
    digest: hex(`${number} ${round}`),
    id: hex(`${number}`),
    isCurrent: (number + round) % 3 > 0,
  });
  for (let number = 0; number < 2_000; number++) told.take(of(number, 0));
  for (let number = 0; number < 2_000; number += 2) told.take(of(number, 1));
  expect(told.count).toBe(2_000);
  for (let number = 0; number < 2_000; number++) {
    const { digest, id, isCurrent } = of(number, number % 2 === 0 ? 1 : 0);
    expect(told.placeOf(id)).toBe(number);
    expect(told.nameAt(number)).toBe(id.slice(0, 32));
    expect(told.isDigest(id, digest)).toBe(true);
    expect(told.isDigest(id, of(number, 2).digest)).toBe(false);
    expect(told.isCurrent(id)).toBe(isCurrent);
  }
  expect(told.placeOf(hex('nobody'))).toBeUndefined();
  expect(told.isDigest(hex('nobody'), hex('nobody'))).toBe(false);
});

test('what is no id is told of by no entry', () => {
  const told = new ToldFindings();
  told.take({ digest: hex('d'), id: hex('i'), isCurrent: true });
  for (const id of ['', 'zz', hex('i').slice(0, 20)]) expect(told.placeOf(id)).toBeUndefined();
});
