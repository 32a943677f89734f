/** Corrections over HTTP and the command line, and what `audit erase` may not take away. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { identityStore, type Role } from '#core/identity';
import type { ScreeningId, TenantId } from '#core/kernel';
import { chainOf } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { casePartsOf, createCase, readContent, requireCase } from '#slices/customers';
import { askForHold, askToLift, confirmHold, privacyDeskOf } from '#slices/privacy';
import { runCommandLine } from '../../../src/cli/commandLine.ts';
import type { CliProcess } from '../../../src/slices/processes.ts';
import { createAdministration } from '../../../src/slices/tenants/administration.ts';
import { type Caller, openRealGateway, type RealGateway } from '../../api/realGateway.ts';
import { surroundings } from '../../cli/surroundings.ts';
import { hasRedis } from '../../redis/realRedis.ts';

const REASON = 'Letter of 12 January';
const ISSUER = 'https://issuer.test';

describe.skipIf(!hasRedis).each(['node:http', 'hyper-express'] as const)(
  'corrections over %s',
  (technology) => {
    let gateway: RealGateway;
    let tenantId: TenantId;
    let agent: Caller;
    let officer: Caller;
    beforeAll(async () => {
      gateway = await openRealGateway(technology);
      tenantId = await gateway.tenant('sandbox');
      agent = await gateway.caller(tenantId, 'agent_l2');
      officer = await gateway.caller(tenantId, 'compliance_officer');
    });
    afterAll(() => gateway?.close());

    const cases = () => casePartsOf(gateway.process);
    const open = (external_ref: string) =>
      createCase(
        cases(),
        { actor: 'key:test', tenantId },
        {
          external_ref,
          locale: 'fr-TN',
          subject: { email: 'a@former.tn', full_name: 'Amira Ben Salah' },
          subject_type: 'individual',
          workflow_code: 'individual_standard',
        },
      );
    const subjectOf = async ({ caseId }: { readonly caseId: string }) =>
      (await readContent(cases(), await requireCase(cases(), { caseId, tenantId }))).subject;
    const patch = (ref: string, body: object, key: string = crypto.randomUUID()) =>
      agent.send(`/v1/privacy/subject/${ref}`, {
        body: JSON.stringify(body),
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
        method: 'PATCH',
      });
    async function person(name: string, role: Role): Promise<string> {
      const store = identityStore(gateway.process.storage.tables);
      const { persons } = createAdministration({ ...gateway.installation, store });
      const accounts = [{ issuer: ISSUER, subject: name }];
      return (await persons.add({ accounts, actor: 'cli:test', name, roles: [role], tenantId })).id;
    }
    async function cli(...words: string[]) {
      let [err, out] = ['', ''];
      const streams = {
        err: { write: (text: string) => (err += text) },
        out: { write: (text: string) => (out += text) },
      };
      const given = surroundings({ open: async () => gateway.process as unknown as CliProcess });
      const code = await runCommandLine(words, streams, given);
      return { code, text: out + err };
    }

    test('contact data at once and once, flags beside, and what is wrong by name', async () => {
      const known = await open('C-1');
      const key = crypto.randomUUID();
      const body = {
        changes: { email: 'b@later.tn' },
        flags: { opposed: true },
        reason: REASON,
      };
      const first = await patch('C-1', body, key);
      expect(first.status, first.text).toBe(200);
      expect(first.json()).toMatchObject({
        applied: ['email'],
        etag: '"v1"',
        pending: [],
        subject: { opposed: true },
      });
      expect((await patch('C-1', body, key)).text).toBe(first.text);
      expect(await subjectOf(known)).toMatchObject({ email: 'b@later.tn' });
      const alone = { changes: { phone: '+21650000000' }, reason: REASON };
      const again = crypto.randomUUID();
      const [one, other] = [await patch('C-1', alone, again), await patch('C-1', alone, again)];
      expect(one.status, one.text).toBe(200);
      expect(other.text).toBe(one.text);
      for (const [changes, pointer] of [
        [{ email: 5 }, '/changes/email'],
        [{ nobody: 'x' }, '/changes/nobody'],
        [{ nationality: 'XX' }, '/changes/nationality'],
      ] as const) {
        const refused = await patch('C-1', { changes, reason: REASON });
        expect(refused.json(), refused.text).toMatchObject({ errors: [{ pointer }] });
      }
      expect((await patch('C-1', { reason: REASON })).json()).toMatchObject({
        errors: [{ pointer: '/changes' }],
      });
      expect(
        (await patch('C-0', { changes: { email: 'a@b.tn' }, reason: REASON })).problem(),
      ).toMatchObject({
        code: 'subject-unknown',
        status: 404,
      });
    });

    test('who they are is asked for and approved by two persons, not by keys', async () => {
      const known = await open('C-2');
      const changes = { full_name: 'Amira Trabelsi' };
      const refused = await patch('C-2', { changes, reason: REASON });
      expect(refused.problem()).toMatchObject({ code: 'person-required' });
      const [ada, lena] = [await person('ada', 'agent_l1'), await person('lena', 'agent_l2')];
      const given = [
        '--tenant',
        tenantId,
        '--reason',
        REASON,
        '--changes',
        JSON.stringify(changes),
      ];
      const asked = await cli('dsar', 'rectify', ...given, '--person', ada, 'C-2');
      expect(asked.code, asked.text).toBe(0);
      const path = '/v1/privacy/subject/C-2/changes';
      const listed = (await officer.get(path)).json<{ data: { change_id: string }[] }>();
      expect(listed.data).toMatchObject([
        { former: 'Amira Ben Salah', member: 'full_name', value: 'Amira Trabelsi' },
      ]);
      const changeId = listed.data[0]?.change_id ?? '';
      const byKey = await officer.post(`${path}/${changeId}`, { decision: 'approve' });
      expect(byKey.problem()).toMatchObject({ code: 'person-required' });
      const short = await officer.post(`${path}/${changeId}`, { decision: 'decline' });
      expect(short.problem()).toMatchObject({ code: 'reason-required' });
      const decide = (by: string) =>
        cli(
          'dsar',
          'change',
          '--tenant',
          tenantId,
          '--decision',
          'approve',
          '--person',
          by,
          'C-2',
          changeId,
        );
      expect((await decide(ada)).text).toContain('dual-control-same-person');
      expect((await cli('dsar', 'changes', '--tenant', tenantId, 'C-2')).text).toContain(changeId);
      // The person is answered once nothing of what he asked for waits.
      const asking = {
        action: 'rectify',
        identity: { method: 'in_person' },
        requester: { relation: 'self' },
        subject: { external_ref: 'C-2' },
      };
      const { request_id } = (await agent.post('/v1/privacy/dsar', asking)).json<{
        request_id: string;
      }>();
      const dsar = `/v1/privacy/dsar/${request_id}`;
      await officer.post(`${dsar}/identity`, { verified: true });
      const early = await officer.post(`${dsar}/approve`);
      expect(early.problem()).toMatchObject({ code: 'privacy-request-state' });
      const done = await decide(lena);
      expect(done.code, done.text).toBe(0);
      const answered = await officer.post(`${dsar}/approve`);
      expect(answered.json(), answered.text).toMatchObject({
        action: 'rectify',
        status: 'completed',
      });
      expect(await subjectOf(known)).toMatchObject(changes);
      expect((await officer.get(path)).json()).toEqual({ data: [] });
    });

    test('`audit erase` takes nothing away that something needs', async () => {
      const screened = await agent.screen({ name: 'Quilla Norwood', subject_ref: 'C-3' });
      const { screening_id: screeningId } = screened.json<{ screening_id: ScreeningId }>();
      const ports = privacyDeskOf(gateway.process);
      const by = (name: string) => ({ actor: `person:${name}`, isPerson: true, tenantId }) as const;
      const of = { subjectRef: 'C-3' };
      const until = (ports.clock.now() + 3_600_000) as EpochMs;
      await askForHold(ports, { ...of, by: by('one'), reason: REASON, until });
      const erase = () =>
        cli('audit', 'erase', '--tenant', tenantId, '--screening', screeningId, '--reason', REASON);
      const held = await erase();
      expect(held.code).not.toBe(0);
      expect(held.text).toContain('subject-held');
      const found = () =>
        gateway.process.storage.audit.findByScreening(chainOf(tenantId), screeningId);
      expect((await found())?.open).toBeDefined();
      await confirmHold(ports, { ...of, by: by('other'), isConfirmed: true });
      await askToLift(ports, { ...of, by: by('one'), reason: REASON });
      await confirmHold(ports, { ...of, by: by('other'), isConfirmed: true });
      const done = await erase();
      expect(done.code, done.text).toBe(0);
      expect((await found())?.open).toBeUndefined();
    });
  },
);
