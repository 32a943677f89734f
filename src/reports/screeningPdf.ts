/**
 * The report of a screening as a PDF, in French, Arabic or English: its content for people to read,
 * with the document itself attached and its signed part printed. The same document gives the same
 * bytes, so the pages can be verified by drawing them again.
 */
import type { JsonRecord } from '#core/audit';
import { canonicalJson } from '#platform/canonicalJson';
import { type ReportedHit, reportText, type ScreeningReport } from '#slices/sanctions';
import {
  type Hit,
  type ListReference,
  type NormalizedQuery,
  type Suppressed,
  sourceOf,
  storedVerdict,
} from '#slices/screening';
import { Page } from './page.ts';
import { type ScreeningWords, screeningWords } from './screeningWords.ts';

export const EVIDENCE_NAME = 'evidence.json';
const HEX = { face: 'mono', size: 6.5 } as const;
/** Related parties and excluded hits that are shown; the attached evidence has all. */
const SHOWN_MAX = 20;

/** Members of the event that pages show, beside those of the verdict. */
interface EventMembers {
  readonly candidates: readonly unknown[];
  readonly event_id: string;
  readonly lists: readonly ListReference[];
  readonly occurred_at: string;
  readonly policy_digest?: string;
  readonly query_normalized?: NormalizedQuery;
  readonly requested_by: string;
  readonly suppressed?: readonly Suppressed[];
  readonly suppressed_only?: boolean;
  readonly truncated: boolean;
}

/** What all parts are drawn with. */
interface Sheet {
  readonly page: Page;
  readonly words: ScreeningWords;
  readonly event: EventMembers;
  readonly report: ScreeningReport['report'];
  readonly verdict: ReturnType<typeof storedVerdict>;
}

export function renderScreening(document: ScreeningReport): Promise<Buffer> {
  const { event, report } = document;
  const words = screeningWords(report.lang);
  const at = new Date(report.issued.at);
  const page = new Page({
    at,
    author: report.tenant_name,
    lang: report.lang,
    title: `${words.title} ${report.screening_id}`,
  });
  page.document.file(Buffer.from(reportText(document)), {
    creationDate: at,
    description: 'The event of the screening, and the signed report of it: JSON by RFC 8785',
    modifiedDate: at,
    name: EVIDENCE_NAME,
    type: 'application/json',
  });
  const sheet: Sheet = {
    event: event as JsonRecord & EventMembers,
    page,
    report,
    verdict: storedVerdict({ body: canonicalJson(event) }),
    words,
  };
  page.title(words.title);
  drawScreening(sheet);
  drawSubject(sheet);
  drawResult(sheet);
  for (const [no, hit] of sheet.verdict.hits.entries()) {
    drawHit(sheet, { hit, no, reported: report.hits[no] });
  }
  drawLists(sheet);
  drawPolicy(sheet);
  drawEvidence(sheet);
  page.heading(words.signed);
  page.note(words.signedNote);
  page.smallPrint(canonicalJson(report));
  return page.bytes(`${words.screening} ${report.screening_id}`);
}

function drawScreening({ event, page, report, words }: Sheet): void {
  page.heading(words.screening);
  page.row(words.tenant, report.tenant_name);
  page.row(words.tenantId, report.tenant_id);
  page.row(words.screeningId, report.screening_id);
  page.row(words.occurredAt, event.occurred_at);
  page.row(words.requestedBy, event.requested_by);
  page.row(words.issuedAt, report.issued.at);
}

function drawSubject({ event, page, words }: Sheet): void {
  const query = event.query_normalized;
  page.heading(words.subject);
  if (query === undefined) {
    page.note(words.erased);
    return;
  }
  for (const [no, name] of query.names.entries()) page.row(no === 0 ? words.names : '', name);
  if (query.dob !== undefined) page.row(words.dob, query.dob);
  if (query.dob_range !== undefined) page.row(words.dobRange, query.dob_range);
  if (query.nationality !== undefined) page.row(words.nationality, query.nationality);
  if (query.schema !== undefined) page.row(words.schema, query.schema);
}

function drawResult({ event, page, verdict, words }: Sheet): void {
  page.heading(words.result);
  page.row(words.verdict, words.decisions[verdict.decision]);
  page.row('', verdict.decision, { face: 'mono' });
  page.row(words.hitCount, `${verdict.hits.length}`);
  page.row(words.candidateCount, `${event.candidates.length}`);
  if (event.truncated) page.note(words.cut);
  const { suppressed = [] } = event;
  for (const one of suppressed.slice(0, SHOWN_MAX)) {
    page.row(words.suppressed, `${one.source} ${one.ftm_id} · ${one.exclusion_id}`);
  }
  if (event.suppressed_only === true) page.note(words.suppressedOnly);
  if (verdict.hits.length === 0) page.note(words.noHits);
}

