/**
 * Dashboards and alert rules: each metric that they name is one that a process exposes, each alert
 * has its page, and `promtool` takes the rules (Debian: package prometheus).
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { registerCheckpointFigures } from '#core/audit';
import { systemClock } from '#platform/clock';
import { loadConfig } from '#platform/config';
import { createMetrics } from '#platform/metrics';
import { meteredThreads } from '#slices/batches';
import { CONDITIONS, createSendFigures } from '#slices/notifications';
import { createRescreeningFigures } from '#slices/rescreening';
import { createScreeningFigures } from '#slices/screening';
import { TROUBLES } from '#slices/vitals';
import { createWebhookFigures } from '#slices/webhooks';
import { createGatewayFigures } from '../../src/api/gatewayFigures.ts';
import { registerClockFigures } from '../../src/app/clocks.ts';
import { registerFigures } from '../../src/app/figures.ts';
import { registerRateLimitFigure } from '../../src/app/gateway/openGateway.ts';
import { openInstallation } from '../../src/app/installation.ts';

const FOLDER = join(import.meta.dirname, '../../docker/monitoring');
const RUNBOOKS = join(import.meta.dirname, '../../docs/runbooks');
/** What Prometheus makes itself. */
const OF_PROMETHEUS = ['up'];
const SUFFIX = /_(bucket|sum|count)$/;

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly runbook: string; readonly summary: string };
}
const rules = (
  parse(readFileSync(join(FOLDER, 'alerts.yaml'), 'utf8')) as {
    groups: { rules: Rule[] }[];
  }
).groups.flatMap((group) => group.rules);

interface Dashboard {
  readonly panels: { readonly title: string; readonly targets: { readonly expr: string }[] }[];
}
const dashboards = readdirSync(join(FOLDER, 'dashboards')).map((file) => ({
  file,
  panels: (JSON.parse(readFileSync(join(FOLDER, 'dashboards', file), 'utf8')) as Dashboard).panels,
}));

/** Names of metrics in an expression: words that are neither labels, values nor functions. */
function metricsIn(expression: string): string[] {
  const bare = expression
    .replaceAll(/\{[^}]*\}|\[[^\]]*\]/g, ' ')
    .replaceAll(/\b(by|on|without|ignoring) *\([^)]*\)/g, ' ');
  const words = bare.match(/[a-z_][a-z0-9_]*(?! *\()\b/gi) ?? [];
  return words.filter((word) => word.includes('_') || OF_PROMETHEUS.includes(word));
}

describe('every metric is exposed by some process', () => {
  const directory = mkdtempSync(join(tmpdir(), 'monitoring-'));
  let exposed: ReadonlySet<string>;

  beforeAll(async () => {
    const metrics = createMetrics({ processFigures: true });
    const installation = await openInstallation({
      config: loadConfig({ DATA_DIR: directory }),
      metrics,
      onWarning: () => undefined,
      processName: 'test',
    });
    registerFigures(metrics, installation);
    registerCheckpointFigures(metrics);
    registerRateLimitFigure(metrics);
    registerClockFigures(metrics, {
      clock: systemClock,
      redis: { time: () => Promise.reject(new Error('none here')) } as never,
      storage: installation.storage,
    });
    createGatewayFigures(metrics);
    createScreeningFigures(metrics, systemClock);
    createRescreeningFigures(metrics, systemClock);
    createSendFigures(metrics);
    createWebhookFigures(metrics, installation.storage);
    meteredThreads({ atOnce: 1, screen: () => Promise.reject() }, metrics, systemClock);
    const { text } = await metrics.expose();
    await installation.close();
    exposed = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name));
  });
  afterAll(() => rmSync(directory, { force: true, recursive: true }));

  const missing = (expression: string): string[] =>
    metricsIn(expression).filter(
      (name) => ![...OF_PROMETHEUS, ...exposed].includes(name.replace(SUFFIX, '')),
    );

  test.each(rules.map(({ alert, expr }) => [alert, expr]))('%s', (_, expr) => {
    expect(metricsIn(expr)).not.toEqual([]);
    expect(missing(expr)).toEqual([]);
  });

  test.each(dashboards.map(({ file, panels }) => [file, panels] as const))('%s', (_, panels) => {
    for (const { targets, title } of panels) {
      for (const { expr } of targets) {
        expect(metricsIn(expr), title).not.toEqual([]);
        expect(missing(expr), title).toEqual([]);
      }
    }
  });

  test('a name that nobody exposes is found', () => {
    expect(missing('sum by (le) (rate(no_such_seconds_bucket{a="b"}[5m])) > 0.5')).toEqual([
      'no_such_seconds_bucket',
    ]);
  });
});

test('every alert has its page, and every page its alert or its notice', () => {
  const names = rules.map(({ alert }) => alert);
  expect(new Set(names).size).toBe(names.length);
  for (const { alert, annotations, labels } of rules) {
    expect(annotations.runbook).toBe(`docs/runbooks/${alert}.md`);
    expect(existsSync(join(RUNBOOKS, `${alert}.md`)), alert).toBe(true);
    expect(['critical', 'warning', 'info']).toContain(labels.severity);
  }
  const pages = readdirSync(RUNBOOKS).filter((file) => file !== 'README.md');
  const codes = [...Object.values(CONDITIONS), ...Object.values(TROUBLES)];
  const told = new Set(codes.map(({ runbook }) => basename(runbook, '.md')));
  const named = new Set([...names, ...told]);
  expect(pages.map((file) => file.replace('.md', '')).sort()).toEqual([...named].sort());
});

test('a page has its alert’s rule as it stands', () => {
  for (const { alert, expr } of rules) {
    expect(readFileSync(join(RUNBOOKS, `${alert}.md`), 'utf8'), alert).toContain(expr.trim());
  }
});

test('every alert is tried: when it must fire, and when it must not', () => {
  const { tests } = parse(readFileSync(join(FOLDER, 'alerts.test.yaml'), 'utf8')) as {
    tests: { alert_rule_test: { alertname: string; exp_alerts?: unknown[] }[] }[];
  };
  const tried = tests.flatMap((one) => one.alert_rule_test);
  const names = (fires: boolean) =>
    tried.filter((one) => (one.exp_alerts !== undefined) === fires).map((one) => one.alertname);
  const all = rules.map(({ alert }) => alert).sort();
  expect([...new Set(names(true))].sort()).toEqual(all);
  expect([...new Set(names(false))].sort()).toEqual(all);
});

const promtool = spawnSync('promtool', ['--version']);
const isPromtoolHere = promtool.status === 0;
if (!isPromtoolHere)
  console.warn('SKIPPED: alert rules need promtool in PATH (package prometheus)');

describe.skipIf(!isPromtoolHere)('promtool', () => {
  test.each([
    ['check', 'rules', 'alerts.yaml'],
    ['check', 'config', 'prometheus.yaml'],
    ['test', 'rules', 'alerts.test.yaml'],
  ])('%s %s %s', (...words) => {
    const { status, stderr, stdout } = spawnSync('promtool', words, {
      cwd: FOLDER,
      encoding: 'utf8',
    });
    expect(`${stdout}${stderr}`).not.toContain('FAILED');
    expect(status, stderr).toBe(0);
  });
});
