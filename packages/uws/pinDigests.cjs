'use strict';
/**
 * Writes digests.json from the packages installed now: `node packages/uws/pinDigests.cjs`.
 * Run it only when a version of CANDIDATES in index.cjs was changed on purpose, from a lockfile
 * whose integrity npm has checked, and review the difference: these are the files that may run.
 * Covers every Node that `engines` allows and hyper-express knows (ABI 127, 137, 141).
 */
const { createHash } = require('node:crypto');
const { readFileSync, readdirSync, writeFileSync } = require('node:fs');
const path = require('node:path');

const ABIS = ['127', '137', '141'];
const PACKAGES = [
  { name: '@btc-vision/uwebsockets.js', folder: '' },
  { name: 'uws-pack', folder: 'dist/bin' },
];
const modules = path.join(__dirname, '..', '..', 'node_modules');

const digests = {};
for (const { name, folder } of PACKAGES) {
  const root = path.join(modules, name);
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  for (const file of readdirSync(path.join(root, folder)).sort()) {
    if (!ABIS.some((abi) => file.endsWith(`_${abi}.node`))) continue;
    const sha256 = createHash('sha256').update(readFileSync(path.join(root, folder, file)));
    digests[`${name}@${version}/${path.posix.join(folder, file)}`] = sha256.digest('hex');
  }
}
writeFileSync(path.join(__dirname, 'digests.json'), `${JSON.stringify(digests, null, 2)}\n`);
console.log(`${Object.keys(digests).length} digests pinned`);
