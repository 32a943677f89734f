/**
 * Adds to package-lock.json the platform builds that npm left out: run it after `npm install`.
 *
 * npm drops an optional build from the lockfile where its registry (a mirror, say) does not hold
 * it, and then `npm ci` refuses the whole lockfile, on every platform. The entries added here carry
 * no digest, since none was seen; npm fetches them only on the platform that they are for.
 * test/houseRules.test.ts fails where an entry is missing.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const LOCKFILE = new URL('../package-lock.json', import.meta.url);
const PLATFORM =
  /(?<os>aix|android|darwin|freebsd|linux|netbsd|openbsd|openharmony|sunos|win32)-(?<cpu>[a-z0-9]+)/;

const lockfile = JSON.parse(readFileSync(LOCKFILE, 'utf8'));
const packages = lockfile.packages;

for (const [path, entry] of Object.entries(packages)) {
  for (const [name, range] of Object.entries(entry.optionalDependencies ?? {})) {
    const key = `node_modules/${name}`;
    if (key in packages || `${path}/${key}` in packages) continue;
    const platform = PLATFORM.exec(name)?.groups;
    const version = /^[\^~]?(\d+\.\d+\.\d+.*)$/.exec(range)?.[1];
    if (platform === undefined || version === undefined) {
      throw new Error(`${name}@${range}: expected an exact version and a platform in the name`);
    }
    packages[key] = {
      version,
      resolved: `https://registry.npmjs.org/${name}/-/${name.split('/').at(-1)}-${version}.tgz`,
      cpu: [platform.cpu],
      ...(entry.dev === true && { dev: true }),
      optional: true,
      os: [platform.os],
    };
    console.log(`added ${name}@${version}`);
  }
}
lockfile.packages = Object.fromEntries(
  Object.entries(packages).sort(([a], [b]) => a.localeCompare(b, 'en')),
);
writeFileSync(LOCKFILE, `${JSON.stringify(lockfile, null, 2)}\n`);
