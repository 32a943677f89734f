/** Profiles as they are found: the shipped structure, and those that administrators have loaded. */
import { readFile } from 'node:fs/promises';
import { DomainError, type TenantId } from '#core/kernel';
import { sha256Hex } from '#platform/crypto';
import { ATTACHMENT_BYTES_MAX, ATTACHMENTS_BYTES_MAX, NARRATIVE_CHARS_MAX } from './limits.ts';
import type { StrReadPorts } from './ports.ts';
import { GENERIC_PROFILE, type ProfileSettings } from './profile.ts';
import { type StoredSchema, strProfileTable } from './tables.ts';
import { type Grammar, readGrammar } from './xsdGrammar.ts';
import { readXsdTree } from './xsdTree.ts';

/** A profile with its grammar, to write reports by. */
export interface LoadedProfile {
  readonly profileId: string;
  readonly settings: ProfileSettings;
  readonly schema: StoredSchema;
  readonly strict: StoredSchema;
  readonly grammar: Grammar;
  /** Whether some FIU takes reports by it. */
  readonly isFilable: boolean;
}

/** Grammars of one process; the one that was read first leaves first. */
const GRAMMARS_MAX = 20;
const grammars = new Map<string, Grammar>();

const GENERIC_FILE = new URL('../../../config/str/generic-5.0.xsd', import.meta.url);
const MEBI = 1024 * 1024;

/** Settings of the shipped structure. */
const GENERIC_SETTINGS: ProfileSettings = {
  activity_codes: ['SAR', 'AIF'],
  codes: {},
  country: 'FR',
  currency: 'EUR',
  defaults: {},
  fiu: 'Sandbox',
  language: 'en',
  limits: {
    attachment_bytes: ATTACHMENT_BYTES_MAX,
    narrative_chars: NARRATIVE_CHARS_MAX,
    package_bytes: ATTACHMENTS_BYTES_MAX + 10 * MEBI,
  },
  rentity_id: '1',
  zone: 'UTC',
};

/** Throws `str-profile-unknown`, `state-altered`. */
export async function findProfile(
  ports: StrReadPorts,
  { profileId, tenantId }: { readonly profileId: string; readonly tenantId: TenantId },
): Promise<LoadedProfile> {
  if (profileId === GENERIC_PROFILE) return genericProfile();
  const stored = await ports.tables.find(strProfileTable, { profileId, tenantId });
  if (stored === undefined) {
    throw new DomainError('str-profile-unknown', {
      detail: `the tenant has no profile ${profileId}`,
    });
  }
  const { schema, settings, strict } = await ports.signed.requireProfile(stored);
  const grammar = await grammarOf(strict.sha256, async () => {
    const bytes = await ports.blobs.get(strict.sha256);
    if (bytes !== undefined) return bytes;
    throw new DomainError('blob-damaged', { detail: `the schema of ${profileId} is gone` });
  });
  return { grammar, isFilable: true, profileId, schema, settings, strict };
}

/** The structure that is shipped: for sandboxes, and to try things out. */
export async function genericProfile(): Promise<LoadedProfile> {
  const bytes = await readFile(GENERIC_FILE);
  const schema = { bytes: bytes.length, sha256: sha256Hex(bytes) };
  return {
    grammar: await grammarOf(schema.sha256, async () => bytes),
    isFilable: false,
    profileId: GENERIC_PROFILE,
    schema,
    settings: GENERIC_SETTINGS,
    strict: schema,
  };
}

async function grammarOf(sha256: string, read: () => Promise<Uint8Array>): Promise<Grammar> {
  const known = grammars.get(sha256);
  if (known !== undefined) return known;
  const grammar = readGrammar(readXsdTree(await read()));
  grammars.set(sha256, grammar);
  const [oldest] = grammars.keys();
  if (grammars.size > GRAMMARS_MAX && oldest !== undefined) grammars.delete(oldest);
  return grammar;
}
