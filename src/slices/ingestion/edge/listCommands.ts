/** `list import`, `list fetch`, `list status`: what is in force, and how it comes to be. */
import { DomainError } from '#core/kernel';
import { type EpochMs, toTimestamp } from '#platform/clock';
import { allSources, type ImportResult, nextFireAt } from '#slices/ingestion';
import { type ListSource, type ListVersion, listStore, releaseAgeMs } from '#slices/lists';
import { EXIT, UsageError } from '../../../cli/command.ts';
import { openInput } from '../../../cli/files.ts';
import { aligned } from '../../../cli/help.ts';
import { ageOf, table } from '../../../cli/output.ts';
import type { CliContext } from '../../../cli/ports.ts';
import type { CliProcess, SliceCommand } from '../../processes.ts';
import type { RunListAsk } from './runList.ts';

/** Where each stage begins on the bar; reading moves with the file. */
const STAGE_STARTS: Readonly<Record<string, number>> = {
  fetch: 0,
  read: 0.2,
  compare: 0.5,
  bundle: 0.6,
  index: 0.7,
  verify: 0.85,
  publish: 0.95,
};
const ALLOWANCES = [
  { name: 'allow-older', help: 'accept a release older than the one in force' },
  { name: 'allow-shrink', help: 'accept that more than a tenth of the entities go' },
];
const SOURCE = { name: 'source', value: 'SOURCE', required: true, help: 'for example OFAC_SDN' };

export const listCommands: readonly SliceCommand[] = [
  {
    words: 'list import',
    summary: 'Read a list file and put it in force, or change nothing and say where it broke',
    options: [
      SOURCE,
      { name: 'file', value: 'FILE', required: true, help: 'as the publisher gives it out' },
      ...ALLOWANCES,
    ],
    example: 'list import --source OFAC_SDN --file sdn.xml',
    async run(context, given) {
      const file = await openInput(given.value('file'));
      return runAndShow(context, {
        allow: { older: given.isSet('allow-older'), shrink: given.isSet('allow-shrink') },
        bytesExpected: file.bytes,
        file: file.chunks,
        kind: 'manual',
        sourceId: given.value('source'),
      });
    },
  },
  {
    words: 'list fetch',
    summary: "Fetch a source's list now, from its publisher or its air-gap folder",
    options: [
      SOURCE,
      {
        name: 'kind',
        value: 'KIND',
        help: 'delta: only what changed (default); full: the whole list, changed or not',
      },
      ...ALLOWANCES,
    ],
    example: 'list fetch --source OFAC_SDN --kind full',
    async run(context, given) {
      const kind = given.optional('kind') ?? 'delta';
      if (kind !== 'full' && kind !== 'delta') {
        throw new UsageError(`--kind: expected full or delta, got '${kind}'`);
      }
      return runAndShow(context, {
        allow: { older: given.isSet('allow-older'), shrink: given.isSet('allow-shrink') },
        kind,
        sourceId: given.value('source'),
      });
    },
  },
  {
    words: 'list status',
    summary: 'Show the sources, the versions in force, their age, and what runs next',
    example: 'list status --json',
    async run({ clock, open, output }) {
      const { tables } = (await open()).storage;
      const sources = allSources(await listStore(tables).listSources());
      const now = clock.now();
      output.result(
        { sources: sources.map((source) => presentSource(source, now)) },
        table(
          ['SOURCE', 'VERSION', 'RELEASED', 'ENTITIES', 'NAMES', 'AGE', 'LAST RUN', 'NEXT FIRE'],
          sources.map((source) => statusRow(source, now)),
        ),
      );
      return EXIT.done;
    },
  },
];

type Ask = Omit<RunListAsk, 'actor' | 'onProgress'> & {
  /** Bytes of a local file, for the progress bar. */
  readonly bytesExpected?: number;
};

