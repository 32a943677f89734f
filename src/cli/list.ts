/** `list import`, `list status`. */
import type { ImportResult, ImportStage, ListSource, ListVersion } from '#domain/lists';
import { toTimestamp } from '#platform/clock';
import { type Command, EXIT } from './command.ts';
import { openInput } from './files.ts';
import { aligned } from './help.ts';
import { table } from './output.ts';

/** Where each stage begins on the bar; reading moves with the file. */
const STAGE_STARTS: Readonly<Record<ImportStage, number>> = {
  read: 0,
  compare: 0.5,
  bundle: 0.6,
  index: 0.7,
  verify: 0.85,
  publish: 0.95,
};

export const listCommands: readonly Command[] = [
  {
    words: 'list import',
    summary: 'Read a list file and put it in force, or change nothing and say where it broke',
    options: [
      { name: 'source', value: 'SOURCE', required: true, help: 'for example OFAC_SDN' },
      { name: 'file', value: 'FILE', required: true, help: 'as the publisher gives it out' },
      { name: 'allow-older', help: 'accept a release older than the one in force' },
      { name: 'allow-shrink', help: 'accept that more than a tenth of the entities go' },
    ],
    example: 'list import --source OFAC_SDN --file sdn.xml',
    async run({ actor, open, output }, given) {
      const file = await openInput(given.value('file'));
      const installation = await open();
      const result = await installation.importList({
        actor,
        allow: { older: given.isSet('allow-older'), shrink: given.isSet('allow-shrink') },
        file: file.chunks,
        onProgress: ({ stage, bytes }) => {
          const read =
            stage === 'read' ? (bytes / Math.max(1, file.bytes)) * STAGE_STARTS.compare : 0;
          output.progress({ label: stage, share: STAGE_STARTS[stage] + read });
        },
        sourceId: given.value('source'),
      });
      output.result(presentImport(result), describeImport(result));
      return EXIT.done;
    },
  },
  {
    words: 'list status',
    summary: 'Show the sources and the versions in force',
    example: 'list status --json',
    async run({ open, output }) {
      const sources = await (await open()).lists.listSources();
      const rows = sources.map(({ sourceId, active, lastStatus }) => [
        sourceId,
        active?.listVersion ?? '–',
        active?.releaseDate ?? '–',
        String(active?.entityCount ?? 0),
        String(active?.nameCount ?? 0),
        active === undefined ? '–' : toTimestamp(active.publishedAt),
        lastStatus ?? '–',
      ]);
      output.result(
        { sources: sources.map(presentSource) },
        table(
          ['SOURCE', 'VERSION', 'RELEASED', 'ENTITIES', 'NAMES', 'IN FORCE SINCE', 'LAST'],
          rows,
        ),
      );
      return EXIT.done;
    },
  },
];

function describeImport({ status, version, counts, notes, durationsMs }: ImportResult): string {
  const head =
    status === 'skipped'
      ? `${version.sourceId} ${version.listVersion} is in force already: nothing changed`
      : `${version.sourceId} ${version.listVersion} is in force`;
  const ms = Object.values(durationsMs).reduce((sum, part) => sum + part, 0);
  const kept = Object.entries(notes).map(([kind, count]): [string, string] => [
    `kept as published: ${kind}`,
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
    notes: result.notes,
    file_sha256: result.fileSha256,
    durations_ms: result.durationsMs,
  };
}

function presentSource(source: ListSource) {
  return {
    source: source.sourceId,
    display_name: source.displayName,
    last_status: source.lastStatus ?? null,
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
