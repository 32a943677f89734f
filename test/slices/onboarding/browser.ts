/** A real browser, where the machine has one: Debian's chromium, or its shell without a window. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const NAMES = ['chromium-headless-shell', 'chromium'];

const isProgram = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false; // it is looked for elsewhere
  }
};

const found = (process.env.PATH ?? '')
  .split(delimiter)
  .flatMap((folder) => NAMES.map((name) => join(folder, name)))
  .find(isProgram);

export const hasBrowser = found !== undefined;
if (!hasBrowser)
  console.warn(`no browser on the PATH (${NAMES.join(', ')}): its tests are skipped`);

export function openBrowser(): Promise<Browser> {
  if (found === undefined) throw new Error('no browser on the PATH');
  return chromium.launch({ args: ['--no-sandbox'], executablePath: found });
}
