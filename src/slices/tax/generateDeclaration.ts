/**
 * A worker generates a declaration: the accounts of its book go through writer, schema and rules
 * into sealed blobs, some hundreds in memory at a time. Only at the end is it known that the book
 * is what was signed, and only then is anything of it kept.
 */
import { type EventDraft, entry } from '#core/audit';
import { type DataKey, type FilePuts, openSealed, putSealed, sealedPuts } from '#core/blobs';
import { chainOf, DomainError } from '#core/kernel';
import type { Hold } from '#core/work';
import { toTimestamp } from '#platform/clock';
import { bookDigest, findBook } from './accountBooks.ts';
import { requireFree } from './accountFiles.ts';
import {
  declarationEntry,
  declarationKey,
  findDeclaration,
  SYSTEM,
  steppedOn,
} from './declarationSteps.ts';
import {
  type DeclarationGeneration,
  type DeclarationMessage,
  declarationTable,
  generationTable,
  type TaxDeclaration,
} from './declarationTables.ts';
import { ffiFindings, openFfiListing } from './ffiList.ts';
import { channelTable } from './filingTables.ts';
import { requireKnown } from './mayBeOut.ts';
import { XML_LABEL } from './openMessage.ts';
import { PoolTotals } from './poolTotals.ts';
import type { TaxPorts } from './ports.ts';
import {
  type Counted,
  changedFindings,
  countFindings,
  isOnFile,
  reportItems,
  takenBack,
} from './reportItems.ts';
import { findReportingFi } from './reportingFi.ts';
import type { ReportingFiContent } from './reportingFiContent.ts';
import { messageBytes, ReportFeed, ReportFindings, recordId } from './reportMessages.ts';
import { ReportPlan } from './reportPlan.ts';
import { headFindings, type ReportFinding, type RuleContext } from './reportRules.ts';
import { schemaValidator } from './reportSchemas.ts';
import type { ReportHead } from './reportXml.ts';
import { ordersOf, submitted } from './submitDeclaration.ts';
import type { AccountBook } from './tables.ts';

const FRAMES: ReadonlySet<string> = new Set(['fi', 'sponsor']);
const FINDINGS_LABEL = 'tax-declaration-findings';
const SECOND_CHARS = 19;

/** An order that a worker has. */
export type GenerationHold = Pick<
  Hold<DeclarationGeneration, 'tenantId' | 'declarationId' | 'generationNo'>,
  'expected' | 'record' | 'signal'
>;

/** What a generation gave. */
interface Generated {
  readonly messages: readonly DeclarationMessage[];
  readonly findings: ReportFindings;
  readonly pools: number;
  readonly accounts: number;
  readonly accountsDigest?: string;
}

/** Ends in one commit. Rejects with `import-running`, `state-conflict`, `state-altered`. */
export async function generateDeclaration(ports: TaxPorts, hold: GenerationHold): Promise<void> {
  const before = await findDeclaration(ports, hold.record);
  if (!isAwaited(before, hold)) return endOrder(ports, hold, undefined);
  // A message may have left the house since this was ordered.
  requireKnown(before);
  const { content: fi } = await findReportingFi(ports, before);
  const book = await findBook(ports, before);
  requireFree(book);
  const key = await ports.dataKeys.find(declarationKey(before));
  if (key === undefined) throw new DomainError('blob-damaged', { detail: 'its key is gone' });
  const generated = await writeMessages(ports, { before, book, fi, key, signal: hold.signal });
  await endOrder(ports, hold, await nextOf(ports, before, { generated, key }));
}

/** Whether no later order, and no end of the declaration, has taken the place of this order. */
const isAwaited = (
  { generations, status }: TaxDeclaration,
  { record }: Pick<GenerationHold, 'record'>,
): boolean =>
  generations === record.generationNo &&
  (status === 'draft' || status === 'generated' || status === 'rejected');

/** It cannot be generated as things are: the draft says why. */
export async function failGeneration(
  ports: TaxPorts,
  hold: GenerationHold,
  code: string,
): Promise<void> {
  const before = await findDeclaration(ports, hold.record);
  if (!isAwaited(before, hold)) return endOrder(ports, hold, undefined);
  const key = await ports.dataKeys.find(declarationKey(before));
  if (key === undefined) return endOrder(ports, hold, undefined);
  const findings = new ReportFindings();
  const detail = 'the generation has failed: the log of the worker says why';
  findings.add({ code, detail, pointer: '', severity: 'error' });
  const generated = { accounts: 0, findings, messages: [], pools: 0 };
  await endOrder(ports, hold, await nextOf(ports, before, { generated, key }));
}

interface WriteAsk {
  readonly before: TaxDeclaration;
  readonly book: AccountBook | undefined;
  readonly fi: ReportingFiContent;
  readonly key: DataKey;
  readonly signal: AbortSignal;
}

async function writeMessages(ports: TaxPorts, ask: WriteAsk): Promise<Generated> {
  const plan = await ReportPlan.open(ports, ask.before);
  try {
    return await writePlanned(ports, ask, plan);
  } finally {
    plan.close();
  }
}

