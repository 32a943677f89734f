/** What `screening list`, `show` and `replay` do, over the installation of a command. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Static } from 'typebox';
import { chainOf, DomainError, type ScreeningId, type TenantId } from '#core/kernel';
import { PAGE_LIMIT_DEFAULT } from '#platform/limits';
import { askForReplay, checkScreenings, findReplay, listScreenings } from '#slices/sanctions';
import { isPastRetention, sourceOf, storedVerdict } from '#slices/screening';
import { compileSchema } from '../../../api/validate.ts';
import { EXIT, type ExitCode, type Given, UsageError } from '../../../cli/command.ts';
import { printable, table } from '../../../cli/output.ts';
import type { SliceCommand } from '../../processes.ts';
import { sanctionsPartsOfCommand } from './parts.ts';
import { presentChain, presentListed, presentReplay } from './presentation.ts';
import { ScreeningListQuery } from './schemas.ts';
import { filterOf } from './screeningList.ts';

type Context = Parameters<SliceCommand['run']>[0];
const validate = compileSchema(ScreeningListQuery);

/** How often it is looked whether a worker has ended the replay, and how often at the most. */
const LOOK_EVERY_MS = 500;
const LOOKS_MAX = 240;

export async function runList({ actor, open, output }: Context, given: Given): Promise<ExitCode> {
  const tenantId = given.value('tenant') as TenantId;
  const { limit = PAGE_LIMIT_DEFAULT, ...asked } = askedIn(given);
  const parts = sanctionsPartsOfCommand(await open());
  const { screenings } = await listScreenings(parts, {
    asked,
    asker: { actor },
    filter: filterOf(asked, { tenantId }),
    limit,
    tenantId,
  });
  const rows = screenings.map(presentListed);
  const chain = await presentChain(parts, tenantId, screenings);
  const lines = rows.map((row) => [
    row.screening_id,
    row.occurred_at,
    row.decision,
    row.subject === null ? `(${row.fault})` : printable(row.subject.name ?? '(erased)'),
    row.top_hit === null ? '–' : printable(row.top_hit.primary_name),
    row.channel,
  ]);
  const bad = chain.status === 'broken' ? `: event ${chain.first_bad_seq}, ${chain.reason}` : '';
  const head = ['SCREENING', 'AT', 'DECISION', 'SUBJECT', 'HIT', 'CHANNEL'];
  output.result(
    { chain, screenings: rows },
    `${table(head, lines)}\nchain ${chain.status}${bad}; ${chain.checked} events checked`,
  );
  return chain.status === 'broken' ? EXIT.bad : EXIT.done;
}

/** As a query of the same names would be read. Throws UsageError. */
function askedIn(given: Given): Static<typeof ScreeningListQuery> {
  const limit = given.optional('limit');
  const members = {
    candidate: given.optional('candidate'),
    channel: given.optional('channel'),
    decision: given.optional('decision'),
    from: given.optional('from'),
    limit: limit === undefined ? undefined : Number(limit),
    subject_ref: given.optional('subject'),
    to: given.optional('to'),
  };
  const present = Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined),
  );
  const [violation] = validate(present);
  if (violation !== undefined) {
    const name = violation.pointer.replace('/', '').replace('subject_ref', 'subject');
    throw new UsageError(`--${name}: ${violation.detail}`);
  }
  return present as Static<typeof ScreeningListQuery>;
}

export async function runShow({ clock, open, output }: Context, given: Given): Promise<ExitCode> {
  const [screeningId = ''] = given.positionals;
  const tenantId = given.value('tenant') as TenantId;
  const parts = sanctionsPartsOfCommand(await open());
  const event = await parts.audit.findByScreening(chainOf(tenantId), screeningId as ScreeningId);
  if (event === undefined || isPastRetention(event, clock.now())) {
    throw new DomainError('not-found');
  }
  const [checked] = await checkScreenings(parts, { screeningIds: [screeningId], tenantId });
  const { fault, summary } = checked ?? {};
  if (summary === undefined || fault !== undefined) {
    const detail = `event ${event.seq}: ${fault?.reason ?? 'event-malformed'}`;
    throw new DomainError('evidence-altered', { detail });
  }
  const { hits, rerankerVersion } = storedVerdict(event);
  const shown = {
    screening_id: screeningId,
    occurred_at: summary.occurredAt,
    seq: event.seq,
    hash: event.hash,
    decision: summary.decision,
    subject: summary.subject ?? null,
    requested_by: summary.requestedBy,
    channel: summary.channel,
    list_version: summary.listVersion,
    policy_version: summary.policyVersion,
    reranker_version: rerankerVersion,
    suppressed_count: summary.suppressedCount,
    hits: hits.map((hit) => ({
      ftm_id: hit.ftm_id,
      primary_name: hit.primary_name,
      source: sourceOf(hit),
      typology: hit.typology,
      directScore: hit.directScore,
    })),
  };
  const { hits: shownHits, subject, ...plain } = shown;
  const lines: readonly (readonly [string, string])[] = [
    ['subject', subject?.name ?? '(erased)'],
    ...Object.entries(plain).map(([name, value]) => [name, String(value)] as const),
    ...shownHits.map(
      (hit) =>
        [
          'hit',
          `${hit.directScore.toFixed(3)} ${hit.source} ${hit.ftm_id} ${hit.primary_name}`,
        ] as const,
    ),
  ];
  output.result(
    shown,
    lines.map(([name, value]) => `${name.padEnd(17)} ${printable(value)}`).join('\n'),
  );
  return EXIT.done;
}

export async function runReplay({ actor, open, output }: Context, given: Given): Promise<ExitCode> {
  const [screeningId = ''] = given.positionals;
  const tenantId = given.value('tenant') as TenantId;
  const process = await open();
  const parts = sanctionsPartsOfCommand(process);
  const { replayId } = await askForReplay(parts, { actor, screeningId, tenantId });
  await process.wake('sanctions', replayId);
  let replay = await findReplay(parts, { replayId, screeningId, tenantId });
  for (let looks = 0; replay.status === 'queued' && looks < LOOKS_MAX; looks++) {
    await delay(LOOK_EVERY_MS);
    replay = await findReplay(parts, { replayId, screeningId, tenantId });
  }
  const shown = presentReplay(replay);
  const why = shown.reason === null ? '' : ` (${shown.reason})`;
  const lines = [
    `replay ${replayId}: ${shown.status}${why}`,
    ...shown.differences.map(({ original, pointer, replayed }) => {
      const [was, is] = [original, replayed].map((one) => printable(JSON.stringify(one)));
      return `${pointer}: ${was} → ${is}`;
    }),
  ];
  output.result(shown, lines.join('\n'));
  return shown.status === 'different' ? EXIT.bad : EXIT.done;
}
