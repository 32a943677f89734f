/**
 * Adds to package-lock.json the platform builds that npm left out: run it after `npm install`.
 *
 * npm drops an optional build from the lockfile where its registry (a mirror, say) does not hold
 * it, and then `npm ci` refuses the whole lockfile, on every platform. An entry without a digest gets
 * the one that the registry gives; where a mirror gives none, none is made up: npm then takes what
 * comes, on that platform alone, and the bootstrap says so. test/houseRules.test.ts fails where an
 * entry is missing, or a digest for the systems that the product is tested on.
 */
import { spawnSync } from 'node:child_process';
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
for (const [path, entry] of Object.entries(packages)) {
  if (path === '' || entry.integrity !== undefined || entry.link) continue;
  if (entry.version === undefined) continue;
  const name = `${path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)}`;
  const asked = ['view', `${name}@${entry.version}`, 'dist.integrity'];
  const { status, stdout } = spawnSync('npm', asked, { encoding: 'utf8' });
  const digest = /^sha512-[A-Za-z0-9+/=]{88}$/m.exec(stdout)?.[0];
  if (status === 0 && digest !== undefined) entry.integrity = digest;
  console.log(`${digest === undefined ? 'no digest to be had of' : 'digest of'} ${name}`);
}
lockfile.packages = Object.fromEntries(
  Object.entries(packages).sort(([a], [b]) => a.localeCompare(b, 'en')),
);
writeFileSync(LOCKFILE, `${JSON.stringify(lockfile, null, 2)}\n`);
