/**
 * `audit export` and `audit verify`. The second needs no installation, no network, no
 * configuration.
 */
import { join } from 'node:path';
import {
  type Checkpoint,
  eraseEvidence,
  exportAudit,
  laterCheckpoint,
  parseCheckpoint,
  repeatErasures,
  resumeChain,
  storedMembers,
  type VerifyReport,
  verifyExport,
} from '#core/audit';
import {
  type ChainId,
  chainOf,
  DomainError,
  PLATFORM_CHAIN,
  type ScreeningId,
  type TenantId,
} from '#core/kernel';
import { isHeld, requireNotHeld } from '#core/privacy';
import { noteRepeated, noteRestored } from '#platform/restoredFile';
import { EXIT, type Given, UsageError } from '../../../cli/command.ts';
import { openInput, readDocument, writeWhole } from '../../../cli/files.ts';
import { readKeys } from '../../../cli/keysDocument.ts';
import { type Output, printable } from '../../../cli/output.ts';
import { parsedJson } from '../../../cli/parsedJson.ts';
import type { CliProcess, SliceCommand } from '../../processes.ts';
import { eraseLogParts, eraseParts, erasePersonAgain } from '../asks.ts';
import { knownCheckpoints, verifyState } from './verifyState.ts';

export const auditCommands: readonly SliceCommand[] = [
  {
    words: 'audit export',
    summary: "Write a tenant's evidence to a file that anyone can verify",
    options: [
      { name: 'tenant', value: 'ID', required: true, help: "the tenant's id, or platform" },
      { name: 'out', value: 'FILE', required: true, help: 'JSON lines; replaced if it is there' },
      { name: 'after', value: 'FILE', help: 'a checkpoint: leave out what it covers' },
    ],
    example: 'audit export --tenant 0190… --out evidence.jsonl',
    async run({ clock, open, output }, given) {
      const after = await optionalCheckpoint(given.optional('after'));
      const installation = await open();
      const chainId = await chainNamed(installation, given.value('tenant'));
      if (after !== undefined && after.tenant_id !== chainId) {
        throw new UsageError('--after: the checkpoint is of another chain');
      }
      const out = given.value('out');
      const store = installation.storage.audit;
      const head = await store.head(chainId);
      const lines = exportAudit({
        chainId,
        clock,
        keyRing: installation.keyRing,
        known: await knownCheckpoints(installation, chainId),
        signer: installation.signer,
        store,
        ...(after !== undefined && { after }),
      });
      const bytes = await writeWhole(out, lines);
      output.result(
        { bytes, file: out, seq: head.seq, tenant_id: chainId },
        `${out}: events up to seq ${head.seq}, ${bytes} bytes`,
      );
      return EXIT.done;
    },
  },
  {
    words: 'audit erase',
    summary: "Erase the personal part of a screening's evidence; the chain still verifies",
    options: [
      { name: 'tenant', value: 'ID', required: true, help: "the tenant's id" },
      { name: 'screening', value: 'ID', required: true, help: 'the screening_id of the answer' },
      { name: 'reason', value: 'TEXT', required: true, help: 'kept in the entry of the erasure' },
    ],
    example: 'audit erase --tenant 0190… --screening 0190… --reason request-17',
    async run({ actor, open, output }, given) {
      const installation = await open();
      const request = {
        actor,
        chainId: await chainNamed(installation, given.value('tenant')),
        reason: given.value('reason'),
        screeningId: given.value('screening') as ScreeningId,
      };
      const { chainId, screeningId } = request;
      const event = await installation.storage.audit.findByScreening(chainId, screeningId);
      const { subject_key: subjectKey } = event === undefined ? {} : storedMembers(event);
      if (typeof subjectKey === 'string') {
        const tenantId = given.value('tenant') as TenantId;
        await requireNotHeld(installation.ask(isHeld), { subjectKey, tenantId });
      }
      const ports = { ...installation, store: installation.storage.audit };
      const { seq } = await eraseEvidence(ports, request);
      output.result({ erased_seq: seq }, `event ${seq}: the personal part is erased`);
      return EXIT.done;
    },
  },
  {
    words: 'audit erase-again',
    summary: 'After the restore of a backup: repeat the erasures that a newer export names',
    options: [
      { name: 'tenant', value: 'ID', required: true, help: "the tenant's id" },
      { name: 'file', value: 'FILE', help: 'the newest `audit export` there is' },
      { name: 'none', help: 'instead: nobody was erased since the backup, on your word' },
    ],
    example: 'audit erase-again --tenant 0190… --file evidence.jsonl',
    async run({ actor, open, output }, given) {
      const file = given.optional('file');
      if ((file === undefined) !== given.isSet('none')) {
        throw new UsageError('expected either --file or --none');
      }
      if (file !== undefined) await openInput(file);
      const installation = await open();
      const { dataDir } = installation.config;
      const tenantId = given.value('tenant') as TenantId;
      const chainId = await chainNamed(installation, tenantId);
      const erase = installation.ask(eraseParts);
      const eraseInLog = installation.ask(eraseLogParts);
      const erasePerson = installation.ask(erasePersonAgain);
      const { named, repeated } =
        file === undefined
          ? { named: 0, repeated: 0 }
          : await repeatErasures(
              {
                ...installation,
                eraseParts: async (of) => {
                  const named = { ...of, actor, tenantId };
                  return (await erase(named)) || eraseInLog(named);
                },
                erasePerson: (receipt) => erasePerson({ actor, receipt, tenantId }),
                store: installation.storage.audit,
              },
              { actor, chainId, open: () => piecesOf(file) },
            );
      const pending = await noteRepeated(dataDir, tenantId);
      const left = pending.map((id) => `\nstill to do: audit erase-again --tenant ${id}`);
      output.result(
        { named, pending, repeated },
        `${named} erasures named, ${repeated} done again${left.join('')}`,
      );
      return EXIT.done;
    },
  },
  {
    words: 'audit resume',
    summary:
      'Go on signing after an old backup: behind the lost numbers, which the chain then names',
    options: [
      { name: 'tenant', value: 'ID', required: true, help: "the tenant's id, or platform" },
      {
        name: 'reason',
        value: 'TEXT',
        required: true,
        help: 'kept in the entry of the resumption',
      },
      { name: 'checkpoint', value: 'FILE', help: 'a later one, kept elsewhere' },
    ],
    example: 'audit resume --tenant platform --reason "disk lost, backup of 3 May"',
    async run({ actor, open, output }, given) {
      const checkpoint = await optionalCheckpoint(given.optional('checkpoint'));
      const installation = await open();
      const { config, storage } = installation;
      const named = given.value('tenant');
      const chainId = await behindChainNamed(installation, named);
      const latest = laterCheckpoint(await installation.headGuard.known(chainId), checkpoint);
      // What was lost may have held erasures. It is noted first: no start is to miss it.
      const mayMiss = chainId !== PLATFORM_CHAIN;
      if (mayMiss) await noteRestored(config.dataDir, [named]);
      const { gap, seq } = await resumeChain(
        { ...installation, directory: join(config.dataDir, 'checkpoints'), store: storage.audit },
        {
          actor,
          chainId,
          reason: given.value('reason'),
          ...(latest !== undefined && { checkpoint: latest }),
        },
      );
      output.result(
        { from_seq: gap.fromSeq, seq, tenant_id: named, until_seq: gap.untilSeq },
        `the chain goes on at seq ${seq}; seq ${gap.fromSeq} to ${gap.untilSeq} are lost` +
          (mayMiss ? `\nto do before any start: audit erase-again --tenant ${named}` : ''),
      );
      return EXIT.done;
    },
  },
  {
    words: 'audit verify',
    summary: 'Check an export, or with --state this installation: exit 0, or 1 and what is bad',
    options: [
      { name: 'file', value: 'FILE', help: 'from `audit export`' },
      { name: 'keys', value: 'FILE', help: 'from `keys public`' },
      { name: 'state', help: 'all chains as they are stored, and the records that stand on them' },
      {
        name: 'checkpoint',
        value: 'FILE',
        help: 'kept elsewhere: shows a cut tail, an old backup',
      },
      { name: 'no-signatures', help: 'hashes and checkpoints only: ten times faster' },
    ],
    example: 'audit verify --file evidence.jsonl --keys keys.json',
    async run({ open, output, stateChecks }, given) {
      if (given.isSet('state')) {
        const findings = await verifyState(await open(), stateChecks);
        return presentFindings(output, findings);
      }
      const keys = await readKeys(needed(given, 'keys'));
      const checkpoint = await optionalCheckpoint(given.optional('checkpoint'));
      const { bytes, chunks } = await openInput(needed(given, 'file'));
      const report = await verifyExport({
        input: counted(chunks, (read) =>
          output.progress({ label: 'verify', share: read / Math.max(1, bytes) }),
        ),
        keys,
        ...(checkpoint !== undefined && { checkpoint }),
        ...(given.isSet('no-signatures') && { signatures: false }),
      });
      const isHeld = checkpoint !== undefined;
      output.result(presentReport(report, isHeld), describeReport(report, isHeld));
      return report.ok ? EXIT.done : EXIT.bad;
    },
  },
];

