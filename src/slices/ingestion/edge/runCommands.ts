/** `list runs`, `list show-run`: what ran, and what was skipped and why. */
import { DomainError, type SourceId } from '#core/kernel';
import { toTimestamp } from '#platform/clock';
import { type ListRun, runStore } from '#slices/ingestion';
import { EXIT } from '../../../cli/command.ts';
import { aligned } from '../../../cli/help.ts';
import { printable, table } from '../../../cli/output.ts';
import type { SliceCommand } from '../../processes.ts';

const SHOWN_RUNS = 50;

export const runCommands: readonly SliceCommand[] = [
  {
    words: 'list runs',
    summary: `Show the last ${SHOWN_RUNS} runs`,
    options: [{ name: 'source', value: 'SOURCE', help: 'of this source alone' }],
    example: 'list runs --source OFAC_SDN',
    async run({ open, output }, given) {
      const sourceId = given.optional('source') as SourceId | undefined;
      const { tables } = (await open()).storage;
      const found = await runStore(tables).listRuns({
        limit: SHOWN_RUNS,
        ...(sourceId !== undefined && { sourceIds: [sourceId] }),
      });
      output.result(
        { runs: found.map(presentRun) },
        table(
          ['RUN', 'SOURCE', 'KIND', 'BY', 'STARTED', 'STATUS', 'ADDED', 'UPDATED', 'REMOVED'],
          found.map(runRow),
        ),
      );
      return EXIT.done;
    },
  },
  {
    words: 'list show-run',
    summary: 'Show one run: counts, durations and its log, with what was skipped and why',
    positionals: [{ name: 'RUN', help: 'a run id, of `list runs`' }],
    example: 'list show-run 019a0b2c-7d4e-7000-8000-000000000000',
    async run({ open, output }, given) {
      const [runId = ''] = given.positionals;
      const { tables } = (await open()).storage;
      const run = await runStore(tables).findRun(runId);
      if (run === undefined) throw new DomainError('run-unknown', { detail: 'no run of that id' });
      output.result({ ...presentRun(run), log: run.log.map(presentLine) }, describeRun(run));
      return EXIT.done;
    },
  },
];

function runRow(run: ListRun): string[] {
  return [
    run.runId,
    run.sourceId,
    run.kind,
    run.triggeredBy,
    toTimestamp(run.startedAt),
    run.status === 'running' ? `running ${run.stage ?? ''}`.trim() : run.status,
    String(run.addedCount ?? '–'),
    String(run.updatedCount ?? '–'),
    String(run.removedCount ?? '–'),
  ];
}

function describeRun(run: ListRun): string {
  const facts: [string, string][] = Object.entries(presentRun(run)).flatMap(([name, value]) =>
    value === null || typeof value === 'object' ? [] : [[name, printable(String(value))]],
  );
  const members = { ...run.notes, ...prefixed('ms in ', run.durationsMs) };
  const counts = Object.entries(members).map(([name, count]): [string, string] => [
    name,
    String(count),
  ]);
  const log = run.log.map(
    ({ at, level, text }) => `${toTimestamp(at)} ${level.padEnd(5)} ${printable(text)}`,
  );
  return [...aligned([...facts, ...counts]), '', ...log].join('\n');
}

const prefixed = (prefix: string, counts: Readonly<Record<string, number>> = {}) =>
  Object.fromEntries(Object.entries(counts).map(([name, count]) => [`${prefix}${name}`, count]));

const presentLine = ({ at, level, text }: ListRun['log'][number]) => ({
  at: toTimestamp(at),
  level,
  text,
});

function presentRun(run: ListRun) {
  return {
    run_id: run.runId,
    source: run.sourceId,
    kind: run.kind,
    triggered_by: run.triggeredBy,
    status: run.status,
    stage: run.stage ?? null,
    started_at: toTimestamp(run.startedAt),
    finished_at: run.finishedAt === undefined ? null : toTimestamp(run.finishedAt),
    tries: run.tries ?? 0,
    fetched_bytes: run.fetchedBytes ?? null,
    fetched_count: run.fetchedCount ?? null,
    parsed_count: run.parsedCount ?? null,
    added_count: run.addedCount ?? null,
    updated_count: run.updatedCount ?? null,
    removed_count: run.removedCount ?? null,
    error_code: run.errorCode ?? null,
    error_message: run.errorMessage ?? null,
    list_version: run.listVersion ?? null,
    snapshot_uri: run.snapshotUri ?? null,
    notes: run.notes ?? {},
    durations_ms: run.durationsMs ?? {},
  };
}