async function writePlanned(ports: TaxPorts, ask: WriteAsk, plan: ReportPlan): Promise<Generated> {
  const { before, book, fi, key, signal } = ask;
  const findings = new ReportFindings();
  const pools = new PoolTotals(fi.iga_model);
  const counted: Counted = { accounts: 0, unclassified: 0 };
  const source = {
    before,
    book,
    counted,
    fi,
    head: headOf(ports, ask, { messageNo: 1, plan }),
    plan,
    pools,
  };
  const feed = new ReportFeed(
    plan.isVoid ? takenBack(source, idMaker(before)) : reportItems(ports, source),
  );
  const toldPools = () => (plan.isVoid ? [] : pools.all.filter(({ type }) => plan.takesPool(type)));
  const puts: FilePuts = sealedPuts(ports, { label: XML_LABEL, secret: key.secret });
  const validator = await schemaValidator(before.schema);
  const messages: DeclarationMessage[] = [];
  const context = contextOf(ask);
  do {
    signal.throwIfAborted();
    const messageNo = messages.length + 1;
    const onFile = before.messages.find((one) => one.messageNo === messageNo && isOnFile(one));
    if (onFile !== undefined) {
      // The authority has it: its accounts are passed over, and it stays as it is.
      await feed.pass(onFile.records);
      messages.push(onFile);
      continue;
    }
    const head = headOf(ports, ask, { messageNo, plan });
    let records = 0;
    const onRecords = (written: number) => {
      records = written;
    };
    const parts = { context, feed, findings, head, pools: toldPools, validator };
    const put = await puts.put(messageBytes({ ...parts, onRecords }));
    messages.push({
      blob: put.sealedBlob ?? put.address,
      bytes: put.bytes,
      messageNo,
      messageRefId: head.messageRefId,
      records,
      sha256: put.address,
    });
  } while (!before.nilReport && (await feed.hasMore()));
  // The book is known to be what was signed only once all of it was read.
  while ((await feed.take(Number.MAX_SAFE_INTEGER)).length > 0) signal.throwIfAborted();
  const digest = book && bookDigest(book);
  const found = [
    ...headFindings(fi),
    ...(await ffiFindingsOf(ports, ask)),
    ...pools.findings,
    ...countFindings(before, counted, { plan, pools: toldPools() }),
    ...changedFindings(before, digest),
  ];
  for (const finding of found) findings.add(finding);
  return {
    accounts: counted.accounts,
    findings,
    messages,
    pools: toldPools().length,
    ...(digest !== undefined && { accountsDigest: digest }),
  };
}

/** Numbers of institutions are the IRS's. */
async function ffiFindingsOf(ports: TaxPorts, { before, fi }: WriteAsk) {
  if (before.regime !== 'FATCA') return [];
  const named = [
    { giin: before.giin, pointer: '/reporting_fi_giin' },
    ...(fi.sponsor ? [{ giin: fi.sponsor.giin, pointer: '/reporting_fi/sponsor/giin' }] : []),
    ...(fi.sender_giin ? [{ giin: fi.sender_giin, pointer: '/reporting_fi/sender_giin' }] : []),
  ];
  const listing = await openFfiListing(ports, before.tenantId);
  return ffiFindings(listing, named, ports.clock.now());
}

const contextOf = ({ before, fi }: WriteAsk): RuleContext => ({
  igaModel: fi.iga_model,
  isExchange: fi.profile === 'oecd-exchange',
  period: before.period,
  receivingCountry: before.receivingCountry,
  schema: before.schema,
});

const idOf = ({ declarationId, generations }: TaxDeclaration, what: string): string =>
  recordId(declarationId, generations, what);

/** Identifiers of records, by what they are of. */
const idMaker =
  (before: TaxDeclaration) =>
  (what: string): string =>
    before.regime === 'FATCA'
      ? `${before.giin}.${idOf(before, what)}`
      : `${before.transmittingCountry}${before.period}${idOf(before, what)}`;

function headOf(
  { clock }: Pick<TaxPorts, 'clock'>,
  { before, fi }: WriteAsk,
  { messageNo, plan }: { readonly messageNo: number; readonly plan: ReportPlan },
): ReportHead {
  const { giin, period, receivingCountry, regime } = before;
  const isFatca = regime === 'FATCA';
  const ofMessage = idOf(before, `message:${messageNo}`);
  const make = idMaker(before);
  // Institution and sponsor stand in each message.
  const nameOf = (what: string) => (FRAMES.has(what) ? `${what}:${messageNo}` : what);
  return {
    fi,
    isCorrection: plan.isCorrection,
    specOf: (what) => plan.specOf(what, { docRefId: make(nameOf(what)), messageNo }),
    giin,
    isNil: before.nilReport,
    isTest: before.isTest,
    messageRefId: isFatca
      ? `${giin}.${period}.${ofMessage}`
      : `${before.transmittingCountry}${period}${receivingCountry}${ofMessage}`,
    period,
    receivingCountry,
    schema: before.schema,
    timestamp: toTimestamp(clock.now()).slice(0, SECOND_CHARS),
    ...(before.filerCategory !== undefined && { filerCategory: before.filerCategory }),
  };
}

