/** What `screening export` and `screening verify-report` do. */
import { existsSync } from 'node:fs';
import { DomainError, type TenantId } from '#core/kernel';
import { LOCALES } from '#platform/locales';
import { isPdf, readAttachment } from '#platform/pdfAttachment';
import { createFactsOf, entryThread, type FactsOf, listStore, signedVersions } from '#slices/lists';
import { policiesInForceOf } from '#slices/policies';
import { refuseFile, reportFile, type ScreeningReport, verifyReport } from '#slices/sanctions';
import { EXIT, type ExitCode, type Given, UsageError } from '../../../cli/command.ts';
import { readDocument, readSmallFile, writeWhole } from '../../../cli/files.ts';
import { readKeys } from '../../../cli/keysDocument.ts';
import type { CliProcess, SliceCommand } from '../../processes.ts';
import { drawReport } from '../asks.ts';
import { reportPartsOfCommand } from './reportParts.ts';

type Context = Parameters<SliceCommand['run']>[0];

export async function runExport({ actor, open, output }: Context, given: Given): Promise<ExitCode> {
  const [screeningId = ''] = given.positionals;
  const tenantId = given.value('tenant') as TenantId;
  const asked = given.optional('lang') ?? 'en';
  const lang = LOCALES.find((one) => one === asked);
  if (lang === undefined) throw new UsageError(`--lang: expected ${LOCALES.join(', ')}`);
  const process = await open();
  const { flags } = (await policiesInForceOf(process).of(tenantId)).content;
  if (!flags.audit_export_enabled) throw new DomainError('export-disabled');
  const made = await reportFile(
    reportPartsOfCommand(process, await factsOf(process)),
    { actor, lang, screeningId, tenantId },
    { signal: new AbortController().signal, turn: tenantId },
  );
  const out = given.value('out');
  const bytes = await writeWhole(out, once(made.pdf));
  await writeWhole(`${out}.sig`, once(`${made.signature}\n`));
  output.result(
    { bytes, file: out, lang, screening_id: screeningId, sha256: made.sha256 },
    `${out}: ${bytes} bytes, its signature beside it as ${out}.sig\nsha256 ${made.sha256}`,
  );
  return EXIT.done;
}

/** What the lists say of a hit, of versions that are read in a thread of this command. */
async function factsOf(process: CliProcess): Promise<FactsOf> {
  const { keyRing, storage } = process;
  const versions = signedVersions({ audit: storage.audit, keyRing });
  const thread = await process.need(entryThread)(process.config);
  process.onClose(() => thread.close());
  return createFactsOf({
    check: versions.checkPublished.bind(versions),
    lists: listStore(storage.tables),
    onUnreadable: () => undefined, // the report says that its facts are not known
    thread,
  });
}

/** Needs no installation, no network and no configuration. */
export async function runVerify({ need, output }: Context, given: Given): Promise<ExitCode> {
  const [path = ''] = given.positionals;
  const file = await readSmallFile(path);
  const keys = await readKeys(given.value('keys'));
  const signature = await signatureBeside(path, given.optional('signature'));
  const checked: string[] = [];
  const { reason, report } = await verified({
    checked,
    draw: need(drawReport),
    file,
    keys,
    signature,
  });
  const ok = reason === undefined;
  const { event, report: said } = report ?? {};
  const verdict = event?.verdict as { readonly decision?: unknown } | undefined;
  const value = {
    checked,
    decision: verdict?.decision ?? null,
    key_id: said?.key_id ?? null,
    ok,
    reason: reason ?? null,
    screening_id: said?.screening_id ?? null,
    seq: said?.event_seq ?? null,
    tenant_id: said?.tenant_id ?? null,
  };
  const held = checked.length > 0 ? ` (held: ${checked.join(', ')})` : '';
  const text = ok
    ? `good report of screening ${value.screening_id}, ${value.decision}: ${checked.join(', ')}`
    : `bad: ${reason}${held}`;
  output.result(value, text);
  return ok ? EXIT.done : EXIT.bad;
}

interface Verifying {
  readonly file: Buffer;
  readonly keys: unknown;
  readonly signature: string | undefined;
  readonly draw: (report: ScreeningReport) => Promise<Uint8Array>;
  /** The checks that passed are added. */
  readonly checked: string[];
}

/**
 * The pages of a PDF are not what is signed inside it. They are verified by the detached signature
 * or, where that was not kept, drawn anew from the document and compared.
 */
async function verified({
  checked,
  draw,
  file,
  keys,
  signature,
}: Verifying): Promise<{ readonly reason?: string; readonly report?: ScreeningReport }> {
  if (!isPdf(file)) return { reason: 'expected a PDF' };
  const attachment = readAttachment(file);
  if (attachment === undefined) return { reason: 'the PDF holds no report of ours' };
  const read = verifyReport(attachment, keys);
  if (!read.ok) return { reason: read.reason };
  const { report } = read;
  checked.push('statement', 'event', ...(report.report.checkpoint === null ? [] : ['checkpoint']));
  if (signature !== undefined) {
    const reason = refuseFile(file, signature, { keys, report: report.report });
    if (reason !== undefined) return { reason: `pages: ${reason}`, report };
    checked.push('pages by their signature');
    return { report };
  }
  if (!file.equals(await draw(report))) {
    const reason = 'pages: not as this edition draws the report; give the --signature of the file';
    return { reason, report };
  }
  checked.push('pages by drawing them again');
  return { report };
}

/** Named, or beside the file where there is one. */
async function signatureBeside(
  path: string,
  named: string | undefined,
): Promise<string | undefined> {
  const file = named ?? (existsSync(`${path}.sig`) ? `${path}.sig` : undefined);
  return file === undefined ? undefined : (await readDocument(file)).trim();
}

async function* once<Part extends string | Uint8Array>(part: Part): AsyncGenerator<Part> {
  yield part;
}
