/** The strict body reader by itself: what was pushed in, what a reader gets, what it never gets. */
import { expect, test } from 'vitest';
import { DomainError } from '#core/kernel';
import { BodyIntake, BUFFER_BYTES_HIGH } from '../../../src/api/http/bodyIntake.ts';

function intakeOf(declaredBytes: number | undefined, idleTimeoutMs = 10_000) {
  const calls: string[] = [];
  const source = { pause: () => calls.push('pause'), resume: () => calls.push('resume') };
  return { intake: new BodyIntake(source, { declaredBytes, idleTimeoutMs }), calls };
}

const bytes = (text: string) => Buffer.from(text);
const code = (error: unknown) => (error instanceof DomainError ? error.code : error);
const aborted = () => new DomainError('body-aborted');

test('chunks that came before and after the reader are one body', async () => {
  const { intake } = intakeOf(undefined);
  intake.push(bytes('ab'));
  const body = intake.body(10);
  intake.push(bytes('cd'));
  intake.finish();
  expect(Buffer.from(await body).toString()).toBe('abcd');
});

test('a body that ended before anyone asked is whole', async () => {
  const { intake } = intakeOf(2);
  intake.push(bytes('ab'));
  intake.finish();
  expect(Buffer.from(await intake.body(2)).toString()).toBe('ab');
});

test('exactly the limit passes, one byte more does not', async () => {
  for (const [text, expected] of [
    ['abc', 'abc'],
    ['abcd', 'body-too-large'],
  ] as const) {
    const { intake } = intakeOf(undefined);
    const body = intake.body(3).then((whole) => Buffer.from(whole).toString(), code);
    for (const character of text) intake.push(bytes(character));
    intake.finish();
    expect(await body).toBe(expected);
  }
});

test('more than the limit that waited unread is refused, and dropped', async () => {
  const { intake } = intakeOf(undefined);
  intake.push(bytes('abcd'));
  expect(await intake.body(3).catch(code)).toBe('body-too-large');
});

test('a limit of 0 refuses any byte and takes none', async () => {
  const empty = intakeOf(undefined);
  empty.intake.finish();
  expect(await empty.intake.body(0)).toHaveLength(0);
  const one = intakeOf(1);
  expect(await one.intake.body(0).catch(code)).toBe('body-too-large');
});

test('a finish with fewer bytes than declared is an abort', async () => {
  const { intake } = intakeOf(3);
  intake.push(bytes('ab'));
  intake.finish();
  expect(await intake.body(10).catch(code)).toBe('body-aborted');
});

test('the first failure stays', async () => {
  const { intake } = intakeOf(3);
  intake.fail(aborted());
  intake.fail(new DomainError('body-timeout'));
  intake.push(bytes('abc'));
  intake.finish();
  expect(await intake.body(10).catch(code)).toBe('body-aborted');
});

test('a stream gives what came, then the failure', async () => {
  const { intake } = intakeOf(undefined);
  const seen: string[] = [];
  const reading = (async () => {
    for await (const chunk of intake.bodyStream()) seen.push(Buffer.from(chunk).toString());
  })();
  intake.push(bytes('ab'));
  await new Promise((resolve) => setImmediate(resolve));
  intake.fail(aborted());
  expect(await reading.catch(code)).toBe('body-aborted');
  expect(seen).toEqual(['ab']);
});

test('a source is paused above the mark and let go when all was taken', async () => {
  const { intake, calls } = intakeOf(undefined);
  const half = new Uint8Array(BUFFER_BYTES_HIGH / 2 + 1);
  intake.push(half);
  expect(calls).toEqual([]);
  intake.push(half);
  expect(calls).toEqual(['pause']);
  const stream = intake.bodyStream();
  await stream.next();
  expect(calls).toEqual(['pause', 'resume']);
});

test('a stream left early lets the rest flow past', async () => {
  const { intake, calls } = intakeOf(undefined);
  for (let i = 0; i < 3; i++) intake.push(new Uint8Array(BUFFER_BYTES_HIGH));
  for await (const _ of intake.bodyStream()) break;
  expect(calls.at(-1)).toBe('resume');
  calls.length = 0;
  for (let i = 0; i < 3; i++) intake.push(new Uint8Array(BUFFER_BYTES_HIGH));
  expect(calls).toEqual([]);
});

test('a body is read once', async () => {
  const { intake } = intakeOf(0);
  intake.finish();
  await intake.body(1);
  await expect(intake.body(1)).rejects.toThrow('read once');
});

test('time that the reader takes is not the time of the client', async () => {
  const { intake } = intakeOf(undefined, 30);
  intake.push(bytes('a'));
  const seen: number[] = [];
  for await (const chunk of intake.bodyStream()) {
    seen.push(chunk.length);
    await new Promise((resolve) => setTimeout(resolve, 60));
    if (seen.length === 1) {
      intake.push(bytes('bc'));
      intake.finish();
    }
  }
  expect(seen).toEqual([1, 2]);
});

test('a body that came fast and goes on byte by byte is ended all the same', async () => {
  const { intake } = intakeOf(undefined, 100);
  intake.push(new Uint8Array(64 * 1024 * 1024));
  let isOver = false;
  const reading = (async () => {
    for await (const _ of intake.bodyStream());
  })()
    .catch(code)
    .finally(() => {
      isOver = true;
    });
  // At the mean rate of all of it there would be time for a day.
  while (!isOver) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    intake.push(bytes('x'));
  }
  expect(await reading).toBe('body-timeout');
});

test('short chunks come out as they came in, in pieces that share their memory', async () => {
  const { intake } = intakeOf(undefined);
  const text = Array.from({ length: 20_000 }, (_, at) => String.fromCharCode(97 + (at % 26)));
  for (const letter of text.slice(0, 10_000)) intake.push(bytes(letter));
  intake.push(Buffer.alloc(5_000, '-'));
  for (const letter of text.slice(10_000)) intake.push(bytes(letter));
  intake.finish();
  const pieces: Uint8Array[] = [];
  for await (const piece of intake.bodyStream()) pieces.push(piece);
  const expected = [...text.slice(0, 10_000), '-'.repeat(5_000), ...text.slice(10_000)].join('');
  expect(Buffer.concat(pieces).toString()).toBe(expected);
  expect(pieces.length).toBeLessThan(10);
});

test('what a reader has taken is not written over', async () => {
  const { intake } = intakeOf(undefined);
  const taken: Uint8Array[] = [];
  const reading = (async () => {
    for await (const piece of intake.bodyStream()) taken.push(piece);
  })();
  for (let at = 0; at < 40_000; at++) {
    intake.push(bytes(String(at % 10)));
    if (at % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  intake.finish();
  await reading;
  const expected = Array.from({ length: 40_000 }, (_, at) => at % 10).join('');
  expect(Buffer.concat(taken).toString()).toBe(expected);
});
