/** `screen` on the command line: the verdict, its evidence, and why, in one look. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TenantId } from '#core/kernel';
import { EXIT } from '../../../src/cli/command.ts';
import { runCommandLine } from '../../../src/cli/commandLine.ts';
import type { CliProcess } from '../../../src/slices/processes.ts';
import { openRealGateway, type RealGateway } from '../../api/realGateway.ts';
import { surroundings } from '../../cli/surroundings.ts';
import { hasRedis } from '../../redis/realRedis.ts';

describe.skipIf(!hasRedis)('screen', () => {
  let gateway: RealGateway;
  let tenantId: TenantId;

  beforeAll(async () => {
    gateway = await openRealGateway('node:http');
    tenantId = await gateway.tenant('sandbox');
  });
  afterAll(() => gateway?.close());

  async function screen(...words: readonly string[]) {
    let [out, err] = ['', ''];
    const streams = {
      err: {
        write: (text: string) => {
          err += text;
        },
      },
      out: {
        write: (text: string) => {
          out += text;
        },
      },
    };
    const open = async () => gateway.process as unknown as CliProcess;
    const all = ['screen', '--tenant', tenantId, ...words];
    const code = await runCommandLine(all, streams, surroundings({ open }));
    return { code, err, out };
  }

  test('says in one look why a hit is one, and has an event', async () => {
    const before = await gateway.headSeq(tenantId);
    const shown = await screen('Velmorani, Tarik', '--dob', '1971-03-15', '--explain');
    expect(shown).toMatchObject({ code: EXIT.done, err: '' });
    expect(shown.out).toContain('MATCH_DIRECT_SANCTIONS');
    expect(shown.out).toContain('re-ranker 2.0.0');
    expect(shown.out).toMatch(/Tarek Velmorani .*demo-p-0001/);
    expect(shown.out).toMatch(/velmorani +velmorani +same/);
    expect(shown.out).toMatch(/date_of_birth +\+2\.0000/);
    expect(shown.out).toMatch(/z +\+\d+\.\d{4} +a score of 0\.\d{4}/);
    expect(await gateway.headSeq(tenantId)).toBe(before + 1);
  });

  test('is clear of a name that is on no list, and without --explain says no more', async () => {
    expect((await screen('Qqwyx Zzujklo')).out).toMatch(/^CLEAR, 0 hits/);
    const { out } = await screen('Tarek Velmorani', '--json');
    const { hits } = JSON.parse(out) as { readonly hits: readonly object[] };
    expect(hits[0]).not.toHaveProperty('explanation');
  });

  test('names the option that is wrong', async () => {
    const wrong = await screen('A', '--dob', '1971-3');
    expect(wrong.code).toBe(EXIT.usage);
    expect(wrong.err).toContain('--dob');
    expect(await screen('')).toMatchObject({ code: EXIT.usage, out: '' });
    expect((await screen('')).err).toMatch(/^NAME: /);
  });
});
