/** The same line a thousand times is one line a minute, with its count. */
import { expect, test } from 'vitest';
import { createLog } from '#platform/log';
import { thinLog } from '#platform/thinLog';

function thinned() {
  const lines: Record<string, unknown>[] = [];
  let nowMs = 0;
  const destination = { write: (line: string) => lines.push(JSON.parse(line)) };
  const log = thinLog(createLog({ destination, level: 'info', process: 'worker' }), {
    monotonicMs: () => nowMs,
  });
  return {
    lines,
    log,
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

test('what was said within the minute is counted, and the next line says how often', () => {
  const { lines, log, pass } = thinned();
  const say = () => log.warn({ error: new Error('no primary') }, 'the store does not answer');
  for (let times = 0; times < 1_000; times += 1) say();
  expect(lines).toHaveLength(1);
  expect(lines[0]).not.toHaveProperty('count');
  pass(60_000);
  say();
  expect(lines[1]).toMatchObject({
    count: 999,
    level: 'warn',
    message: 'the store does not answer',
  });
  pass(60_000);
  say();
  expect(lines[2]).not.toHaveProperty('count');
});

test('another thing, code or level is another line; news is never thinned', () => {
  const { lines, log } = thinned();
  log.warn({ source_id: 'A' }, 'failed');
  log.warn({ source_id: 'B' }, 'failed');
  log.error({ source_id: 'A' }, 'failed');
  log.warn({ error: Object.assign(new Error(), { code: 'EIO' }), source_id: 'A' }, 'failed');
  log.info({}, 'ended');
  log.info({}, 'ended');
  expect(lines).toHaveLength(6);
});