async function nextOf(
  ports: TaxPorts,
  before: TaxDeclaration,
  { generated, key }: { readonly generated: Generated; readonly key: DataKey },
): Promise<{ readonly before: TaxDeclaration; readonly next: TaxDeclaration }> {
  const { findings } = generated;
  const isValid = findings.errors === 0;
  const { accountsDigest: _, findingsBlob: __, generatedAt: ___, ...kept } = before;
  const isRejected = before.status === 'rejected';
  const without = isRejected ? before.messages : [];
  const state = isValid ? 'generated' : isRejected ? 'rejected' : 'draft';
  const of: TaxDeclaration = {
    ...kept,
    accountCount: generated.accounts,
    errorsCount: findings.errors,
    messages: isValid ? generated.messages : without,
    poolCount: generated.pools,
    status: state,
    warningsCount: findings.warnings,
    ...digestAfter(before, generated, isRejected && !isValid),
    ...(isValid && { generatedAt: ports.clock.now() }),
    ...(findings.kept.length > 0 && {
      findingsBlob: await putSealed(ports, Buffer.from(JSON.stringify(findings.kept)), {
        label: FINDINGS_LABEL,
        secret: key.secret,
      }),
    }),
  };
  const cause = isValid ? 'generated' : 'findings';
  return { before, next: steppedOn(ports, before, { by: SYSTEM, cause, of }) };
}

/** A rejected declaration keeps the digest of what is on file. */
function digestAfter(
  { accountsDigest: known }: TaxDeclaration,
  { accountsDigest }: Generated,
  isKept: boolean,
): Pick<TaxDeclaration, 'accountsDigest'> {
  const digest = isKept ? known : accountsDigest;
  return digest === undefined ? {} : { accountsDigest: digest };
}

async function endOrder(
  ports: TaxPorts,
  { expected, record }: GenerationHold,
  of: { readonly before: TaxDeclaration; readonly next: TaxDeclaration } | undefined,
): Promise<void> {
  const { declarationId, tenantId, version } = record;
  const ended: DeclarationGeneration = { ...record, status: 'ended', version: version + 1 };
  const isNew = of?.before.status === 'draft' && of.next.status === 'generated';
  const next = of && (await sentOn(ports, of));
  await ports.commit(chainOf(tenantId), {
    bus: isNew
      ? [
          {
            partition: tenantId,
            payload: { declaration_id: declarationId, schema: 'tcr.declaration.generated.v1' },
            topic: 'tcr.declaration.generated',
          },
        ]
      : [],
    changes: [
      expected,
      generationTable.put(ended, version),
      ...(of === undefined || next === undefined
        ? []
        : [declarationTable.put(next, of.before.version), ...(isSent(next) ? ordersOf(next) : [])]),
    ],
    events:
      next === undefined
        ? [droppedEntry(ports, record)]
        : [
            declarationEntry(
              ports,
              { actor: SYSTEM },
              { action: 'tcr.declaration.generated', record: next },
            ),
          ],
  });
}

const isSent = ({ status }: TaxDeclaration): boolean => status === 'submitted';

/** Who made it may have ordered that it be submitted at once; without a channel it waits. */
async function sentOn(
  ports: TaxPorts,
  { before, next }: { readonly before: TaxDeclaration; readonly next: TaxDeclaration },
): Promise<TaxDeclaration> {
  if (next.autoSubmit !== true || next.status !== 'generated') return next;
  const { giin, regime, tenantId } = next;
  const way = await ports.tables.find(channelTable, { giin, tenantId });
  if (regime === 'FATCA' && way === undefined) return next;
  const now = ports.clock.now();
  const of = submitted(next, now);
  const { timeline } = steppedOn(ports, next, { by: SYSTEM, cause: 'auto_submit_ides', of });
  return { ...of, timeline, version: before.version + 1 };
}

/** Its target is the order: it says nothing of what the declaration is. */
const droppedEntry = (
  ports: Pick<TaxPorts, 'clock' | 'random'>,
  { declarationId, generationNo }: DeclarationGeneration,
): EventDraft =>
  entry(ports, {
    action: 'tcr.declaration.generation_dropped',
    actor: SYSTEM,
    at: ports.clock.now(),
    members: { generation_no: generationNo },
    target: `tax-generation:${declarationId}/${generationNo}`,
  });

/** Findings of the latest generation. */
export async function readFindings(
  { blobs, dataKeys }: Pick<TaxPorts, 'blobs' | 'dataKeys'>,
  declaration: TaxDeclaration,
): Promise<readonly ReportFinding[]> {
  if (declaration.findingsBlob === undefined) return [];
  const [key, bytes] = await Promise.all([
    dataKeys.find(declarationKey(declaration)),
    blobs.get(declaration.findingsBlob),
  ]);
  if (key === undefined || bytes === undefined) {
    throw new DomainError('blob-damaged', { detail: 'the findings are gone' });
  }
  const plain = await openSealed(bytes, { label: FINDINGS_LABEL, secret: key.secret });
  return JSON.parse(plain.toString()) as readonly ReportFinding[];
}