async function runAndShow(
  { actor, open, output }: CliContext<CliProcess>,
  { bytesExpected, ...ask }: Ask,
): Promise<(typeof EXIT)['done']> {
  const installation = await open();
  const [{ runList }, { runPartsOf }] = await Promise.all([
    import('./runList.ts'),
    import('./runParts.ts'),
  ]);
  const ports = { ...(await runPartsOf(installation)), holder: installation.holder };
  const outcome = await runList(ports, {
    ...ask,
    actor,
    onProgress: ({ bytes, stage }) => {
      const span = stage === 'read' && bytesExpected !== undefined ? 0.3 / bytesExpected : 0;
      const megabytes = stage === 'fetch' ? ` ${(bytes / 1e6).toFixed(1)} MB` : '';
      const share = (STAGE_STARTS[stage] ?? 0) + Math.min(0.3, span * bytes);
      output.progress({ label: `${stage}${megabytes}`, share });
    },
  });
  if (outcome.status === 'failed' || outcome.status === 'lost') {
    const isShrunk = outcome.error instanceof DomainError && outcome.error.code === 'list-shrunk';
    if (isShrunk) output.note('list show-run names what would go; --allow-shrink lets it go');
    throw outcome.error;
  }
  if (outcome.status === 'not-modified') {
    const { listVersion, runId, sourceId } = outcome.run;
    output.result(
      { list_version: listVersion ?? null, run_id: runId, source: sourceId, status: 'skipped' },
      `${sourceId} ${listVersion ?? ''} is in force already: the publisher has nothing new`,
    );
    return EXIT.done;
  }
  output.result(presentImport(outcome.result), describeImport(outcome.result));
  return EXIT.done;
}

function statusRow(source: ListSource, now: EpochMs): string[] {
  const { active, disabledReason, enabled, lastRunAt, lastStatus, sourceId } = source;
  const next = nextFireAt(source, now);
  const last = lastRunAt === undefined ? '' : ` ${ageOf(lastRunAt, now)} ago`;
  return [
    sourceId,
    active?.listVersion ?? '–',
    active?.releaseDate ?? '–',
    String(active?.entityCount ?? 0),
    String(active?.nameCount ?? 0),
    active === undefined ? '–' : ageOf(now - releaseAgeMs(active, now), now),
    `${lastStatus ?? '–'}${last}`,
    enabled ? (next === undefined ? '–' : toTimestamp(next)) : (disabledReason ?? 'disabled'),
  ];
}

function describeImport(result: ImportResult): string {
  const { counts, durationsMs, notes, skipped, status, version } = result;
  const head =
    status === 'skipped'
      ? `${version.sourceId} ${version.listVersion} is in force already: nothing changed`
      : `${version.sourceId} ${version.listVersion} is in force`;
  const ms = Object.values(durationsMs).reduce((sum, part) => sum + part, 0);
  const kept = Object.entries(notes).map(([kind, count]): [string, string] => [
    `note: ${kind}`,
    String(count),
  ]);
  return [
    head,
    ...aligned([
      ['entities', String(version.entityCount)],
      ['names', String(version.nameCount)],
      ['added', String(counts.added)],
      ['updated', String(counts.updated)],
      ['removed', String(counts.removed)],
      ...kept,
      ...(skipped.length === 0
        ? []
        : [['records not read', String(skipped.length)] satisfies [string, string]]),
      ['run', result.runId],
      ['seconds', (ms / 1000).toFixed(1)],
    ]),
  ].join('\n');
}

function presentImport(result: ImportResult) {
  return {
    status: result.status,
    run_id: result.runId,
    ...presentVersion(result.version),
    added_count: result.counts.added,
    updated_count: result.counts.updated,
    removed_count: result.counts.removed,
    skipped_records: result.skipped.length,
    notes: result.notes,
    file_sha256: result.fileSha256,
    durations_ms: result.durationsMs,
  };
}

function presentSource(source: ListSource, now: EpochMs) {
  const next = nextFireAt(source, now);
  return {
    source: source.sourceId,
    display_name: source.displayName,
    enabled: source.enabled,
    disabled_reason: source.disabledReason ?? null,
    cron_full: source.cronFull ?? null,
    cron_delta: source.cronDelta ?? null,
    last_status: source.lastStatus ?? null,
    last_run_id: source.lastRunId ?? null,
    last_run_at: source.lastRunAt === undefined ? null : toTimestamp(source.lastRunAt),
    next_fire_at: next === undefined ? null : toTimestamp(next),
    active: source.active === undefined ? null : presentVersion(source.active),
  };
}

function presentVersion(version: ListVersion) {
  return {
    source: version.sourceId,
    list_version: version.listVersion,
    list_digest: version.listDigest,
    content_digest: version.contentDigest,
    release_date: version.releaseDate,
    entity_count: version.entityCount,
    name_count: version.nameCount,
    published_at: toTimestamp(version.publishedAt),
  };
}
