/**
 * Writes the pages of docs/ that the code knows better: `node scripts/writeDocs.ts`.
 *
 * docs/errors.md, docs/audit-actions.md and docs/events.md from the rows that every part declares,
 * docs/limits.md from the limits that callers meet and from every `…_MAX` of the source with its
 * comment, docs/api.yaml from the operations, docs/commands.md from the commands, and
 * docs/matching-examples.md from the model of re-ranker 2.
 * docs/personal-data.md and the rights in config/mongo-roles.json come from the declared tables. A
 * test compares the files with what this would write, so none of them can drift.
 */
import assert from 'node:assert/strict';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { stringify } from 'yaml';
import { type SettingGroup, settingDefaults } from '#core/identity';
import { codesOf } from '#core/kernel';
import * as limits from '#platform/limits';
import deprecations from '../config/deprecations.json' with { type: 'json' };
import manifest from '../package.json' with { type: 'json' };
import { describeApi } from '../src/api/openapi.ts';
import type { Operation } from '../src/api/operation.ts';
import { loadCommands } from '../src/app/cli/commands.ts';
import { callsOf, loadOperations, operationsOf } from '../src/app/gateway/operations.ts';
import { loadPublicEvents } from '../src/app/publicEvents.ts';
import { AUDIT_ACTIONS, LIMITS, PROBLEMS, SETTINGS, TOPICS } from '../src/app/sliceRows.ts';
import { TABLES } from '../src/app/tables.ts';
import { signatureOf } from '../src/cli/help.ts';
import type { GatewayProcess } from '../src/slices/processes.ts';
import { matchingExamplesPage } from './matchingExamples.ts';
import { mongoRoles, personalRows } from './tableDocs.ts';

const ROOT = join(import.meta.dirname, '..');
const MONGO_ROLES = 'config/mongo-roles.json';

/** A process that offers nothing: operations are described, and never called. */
const NOTHING: unknown = new Proxy(() => undefined, {
  apply: () => NOTHING,
  get: () => NOTHING,
});

const OPERATIONS_PARTS = await loadOperations();

export const DESCRIBED_OPERATIONS: readonly Operation[] = operationsOf(
  OPERATIONS_PARTS,
  NOTHING as GatewayProcess,
);

const DESCRIBED_CALLS = callsOf(OPERATIONS_PARTS, await loadPublicEvents());

const { commands: DESCRIBED_COMMANDS } = await loadCommands();

/** Path under the root to content. */
export function documents(): Map<string, string> {
  return new Map([
    [MONGO_ROLES, mongoRoles(readFileSync(join(ROOT, MONGO_ROLES), 'utf8'), TABLES)],
    ['docs/api.yaml', apiDescription()],
    ['docs/audit-actions.md', auditActionsPage()],
    ['docs/commands.md', commandsPage()],
    ['docs/errors.md', errorsPage()],
    ['docs/events.md', eventsPage()],
    ['docs/limits.md', limitsPage()],
    ['docs/matching-examples.md', matchingExamplesPage()],
    ['docs/personal-data.md', personalDataPage()],
  ]);
}

function apiDescription(): string {
  const description = describeApi({
    calls: DESCRIBED_CALLS,
    deprecated: new Set(deprecations.deprecations.map(({ operation }) => operation)),
    operations: DESCRIBED_OPERATIONS,
    origins: {},
    problems: PROBLEMS,
    version: manifest.version,
  });
  return stringify(description, { aliasDuplicateObjects: false, lineWidth: 0 });
}

