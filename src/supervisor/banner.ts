/** The text on the terminal once everything runs: the address, the key, and a line to paste. */
import { join } from 'node:path';
import type { FirstRun } from './firstRun.ts';

export function describeStart(of: {
  readonly origin: string;
  readonly dataDir: string;
  /** Absent: the installation has tenants of its own, whose keys are not known here. */
  readonly firstRun: FirstRun | undefined;
  /** Signs a person of the sandbox in, once; absent: nobody is signed in by a link here. */
  readonly consoleUrl?: string | undefined;
}): string {
  const { origin, dataDir, firstRun, consoleUrl } = of;
  const known =
    firstRun === undefined
      ? []
      : [
          `  API key   ${firstRun.api_key}   (sandbox tenant ${firstRun.tenant_id})`,
          `  Kept in   ${join(dataDir, 'first-run.json')}`,
          '',
          'Paste this to screen a name:',
          '',
          firstRun.curl,
        ];
  return [
    '',
    `Ready at ${origin}`,
    `  Guide     ${origin}/docs/guide`,
    `  API       ${origin}/docs`,
    ...(consoleUrl === undefined
      ? []
      : [`  Console   ${consoleUrl}`, '            (signs you in once, within ten minutes)']),
    ...known,
    '',
    'Ctrl-C stops everything; the data stays.',
    '',
  ].join('\n');
}
