/**
 * An FIU's own schema, loaded by the administrator: kept as it was published and as validators read
 * it, with the digests of both in the chain. What is not read of it is refused here, once.
 */
import { type Actor, entry, overwrite } from '#core/audit';
import { chainOf, DomainError, type TenantId } from '#core/kernel';
import { sha256Hex } from '#platform/crypto';
import type { StrWritePorts } from './ports.ts';
import { GENERIC_PROFILE, type ProfileSettings } from './profile.ts';
import { repairSchema } from './repairSchema.ts';
import { PROFILE_ID } from './settings.ts';
import { digestOf } from './signedReports.ts';
import { type StrProfile, strProfileTable } from './tables.ts';
import { type Grammar, readGrammar } from './xsdGrammar.ts';
import { readXsdTree } from './xsdTree.ts';

/** A schema with what stands beside it. */
export interface ImportAsk {
  readonly tenantId: TenantId;
  readonly profileId: string;
  readonly actor: Actor;
  readonly xsd: Uint8Array;
  readonly settings: ProfileSettings;
}

/** What was loaded. */
export interface ImportedProfile {
  readonly profile: StrProfile;
  readonly grammar: Grammar;
}

/** Throws `str-profile-invalid`. */
export async function importProfile(
  ports: StrWritePorts,
  { actor, profileId, settings, tenantId, xsd }: ImportAsk,
): Promise<ImportedProfile> {
  if (!PROFILE_ID.test(profileId) || profileId === GENERIC_PROFILE) {
    const detail = `id: expected lower-case letters, digits, . and -; not ${GENERIC_PROFILE}`;
    throw new DomainError('str-profile-invalid', { detail });
  }
  const text = textOf(xsd);
  const { repairs, text: strictText } = repairSchema(text);
  const strictBytes = Buffer.from(strictText);
  const grammar = readGrammar(readXsdTree(strictBytes));
  refuseUnknownCodes(grammar, settings);
  await ports.blobs.put(xsd);
  await ports.blobs.put(strictBytes);
  const profile = await overwrite(async () => {
    const place = { profileId, tenantId };
    const before = await ports.tables.find(strProfileTable, place);
    const next: StrProfile = {
      ...place,
      importedAt: ports.clock.now(),
      importedBy: actor,
      repairs,
      schema: { bytes: xsd.length, sha256: sha256Hex(xsd) },
      settings,
      strict: { bytes: strictBytes.length, sha256: sha256Hex(strictBytes) },
      version: (before?.version ?? 0) + 1,
    };
    await ports.commit(chainOf(tenantId), {
      bus: [],
      changes: [strProfileTable.put(next, before?.version ?? 0)],
      events: [
        entry(ports, {
          action: 'str.profile.imported',
          actor,
          members: {
            confidential: true,
            profile_digest: digestOf('profile', next),
            schema_sha256: next.schema.sha256,
            strict_schema_sha256: next.strict.sha256,
          },
          target: `str-profile:${profileId}`,
        }),
      ],
    });
    return next;
  });
  return { grammar, profile };
}

/** What validators read: UTF-8, since it is compared and kept as text. */
function textOf(xsd: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(xsd);
  } catch (cause) {
    throw new DomainError('str-profile-invalid', { cause, detail: 'schema: expected UTF-8' });
  }
}

/** A code that the FIU does not have would refuse every report that needs it. */
function refuseUnknownCodes({ codes }: Grammar, settings: ProfileSettings): void {
  const wrong = Object.entries(settings.codes).flatMap(([type, words]) => {
    const known = codes.get(type);
    return known === undefined
      ? []
      : Object.entries(words).flatMap(([word, code]) =>
          known.includes(code) ? [] : [`/codes/${type}/${word}`],
        );
  });
  if (wrong.length === 0) return;
  const detail = 'expected a code that the schema lists';
  throw new DomainError('str-profile-invalid', {
    detail: `${wrong[0]}: ${detail}`,
    violations: wrong.map((pointer) => ({ code: 'code-unknown', detail, pointer })),
  });
}
