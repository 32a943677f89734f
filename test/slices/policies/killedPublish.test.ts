/** A process that dies at any step of a publication has published it, or changed nothing. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createAuditLog, type EventGroup } from '#core/audit';
import { consumedApprovalTable } from '#core/identity';
import { systemRandom } from '#platform/random';
import { type PolicyRecord, requireActive, signPolicy } from '#slices/policies';
import { LONG_MS, takeOverHead } from '../../storage/contract/harness.ts';
import { makeSqliteHarness } from '../../storage/sqlite/harness.ts';
import { openPolicyDesk, type PolicyDesk, SIGNER, TENANT } from './policyDesk.ts';

const CHILD = fileURLToPath(new URL('./publishChild.ts', import.meta.url));
const STEPS = ['begin', 'changes', 'events', 'outbox', 'head', 'before-commit', 'commit'];

let harness: Awaited<ReturnType<typeof makeSqliteHarness>>;
let desk: PolicyDesk;
beforeEach(async () => {
  harness = await makeSqliteHarness();
  desk = await openPolicyDesk(async () => harness);
});
afterEach(() => desk.close());

/** What the publication would write, caught before it is. */
async function groupOf(draft: PolicyRecord): Promise<EventGroup> {
  let caught: EventGroup | undefined;
  const log = createAuditLog({
    clock: { monotonicMs: () => performance.now(), now: () => desk.clock.now() },
    holder: 'caught',
    random: systemRandom,
    signer: SIGNER,
    store: {
      ...desk.audit,
      appendGroup: async (_, group) => {
        caught = group;
        throw new Error('caught');
      },
    },
  });
  const signatures = [desk.sign(draft, 'carl'), desk.sign(draft, 'dora')];
  const ask = { ...desk.as('carl'), policyVersion: draft.policyVersion, signatures };
  await expect(signPolicy({ ...desk.ports, commit: log.commit }, ask)).rejects.toMatchObject({
    code: 'store-unavailable',
  });
  await log.close();
  if (caught === undefined) throw new Error('nothing was caught');
  return caught;
}

/** Who had it is gone. */
async function freeHead(holder: string): Promise<void> {
  harness.clock.advance(LONG_MS);
  const ask = { chainId: TENANT as never, holder };
  await desk.audit.releaseHead(await takeOverHead(desk.storage, harness.clock, ask));
}

test.each(STEPS)('killed at step %s', async (step) => {
  const draft = await desk.draft('carl');
  const group = await groupOf(draft);
  const file = join(harness.dataDir, 'group.json');
  writeFileSync(file, JSON.stringify(group));
  await desk.closeLog();
  await freeHead('before');
  const store = join(harness.dataDir, 'store', 'compliance.sqlite');
  const now = String(harness.clock.now());
  const given = ['--disable-warning=ExperimentalWarning', CHILD, store, file, step, now];
  const child = spawnSync(process.execPath, given, { encoding: 'utf8' });
  expect([child.signal, child.stderr]).toEqual(['SIGKILL', '']);
  await freeHead('after');
  const isPublished = step === 'commit';
  const statuses = await Promise.all([1, 2].map(async (n) => (await desk.policy(n)).status));
  expect(statuses).toEqual(isPublished ? ['ARCHIVED', 'PUBLISHED'] : ['PUBLISHED', 'DRAFT']);
  expect((await requireActive(desk.ports, TENANT)).policyVersion).toBe(isPublished ? 2 : 1);
  expect(await desk.entries('SANCTIONS_POLICY_PUBLISHED')).toHaveLength(isPublished ? 2 : 1);
  const used = await desk.storage.tables.page(consumedApprovalTable, { index: 'key', limit: 10 });
  expect(used.records).toHaveLength(isPublished ? 2 : 0);
});