function needed(given: Given, name: string): string {
  const value = given.optional(name);
  if (value !== undefined) return value;
  throw new UsageError(`--${name} is missing: give --file and --keys, or --state`);
}

function presentFindings(
  output: Output,
  findings: Awaited<ReturnType<typeof verifyState>>,
): (typeof EXIT)['done' | 'bad'] {
  const isGood = findings.every((finding) => finding.isGood);
  const lines = findings.map(
    ({ detail, isGood: good, name }) => `${good ? 'good' : 'BAD '}  ${name}: ${printable(detail)}`,
  );
  const checks = findings.map(({ detail, isGood: ok, name }) => ({ detail, name, ok }));
  output.result({ checks, ok: isGood }, lines.join('\n'));
  return isGood ? EXIT.done : EXIT.bad;
}

async function chainNamed({ tenants }: CliProcess, name: string): Promise<ChainId> {
  if (name === PLATFORM_CHAIN) return PLATFORM_CHAIN;
  const known = (await tenants.list()).some((tenant) => tenant.id === name);
  if (!known) throw new DomainError('not-found', { detail: 'no such tenant' });
  return chainOf(name as TenantId);
}

/** A tenant that was made after the backup is not in the store, but its checkpoints are known. */
async function behindChainNamed(installation: CliProcess, name: string): Promise<ChainId> {
  const behind = await installation.headGuard.behind();
  const found = behind.find(({ chainId }) => chainId === name);
  return found?.chainId ?? chainNamed(installation, name);
}

