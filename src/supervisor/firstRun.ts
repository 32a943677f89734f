/**
 * What a first start leaves for the user: a sandbox tenant, its key, and a line to paste.
 *
 * The key's text exists only in first-run.json (mode 0600). A crash between the key and the file
 * would lose it, so a mark is set before and removed after. If the mark still exists, the next
 * start makes another key for the same tenant. A file that the user removed is not made again.
 */
import { chmodSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface FirstRun {
  readonly origin: string;
  readonly base_url: string;
  readonly tenant_id: string;
  readonly api_key: string;
  /** A line to paste into bash, zsh or sh. */
  readonly curl: string;
}

export interface Credentials {
  readonly tenantId: string;
  readonly apiKey: string;
}

/** A name on the shipped list. */
const NAME_SCREENED = 'Tarek Velmorani';

export async function ensureCredentials(options: {
  readonly dataDir: string;
  readonly origin: string;
  /** A store with tenants but no mark is an existing installation: nothing is made. */
  hasTenants(): Promise<boolean>;
  makeCredentials(): Promise<Credentials>;
}): Promise<FirstRun | undefined> {
  const file = join(options.dataDir, 'first-run.json');
  const mark = join(options.dataDir, 'first-run.pending');
  const known = readFirstRun(file);
  if (known !== undefined) return known;
  if (!existsSync(mark) && (await options.hasTenants())) return undefined;
  writeFileSync(mark, 'a first start is under way\n', { mode: 0o600, flush: true });
  const { tenantId, apiKey } = await options.makeCredentials();
  const made = describeFirstRun({ origin: options.origin, tenantId, apiKey });
  writeFirstRun(options.dataDir, made);
  rmSync(mark);
  return made;
}

export function describeFirstRun(of: Credentials & { readonly origin: string }): FirstRun {
  return {
    origin: of.origin,
    base_url: `${of.origin}/v1`,
    tenant_id: of.tenantId,
    api_key: of.apiKey,
    curl: curlLine(of),
  };
}

/**
 * One line, so that no shell fails on a continuation. Each paste makes a new idempotency key: by
 * the kernel on Linux, by uuidgen on macOS (which prints capitals: allowed).
 */
function curlLine(of: Credentials & { readonly origin: string }): string {
  return [
    `curl -sS ${of.origin}/v1/sanctions/screen`,
    `-H 'X-API-Key: ${of.apiKey}'`,
    `-H 'Content-Type: application/json'`,
    '-H "Idempotency-Key: $(cat /proc/sys/kernel/random/uuid 2>/dev/null || uuidgen)"',
    `-d '{"name":"${NAME_SCREENED}"}'`,
  ].join(' ');
}

/** The address may have changed since; the key has not. */
export function refreshFirstRun(dataDir: string, known: FirstRun, origin: string): FirstRun {
  if (known.origin === origin) return known;
  const current = describeFirstRun({ origin, tenantId: known.tenant_id, apiKey: known.api_key });
  writeFirstRun(dataDir, current);
  return current;
}

function writeFirstRun(dataDir: string, content: FirstRun): void {
  const file = join(dataDir, 'first-run.json');
  const draft = `${file}.new`;
  writeFileSync(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, flush: true });
  chmodSync(draft, 0o600);
  renameSync(draft, file);
}

function readFirstRun(file: string): FirstRun | undefined {
  if (!existsSync(file)) return undefined;
  const content = JSON.parse(readFileSync(file, 'utf8')) as Partial<FirstRun>;
  const { origin, tenant_id: tenantId, api_key: apiKey } = content;
  if (typeof origin !== 'string' || typeof tenantId !== 'string' || typeof apiKey !== 'string') {
    throw new Error(`${file}: expected origin, tenant_id and api_key; remove the file to go on`);
  }
  return describeFirstRun({ origin, tenantId, apiKey });
}
