/**
 * The attestation as a PDF: its content for people to read, with the document itself attached and
 * printed. It shows only the signed JSON. The same JSON gives the same bytes, so the pages can be
 * verified by drawing them again.
 */
import { type Attestation, attestationText } from '#slices/batches';
import { Page } from './page.ts';

export const ATTACHMENT_NAME = 'attestation.json';

const MODES: Readonly<Record<string, string>> = {
  delta: 'delta: list entries added or changed since the time or batch below',
  full: 'full: the whole cohort against all lists below',
  listsdelta: 'listsdelta: entries added to the lists since the batch below',
  newlist: 'newlist: the whole cohort against newly activated lists only',
};
const HEX = { face: 'mono', size: 6.5 } as const;

export function renderAttestation(attestation: Attestation): Promise<Buffer> {
  const at = new Date(attestation.period.completed_at);
  const page = new Page({
    at,
    author: attestation.tenant_name,
    title: `Screening attestation ${attestation.batch_id}`,
  });
  const text = attestationText(attestation);
  page.document.file(Buffer.from(text), {
    creationDate: at,
    description: 'The signed attestation: JSON by RFC 8785',
    modifiedDate: at,
    name: ATTACHMENT_NAME,
    type: 'application/json',
  });
  page.title('Attestation of a screening batch');
  page.note(proves(attestation));
  drawBatch(page, attestation);
  drawInput(page, attestation);
  drawTotals(page, attestation);
  drawLists(page, attestation);
  drawEvidence(page, attestation);
  page.heading('The signed document');
  page.note(
    'This text, without its member signature and in canonical form (RFC 8785), is what was ' +
      'signed. It is attached to this file as attestation.json.',
  );
  page.smallPrint(text);
  return page.bytes(`Batch ${attestation.batch_id}`);
}

/** In a sentence, for whoever gets these pages and knows nothing of the service. */
function proves({ period, totals }: Attestation): string {
  const [subjects, found] = [totals.subjects, totals.subjects_with_hits].map(countOf);
  return (
    `This attestation proves that ${subjects} subjects of the input below were screened against ` +
    `the lists below between ${period.started_at} and ${period.completed_at}, that ${found} of ` +
    'them had hits, and that neither these results nor the reports named here were changed since ' +
    'it was signed. It does not prove that the input held every customer, nor that what it says ' +
    'of them is true.'
  );
}

function drawBatch(page: Page, attestation: Attestation): void {
  const { period } = attestation;
  page.heading('Batch');
  page.row('Tenant', attestation.tenant_name);
  page.row('Tenant id', attestation.tenant_id);
  page.row('Batch name', attestation.batch_name);
  page.row('Batch id', attestation.batch_id);
  page.row('Mode', MODES[attestation.mode] ?? attestation.mode);
  page.row('Requested', period.requested_at);
  if (period.since !== null) page.row('Since', period.since);
  if (period.base_batch_id !== null) page.row('Since batch', period.base_batch_id);
  page.row('Started', period.started_at);
  page.row('Completed', period.completed_at);
  page.row('Duration', durationOf(period.duration_ms));
}

function drawInput(page: Page, { input, rejected_sha256 }: Attestation): void {
  page.heading('Input');
  page.row('File', input.file_name ?? '(none: sent as JSON, or by a query)');
  page.row('Lines', `${countOf(input.line_count)} rows of data`);
  page.row('Size', `${countOf(input.bytes)} bytes, ${input.type}`);
  page.row('SHA-256', input.sha256, HEX);
  if (rejected_sha256 !== null) page.row('SHA-256 of rejected rows', rejected_sha256, HEX);
}

function drawTotals(page: Page, attestation: Attestation): void {
  const { include_adverse_media, include_pep, thresholds, totals } = attestation;
  const { by_category: hits, by_decision: decisions } = totals;
  page.heading('Result');
  page.row('Subjects screened', countOf(totals.subjects));
  page.row('Rows rejected', countOf(totals.rejected));
  page.row('Subjects with hits', countOf(totals.subjects_with_hits));
  page.row('Hits', countOf(totals.hits));
  page.row('Hits: sanctions', countOf(hits.sanctions));
  page.row('Hits: PEP', include_pep ? countOf(hits.pep) : 'not sought');
  page.row(
    'Hits: adverse media',
    include_adverse_media ? countOf(hits.adverse_media) : 'not sought',
  );
  page.row('Hits: relatives, associates', countOf(hits.rca));
  page.row(
    'Decisions',
    `${countOf(decisions.auto_clear)} clear, ${countOf(decisions.review)} for review, ` +
      `${countOf(decisions.match)} matches`,
  );
  page.row(
    'Thresholds',
    `hit from ${thresholds.auto_clear}, match from ${thresholds.review}, ` +
      `strong match from ${thresholds.auto_match}`,
  );
}

function drawLists(page: Page, { list_version, lists }: Attestation): void {
  page.heading('Lists consulted');
  if (lists.length === 0) page.note('None.');
  for (const list of lists) {
    page.row(list.source, `version ${list.list_version}, snapshot of ${list.published_at}`);
    page.row('', list.list_digest, HEX);
    if (list.since !== null) page.row('', `changes since version ${list.since.list_version}`);
  }
  if (list_version !== null) page.row('Set of lists', list_version, HEX);
}

function drawEvidence(page: Page, attestation: Attestation): void {
  page.heading('Evidence');
  if (attestation.reissue !== undefined) {
    const { attestation_sha256, erased_subjects } = attestation.reissue;
    page.row('Written again', `${countOf(erased_subjects)} subjects were erased since`);
    page.row('SHA-256 of the first attestation', attestation_sha256, HEX);
  }
  page.row('SHA-256 of the CSV report', attestation.report_sha256, HEX);
  page.row('SHA-256 of the XLSX report', attestation.xlsx_sha256, HEX);
  page.row('Root of all results', attestation.results_root, HEX);
  page.row(
    'Matching',
    `re-ranker ${attestation.reranker_version}, policy ${attestation.policy_version}`,
  );
  page.row('Key (Ed25519)', attestation.key_id, HEX);
  page.row('Signature', attestation.signature, HEX);
}

const THOUSANDS = new Intl.NumberFormat('en-US');
/** 1,234,567 */
const countOf = (count: number): string => THOUSANDS.format(count);

function durationOf(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  const rest = `${seconds % 60}.${`${ms % 1_000}`.padStart(3, '0')} s`;
  return [hours > 0 && `${hours} h`, (hours > 0 || minutes > 0) && `${minutes} min`, rest]
    .filter(Boolean)
    .join(' ');
}