function errorsPage(): string {
  const rows = codesOf(PROBLEMS).map((code) => {
    const { meaning, remedy, status, title } = PROBLEMS[code];
    return [`\`${code}\``, String(status), title, meaning, remedy];
  });
  return `# Errors

<!-- Written by scripts/writeDocs.ts from every problems.ts; a test compares. -->

Every answer of 400 and above is a problem document (RFC 9457, \`application/problem+json\`):

\`\`\`json
{
  "type": "https://api.example.com/problems/body-invalid",
  "title": "Invalid body",
  "status": 400,
  "detail": "The body does not have the described shape.",
  "instance": "urn:uuid:019b7c3e-8f4a-7d21-9c55-2f6f0a1b3c4d",
  "code": "body-invalid",
  "request_id": "019b7c3e-8f4a-7d21-9c55-2f6f0a1b3c4d",
  "errors": [{ "pointer": "/name", "code": "missing", "detail": "required" }]
}
\`\`\`

- \`code\` is stable and meant for programs; \`title\` and \`detail\` are for people and may change.
- \`type\` is a page of the installation itself. \`request_id\` also stands in \`X-Request-Id\`,
  and leads the operator to the log.
- \`errors\` lists every violation. \`pointer\` is RFC 6901 into the body, \`?name\` for a
  parameter of the query, \`path:name\` for one of the path, or \`header:Name\`. Its codes:
  \`missing\`, \`type\`, \`format\`, \`range\`, \`too-long\`, \`unknown-member\`; \`repeated\` for
  a parameter that came twice.
- A document never holds personal data, nor anything of the cause of an error of ours.
- 401 carries \`WWW-Authenticate\`, 405 \`Allow\`, 415 \`Accept\`; 429 and 503 carry
  \`Retry-After\`, and so does 409 \`idempotency-key-in-progress\`.

${table(['Code', 'Status', 'Title', 'What happened', 'What to do'], rows)}`;
}

function auditActionsPage(): string {
  const rows = Object.entries(AUDIT_ACTIONS).map(([action, { says, severity = '' }]) => [
    `\`${action}\``,
    severity,
    says,
  ]);
  return `# Actions of the audit trail

<!-- Written by scripts/writeDocs.ts from every auditActions.ts; a test compares. -->

What \`action\` of an entry can be. The format of entries is in [audit-format.md](audit-format.md);
entries with a severity say it; those of lists and of the service stand in the chain of the
installation, all others in that of a tenant.

${table(['Action', 'Severity', 'What an entry tells'], rows)}`;
}

function commandsPage(): string {
  const rows = DESCRIBED_COMMANDS.map((command) => [
    `\`${[signatureOf(command), ...optionalOf(command)].join(' ')}\``,
    command.summary,
  ]);
  return `# Commands

<!-- Written by scripts/writeDocs.ts from the commands of every slice; a test compares. -->

All of them, as \`--help\` lists them. [cli.md](cli.md) says how they work together.

${table(['Command', 'What it does'], rows)}`;
}

const optionalOf = ({ options = [] }: (typeof DESCRIBED_COMMANDS)[number]): string[] =>
  options
    .filter(({ required }) => required !== true)
    .map(({ name, value }) => (value === undefined ? `[--${name}]` : `[--${name} ${value}]`));

function eventsPage(): string {
  const rows = Object.entries(TOPICS).map(([topic, { partition, says }]) => [
    `\`${topic}\``,
    partition,
    says,
  ]);
  return `# Events on the bus

<!-- Written by scripts/writeDocs.ts from every events.ts; a test compares. -->

Each comes at least once, and in order within its partition.

${table(['Topic', 'Partition', 'When'], rows)}`;
}

function personalDataPage(): string {
  return `# Personal data in tables

<!-- Written by scripts/writeDocs.ts from every tables.ts; a test compares. -->

Members of stored records that are personal data, beside those of the evidence
([audit-format.md](audit-format.md)).

${table(['Table', 'Member', 'What for', 'Kept'], personalRows(TABLES))}`;
}

function limitsPage(): string {
  return `# Limits

<!-- Written by scripts/writeDocs.ts from the code; a test compares. -->

Everything has a limit. What goes over one is refused with a code of [errors.md](errors.md), never
cut in silence.

## What a caller meets

${table(['What', 'Limit', 'Beyond it'], callerRows())}
${SETTINGS.flatMap(listedDefaults).join('\n')}
Bodies, by operation:

${table(['Operation', 'Path', 'Body, bytes at most'], bodyRows())}
## In the code

${table(['Constant', 'Value', 'Where', 'What'], sourceRows())}`;
}