/** A checkpoint, or the last one of a file from DATA_DIR/checkpoints. */
async function optionalCheckpoint(path: string | undefined): Promise<Checkpoint | undefined> {
  if (path === undefined) return undefined;
  const text = await readDocument(path);
  const whole = parsedJson(text);
  const last = text.split('\n').findLast((line) => line.trim() !== '') ?? '';
  const checkpoint = parseCheckpoint(unwrap(whole)) ?? parseCheckpoint(unwrap(parsedJson(last)));
  if (checkpoint === undefined) throw new UsageError(`${path}: expected a checkpoint`);
  return checkpoint;
}

/** The event from any of its forms: alone, in an export's line, or in an answer of the API. */
function unwrap(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'checkpoint' in value
    ? value.checkpoint
    : value;
}

async function* piecesOf(file: string): AsyncGenerator<Uint8Array> {
  yield* (await openInput(file)).chunks;
}

async function* counted(
  chunks: AsyncIterable<Uint8Array>,
  onRead: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  let read = 0;
  for await (const chunk of chunks) {
    yield chunk;
    read += chunk.length;
    onRead(read);
  }
}

/** Said where no checkpoint from outside was given. */
const TAIL_UNSEEN =
  'no --checkpoint: a tail that was cut before the export, or an old backup, cannot be seen';

function describeReport(report: VerifyReport, isHeld: boolean): string {
  const { ok, events, erased, checkpoints, gaps, head, firstBad } = report;
  const lost = gaps.map(({ fromSeq, untilSeq }) => `, seq ${fromSeq} to ${untilSeq} are lost`);
  const counts = `${events} events, ${checkpoints} checkpoints, ${erased} erased${lost.join('')}`;
  if (ok) {
    const good = `good: ${counts}, head seq ${head.seq} ${head.hash}`;
    return isHeld ? good : `${good}\n${TAIL_UNSEEN}`;
  }
  if (firstBad === undefined) return `bad: ${counts}`;
  const { seq, line, reason, detail } = firstBad;
  return `bad: first at seq ${seq}, line ${line}: ${reason}: ${detail} (${counts} before it)`;
}

function presentReport(report: VerifyReport, isHeld: boolean) {
  return {
    ok: report.ok,
    tail: isHeld ? 'held to a checkpoint' : TAIL_UNSEEN,
    tenant_id: report.tenantId ?? null,
    events: report.events,
    erased: report.erased,
    checkpoints: report.checkpoints,
    gaps: report.gaps.map(({ fromSeq, untilSeq }) => ({ from_seq: fromSeq, until_seq: untilSeq })),
    head: report.head,
    first_bad: report.firstBad ?? null,
  };
}
