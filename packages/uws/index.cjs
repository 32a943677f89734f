'use strict';
/**
 * What hyper-express gets when it asks for `uWebSockets.js`: the first binary that fits this
 * machine, out of npm packages that carry one, checked against its pinned SHA-256 before the
 * loader sees it.
 *
 * Why: uWebSockets.js is published on GitHub only; an install that needs GitHub is neither
 * reproducible nor possible in a closed network. The builds on npm are third parties', so a
 * package that changes under its version must not run: no digest, no load.
 *
 * Both builds are older than hyper-express 7.0.2 expects. What they lack is added to the
 * prototype of the first response of each kind (TCP, TLS) that a route hands out.
 * Throws where nothing fits, with one line per candidate; src/api/http then serves by node:http.
 */
const { createHash } = require('node:crypto');
const { existsSync, readFileSync } = require('node:fs');
const path = require('node:path');
const digests = require('./digests.json');

// Read once, by the binary, while it loads. Twice the limit of the gateway (16 KiB), so that a
// block a little too large reaches the adapter and is answered as a problem document.
process.env.UWS_HTTP_MAX_HEADERS_SIZE ??= '32768';

const FILE = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`;

/** In order of preference; the first is newer and refuses more of what is malformed. */
const CANDIDATES = [
  { name: '@btc-vision/uwebsockets.js', version: '20.57.0', file: FILE },
  { name: 'uws-pack', version: '20.0.8', file: `dist/bin/${FILE}` },
];

/** `exports` of both packages hide their folder, so it is looked for as Node's resolver would. */
function findFile({ name, file }) {
  for (const folder of module.paths) {
    const found = path.join(folder, name, file);
    if (existsSync(found)) return found;
  }
  return undefined;
}

function loadChecked(candidate) {
  const file = findFile(candidate);
  if (file === undefined) throw new Error(`has no ${path.basename(candidate.file)}`);
  const expected = digests[`${candidate.name}@${candidate.version}/${candidate.file}`];
  if (expected === undefined) throw new Error(`no digest is pinned for ${candidate.file}`);
  const got = createHash('sha256').update(readFileSync(file)).digest('hex');
  if (got !== expected) throw new Error(`SHA-256 of ${file}: expected ${expected}, got ${got}`);
  return require(file);
}

function loadFirst() {
  const reasons = [];
  for (const candidate of CANDIDATES) {
    try {
      return { binding: loadChecked(candidate), candidate };
    } catch (error) {
      reasons.push(`${candidate.name}@${candidate.version}: ${error.message.split('\n')[0]}`);
    }
  }
  throw new Error(`No uWebSockets.js binary fits this machine. ${reasons.join('. ')}`);
}

/** Methods that hyper-express 7.0.2 calls and uWebSockets.js gained after these builds. */
const ADDED = {
  // The port is not known to these builds; 0 is what uWebSockets.js gives where there is none.
  getRemotePort: () => 0,
  getProxiedRemotePort: () => 0,
  onDataV2(handler) {
    return this.onData((chunk, isLast) => handler(chunk, isLast ? 0n : 1n));
  },
  collectBody(bytesMax, handler) {
    const chunks = [];
    let bytes = 0;
    return this.onData((chunk, isLast) => {
      bytes += chunk.byteLength;
      // The memory of a chunk is the binary's again after this call: copy.
      if (bytes <= bytesMax) chunks.push(Buffer.from(new Uint8Array(chunk)));
      if (!isLast) return;
      const whole = bytes <= bytesMax ? Buffer.concat(chunks) : null;
      if (whole === null) handler(null);
      else handler(whole.buffer.slice(whole.byteOffset, whole.byteOffset + whole.byteLength));
    });
  },
};

function addMissing(response) {
  const prototype = Object.getPrototypeOf(response);
  for (const [name, method] of Object.entries(ADDED)) {
    if (typeof response[name] !== 'function') prototype[name] = method;
  }
}

/**
 * hyper-express asks for the method by `getMethod`, which lower-cases the bytes in place, for every
 * later reader too; but `get` is not GET (RFC 9110, 9.1).
 */
function keepMethodCase(request) {
  const prototype = Object.getPrototypeOf(request);
  prototype.getMethod = prototype.getCaseSensitiveMethod;
}

const ROUTES = ['any', 'get', 'post', 'put', 'patch', 'del', 'head', 'options', 'trace', 'connect'];

/** The app of the binary, its routes mended before the first handler runs. */
function mendApp(app) {
  for (const name of ROUTES) {
    const register = app[name];
    if (typeof register !== 'function') continue;
    app[name] = (pattern, handler) => {
      const mended = (response, request) => {
        if (response.onDataV2 === undefined) addMissing(response);
        if (request.getMethod !== request.getCaseSensitiveMethod) keepMethodCase(request);
        handler(response, request);
      };
      register.call(app, pattern, mended);
      return app;
    };
  }
  return app;
}

const { binding, candidate } = loadFirst();
// No `uWebSockets: 20` header on every answer: it costs bytes and tells a scanner the version.
binding._cfg?.('silent');

module.exports = {
  ...binding,
  App: (options) => mendApp(binding.App(options)),
  SSLApp: (options) => mendApp(binding.SSLApp(options)),
  /** Which build serves, for the log line at start. */
  build: `${candidate.name}@${candidate.version}`,
};