function callerRows(): string[][] {
  return [
    ['Request line and headers, bytes', number(limits.HEADERS_BYTES_MAX), '`headers-too-large`'],
    ['Headers complete within', seconds(limits.HEADERS_TIMEOUT_MS), '`body-timeout`'],
    ['Body: longest pause', seconds(limits.BODY_IDLE_TIMEOUT_MS), '`body-timeout`'],
    [
      `Body: least bytes a second, over any ${seconds(limits.BODY_IDLE_TIMEOUT_MS)}`,
      number(limits.BODY_BYTES_PER_S_MIN),
      '`body-timeout`',
    ],
    ['JSON body of any operation, bytes', number(limits.JSON_BODY_BYTES_MAX), '`body-too-large`'],
    ['JSON: depth', number(limits.JSON_DEPTH_MAX), '`json-malformed`'],
    ['Query string, characters', number(limits.QUERY_CHARS_MAX), '`query-invalid`'],
    ['Query parameters', number(limits.QUERY_PARAMETERS_MAX), '`query-invalid`'],
    ['Violations in one answer', number(limits.VIOLATIONS_MAX), 'not listed'],
    ['Lines of a page, default', number(limits.PAGE_LIMIT_DEFAULT), ''],
    ['Lines of a page', number(limits.PAGE_LIMIT_MAX), '`limit-out-of-range`'],
    [
      'Lines of a page of screenings',
      number(limits.SCREENINGS_PAGE_LIMIT_MAX),
      '`limit-out-of-range`',
    ],
    ['Cursor, characters', number(limits.CURSOR_CHARS_MAX), '`cursor-invalid`'],
    ...LIMITS.map(({ beyond, max, what }) => [what, number(max), `\`${beyond}\``]),
  ];
}

function listedDefaults(group: SettingGroup): string[] {
  if (group.listedAs === undefined) return [];
  const defaults = Object.entries(settingDefaults(group));
  const shown = (value: unknown): string =>
    typeof value === 'number' ? number(value) : `\`${JSON.stringify(value)}\``;
  const rows = defaults.map(([key, value]) => [`\`${key}\``, shown(value)]);
  return [`${group.listedAs}\n\n${table(['Setting', 'Default'], rows)}`];
}

function bodyRows(): string[][] {
  return DESCRIBED_OPERATIONS.filter(({ bodyBytesMax }) => bodyBytesMax > 0).map((operation) => [
    `\`${operation.id}\``,
    `\`${operation.method} ${operation.path}\``,
    number(operation.bodyBytesMax),
  ]);
}

/** What is evaluated: numbers, as products, powers, shifts, and nothing that could do more. */
const CONSTANT = /^(?:export )?const ([A-Z][A-Z0-9_]*_MAX) = ([0-9(][0-9a-fx_.*<+() -]*);$/;

/** Constants of one line whose value is numbers alone; the comment above says what for. */
function sourceRows(): string[][] {
  const files = globSync('src/**/*.ts', { cwd: ROOT }).sort();
  return files.flatMap((file) => {
    const lines = readFileSync(join(ROOT, file), 'utf8').split('\n');
    return lines.flatMap((line, at) => {
      const [, name, expression] = CONSTANT.exec(line) ?? [];
      if (name === undefined || expression === undefined) return [];
      return [[`\`${name}\``, number(limitOf(expression)), file, commentAbove(lines, at)]];
    });
  });
}

/** By the language's own rules: any others would be right until somebody writes it otherwise. */
function limitOf(expression: string): number {
  const value: unknown = runInNewContext(expression);
  assert(typeof value === 'number' && value > 0, `${expression}: expected a limit`);
  return value;
}

/** Text of the JSDoc that ends on the line before. */
function commentAbove(lines: readonly string[], at: number): string {
  if (lines[at - 1]?.trim().endsWith('*/') !== true) return '';
  let from = at - 1;
  while (from > 0 && lines[from]?.trimStart().startsWith('/**') !== true) from--;
  return lines
    .slice(from, at)
    .map((line) => line.trim().replace(/^\/\*\*|\*\/$|^\*(?!\/)/g, ''))
    .map((line) => line.replace(/\*\/$/, '').trim())
    .join(' ')
    .trim();
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return `${[head, head.map(() => '---'), ...rows].map(line).join('\n')}\n`;
}

function number(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 6 });
}

function seconds(ms: number): string {
  return `${ms / 1000} s`;
}

if (import.meta.main) {
  for (const [path, content] of documents()) writeFileSync(join(ROOT, path), content);
}
