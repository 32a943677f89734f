/**
 * The report of a backtest of a risk policy as a PDF, in French, Arabic or English: the matrix
 * drawn, the figures in rows, and the signed report itself attached and printed. The same report
 * gives the same bytes.
 */
import { canonicalJson } from '#platform/canonicalJson';
import type { Locale } from '#platform/locales';
import type { BacktestReport } from '#slices/risk';
import { Page } from './page.ts';
import { BACKTEST_WORDS, type BacktestWords } from './riskBacktestWords.ts';

const REPORT_NAME = 'report.json';
const HEX = { face: 'mono', size: 6.5 } as const;
const DECIMALS = 4;
/** Segments that are shown; the attached report has all. */
const SHOWN_MAX = 40;

export async function renderBacktest(
  report: BacktestReport,
  lang: Locale,
  at: Date,
): Promise<Buffer> {
  const words = BACKTEST_WORDS[lang];
  const page = new Page({ at, author: '', lang, title: `${words.title} ${report.btr_id}` });
  page.document.file(Buffer.from(canonicalJson(report as never)), {
    creationDate: at,
    description: 'The signed report of the backtest: JSON by RFC 8785',
    modifiedDate: at,
    name: REPORT_NAME,
    type: 'application/json',
  });
  page.title(words.title);
  drawPopulation(page, words, report);
  page.heading(words.matrix);
  page.note(words.matrixNote);
  page.matrix({ ...report.confusion, labels: report.confusion.levels });
  drawFigures(page, words, report);
  drawMovement(page, words, report);
  drawOutcomes(page, words, report);
  drawSegments(page, words, report);
  page.heading(words.signed);
  page.row(words.key, report.key_id, HEX);
  page.row(words.signature, report.signature, HEX);
  page.smallPrint(canonicalJson(report as never));
  return page.bytes(`${words.title} ${report.btr_id}`);
}

const shown = (figure: number | null): string => (figure === null ? '–' : figure.toFixed(DECIMALS));

function drawPopulation(page: Page, words: BacktestWords, report: BacktestReport): void {
  const { policy, population, warnings } = report;
  page.heading(words.population);
  page.row(words.policy, policy.policy_id);
  page.row(words.contentHash, policy.content_hash, HEX);
  page.row(words.period, `${population.from} – ${population.to}`);
  if (population.segments !== undefined) {
    page.row(words.ofSegments, population.segments.join(', '));
  }
  page.row(words.cases, String(population.cases));
  for (const [why, count] of Object.entries(population.left_out)) {
    page.row(`${words.leftOut}: ${why}`, String(count));
  }
  for (const warning of warnings) page.row(words.warning, warning);
}

function drawFigures(page: Page, words: BacktestWords, { metrics }: BacktestReport): void {
  page.heading(words.figures);
  page.row(words.agreement, shown(metrics.agreement));
  page.row(words.upgrades, String(metrics.upgrades));
  page.row(words.downgrades, String(metrics.downgrades));
  page.row(words.kappa, `${shown(metrics.kappa)} / ${shown(metrics.quadratic_kappa)}`);
  page.row(words.psi, `${shown(metrics.psi_levels)} (${words.psiVerdicts[metrics.psi_verdict]})`);
  const shares = `${shown(metrics.high_share_before)} → ${shown(metrics.high_share_after)}`;
  page.row(words.highShare, shares);
  page.row(words.mismatch, String(metrics.baseline_mismatch));
}

function drawMovement(page: Page, words: BacktestWords, { movement }: BacktestReport): void {
  if (movement.length === 0) return;
  page.heading(words.movement);
  for (const { count, from, share, to } of movement) {
    page.row(`${from} → ${to}`, `${count} (${shown(share)})`);
  }
}

function drawOutcomes(page: Page, words: BacktestWords, { outcomes }: BacktestReport): void {
  page.heading(words.outcomes);
  for (const { cases, outcome, recall_after: after, recall_before: before } of outcomes.found) {
    const shares = [before, after].map((one) =>
      one === null ? '–' : `${shown(one.share)} (${shown(one.low)}–${shown(one.high)})`,
    );
    page.row(`${words.outcomeWords[outcome]}: ${cases}`, shares.join(' → '));
  }
}

function drawSegments(page: Page, words: BacktestWords, { segments }: BacktestReport): void {
  if (segments.shown.length === 0) return;
  page.heading(words.segments);
  for (const { confusion, segment } of segments.shown.slice(0, SHOWN_MAX)) {
    const before = confusion.rows.join(' · ');
    page.row(segment, `${before} → ${confusion.columns.join(' · ')}`);
  }
}