function drawHit(
  sheet: Sheet,
  of: { readonly hit: Hit; readonly no: number; readonly reported: ReportedHit | undefined },
): void {
  const { page, words } = sheet;
  const { hit, no, reported } = of;
  page.heading(`${words.hit} ${no + 1}`);
  page.row(words.primaryName, hit.primary_name);
  page.row(words.entry, `${sourceOf(hit)} · ${hit.ftm_id}`);
  page.row(words.matchedName, hit.matched_name);
  page.row(words.typology, hit.typology ?? words.none, { face: 'mono' });
  drawScores(sheet, hit);
  if (reported !== undefined) drawReported(sheet, reported);
  for (const related of hit.rcaHits.slice(0, SHOWN_MAX)) {
    const { depth, rcaScore, sanctionedTargetFtmId } = related;
    page.row(words.related, `${sanctionedTargetFtmId} · ${depth} · ${scoreOf(rcaScore)}`);
  }
}

function drawScores({ page, words }: Sheet, hit: Hit): void {
  const show = (score: number | null): string => (score === null ? '–' : scoreOf(score));
  page.row(words.scores, `${scoreOf(hit.directScore)} / ${scoreOf(hit.finalScore)}`);
  page.row('', `${words.direct} / ${words.final}`);
  const components: readonly (readonly [string, number | null])[] = [
    [words.name, hit.nameScore],
    [words.phonetic, hit.phoneticScore],
    [words.dobScore, hit.dobScore],
    [words.nationalityScore, hit.nationalityScore],
    [words.alias, hit.aliasUnfoldScore],
    [words.boost, hit.sourceTypeBoost],
  ];
  for (const [no, [name, score]] of components.entries()) {
    const said = score === null ? words.notCompared : show(score);
    page.row(no === 0 ? words.components : '', `${name}: ${said}`);
  }
}

function drawReported({ page, words }: Sheet, { facts, review }: ReportedHit): void {
  const listed = (label: string, values: readonly string[] | null): void => {
    if (values !== null && values.length > 0) page.row(label, values.join(', '));
  };
  listed(words.datesOfBirth, facts.dates_of_birth);
  listed(words.citizenships, facts.citizenships);
  listed(words.programmes, facts.programmes);
  const { statuses } = words;
  const said = Object.hasOwn(statuses, review.status)
    ? statuses[review.status as keyof typeof statuses]
    : review.status;
  page.row(words.review, said);
  if (review.decided_by !== null) {
    page.row(words.reviewedBy, `${review.decided_by} · ${review.decided_at ?? ''}`);
  }
  if (review.confirmed_by !== null) page.row(words.confirmedBy, review.confirmed_by);
  if (review.reason_code !== null) page.row(words.reason, review.reason_code);
}

function drawLists({ event, page, verdict, words }: Sheet): void {
  page.heading(words.lists);
  if (event.lists.length === 0) page.note(words.none);
  for (const { list_digest, list_version, source } of event.lists) {
    page.row(source, `${words.version} ${list_version}`);
    page.row('', list_digest, HEX);
  }
  page.row(words.listSet, verdict.listVersion, HEX);
}

function drawPolicy({ event, page, verdict, words }: Sheet): void {
  page.heading(words.policy);
  page.row(words.policy, `${words.version} ${verdict.policyVersion}`);
  page.row(words.policyDigest, event.policy_digest ?? words.none, HEX);
  page.row(words.reranker, verdict.rerankerVersion);
  for (const [no, [name, value]] of Object.entries(verdict.thresholds).entries()) {
    page.row(no === 0 ? words.thresholds : '', `${name}: ${value}`, { face: 'mono', size: 8 });
  }
}

function drawEvidence({ event, page, report, words }: Sheet): void {
  const { checkpoint } = report;
  page.heading(words.evidence);
  page.row(words.event, event.event_id);
  page.row(words.place, `${report.event_seq}`);
  page.row(words.eventHash, report.event_hash, HEX);
  if (checkpoint === null) page.note(words.checkpointMissing);
  else {
    page.row(words.checkpoint, `${checkpoint.seq} · ${checkpoint.at}`);
    page.row('', checkpoint.hash, HEX);
  }
  page.row(words.key, report.key_id, HEX);
  page.row(words.signature, report.signature, HEX);
}

const DECIMALS = 3;
const scoreOf = (score: number): string => score.toFixed(DECIMALS);
