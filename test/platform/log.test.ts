/** What a log line may say: listed fields, bounded and escaped, and no message of a stranger. */
import { expect, test } from 'vitest';
import { createLog, LOG_VALUE_CHARS_MAX, type LogFields } from '#platform/log';

function lineOf(fields: object): Record<string, unknown> {
  const lines: string[] = [];
  const destination = { write: (line: string) => lines.push(line) };
  createLog({ destination, level: 'info', process: 'gateway' }).info(fields as LogFields, 'said');
  expect(lines).toHaveLength(1);
  return JSON.parse(lines[0] ?? '') as Record<string, unknown>;
}

test('a line is JSON with time, level, process, message and the fields', () => {
  expect(lineOf({ request_id: 'r', status: 200, tenant_id: 't' })).toEqual({
    level: 'info',
    message: 'said',
    process: 'gateway',
    request_id: 'r',
    status: 200,
    tenant_id: 't',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  });
});

test('a field that is not on the list does not leave', () => {
  const text = JSON.stringify(lineOf({ body: { name: 'Jane' }, full_name: 'Jane', req: 'Jane' }));
  expect(text).not.toContain('Jane');
});

test('the process that writes is said once, whatever it says of another one', () => {
  const lines: string[] = [];
  const destination = { write: (line: string) => lines.push(line) };
  const fields = { child: 'worker', process: 'worker' } as LogFields;
  createLog({ destination, level: 'info', process: 'supervisor' }).error(fields, 'ended');
  expect(lines[0]?.split('"process"')).toHaveLength(2);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ child: 'worker', process: 'supervisor' });
});

test('work on a batch says which', () => {
  expect(lineOf({ batch_id: 'b' }).batch_id).toBe('b');
});

test('an object in a listed field does not leave either', () => {
  expect(lineOf({ reason: { name: 'Jane' } }).reason).toBe('[object]');
});

test('control and bidirectional characters cannot forge a line', () => {
  const { reason } = lineOf({ reason: 'a\n{"level":"error"}\u202eb\u0000é' });
  expect(reason).toBe('a<U+A>{"level":"error"}<U+202E>b<U+0><U+E9>');
});

test('a long value is cut', () => {
  expect(lineOf({ reason: 'x'.repeat(9_999) }).reason).toHaveLength(LOG_VALUE_CHARS_MAX);
});

test('of an error its class, code and places leave, and not its message', () => {
  const error = Object.assign(new Error('duplicate key { name: "Jane" }\n    Jane at home'), {
    code: 'E11000',
  });
  const { error: shown } = lineOf({ error }) as { error: Record<string, unknown> };
  expect(JSON.stringify(shown)).not.toContain('Jane');
  expect(shown).toMatchObject({ code: 'E11000', name: 'Error' });
  expect((shown.frames as string[])[0]).toContain('log.test.ts');
});

test('a cause is described the same way, one level deep', () => {
  const cause = new TypeError('Jane');
  cause.cause = cause;
  const { error } = lineOf({ error: new Error('Roe', { cause }) });
  expect(error).toMatchObject({ cause: { name: 'TypeError' } });
  expect(JSON.stringify(error)).not.toMatch(/Jane|Roe/);
});

test('what was thrown and is no error is named by its type', () => {
  expect(lineOf({ error: 'Jane' }).error).toEqual({ name: 'string' });
});

test('a level that is off costs no line', () => {
  const lines: string[] = [];
  const destination = { write: (line: string) => lines.push(line) };
  const log = createLog({ destination, level: 'warn', process: 'gateway' });
  log.debug({}, 'no');
  log.info({}, 'no');
  expect([lines, log.isDebug()]).toEqual([[], false]);
});
