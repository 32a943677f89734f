/** `approval list` and `approval show`, over the model's tables. */
import { expect, test } from 'vitest';
import { runCommandLine } from '../../../../src/cli/commandLine.ts';
import { opened, surroundings } from '../../../cli/surroundings.ts';
import { approvalHouse, requestOf, START, TENANT } from '../requests.ts';

const { house } = approvalHouse(
  requestOf(1),
  requestOf(2, { comment: 'Not\u001b[2Jnow', endedBy: 'person-dora', state: 'rejected' }),
  requestOf(3, { expiresAt: START }),
);

async function run(...words: string[]) {
  let [out, err] = ['', ''];
  const streams = {
    err: { write: (text: string) => (err += text) },
    out: { write: (text: string) => (out += text) },
  };
  const code = await runCommandLine(
    ['approval', ...words],
    streams,
    surroundings({
      clock: { monotonicMs: () => 0, now: () => START },
      open: opened({ storage: { tables: house.tables } }),
    }),
  );
  return { code, err, out };
}

test('requests are listed, latest first', async () => {
  const { code, out } = await run('list', '--tenant', TENANT);
  expect(code).toBe(0);
  expect(out.split('\n').map((line) => line.split(/ +/).slice(0, 2))).toEqual([
    ['APPROVAL', 'STATE'],
    ['approval-0003', 'expired'],
    ['approval-0002', 'rejected'],
    ['approval-0001', 'open'],
    [''],
  ]);
  const rejected = await run('list', '--tenant', TENANT, '--state', 'rejected', '--json');
  expect(JSON.parse(rejected.out).approvals).toMatchObject([{ approval_id: 'approval-0002' }]);
});

test('one is shown, without what would move a cursor', async () => {
  const { code, out } = await run('show', 'approval-0002', '--tenant', TENANT);
  expect(code).toBe(0);
  expect(out).toContain('new value  "new"');
  expect(out).toContain('comment    Not·[2Jnow');
  const json = await run('show', 'approval-0002', '--tenant', TENANT, '--json');
  expect(JSON.parse(json.out)).toMatchObject({ ended_by: 'person-dora', state: 'rejected' });
});

test('an unknown request and an unknown state are told', async () => {
  expect(await run('show', 'nothing', '--tenant', TENANT)).toMatchObject({ code: 3 });
  const wrong = await run('list', '--tenant', TENANT, '--state', 'closed');
  expect(wrong).toMatchObject({ code: 2 });
  expect(wrong.err).toContain('--state: expected open');
});
