/** What stands beside an FIU's schema, as the administrator's file has it. */
import { type Static, Type } from 'typebox';
import { DomainError, inWords } from '#core/kernel';
import { isZone } from '#slices/monitoring';
import {
  ATTACHMENT_BYTES_MAX,
  ATTACHMENTS_BYTES_MAX,
  NARRATIVE_CHARS_MAX,
  type ProfileSettings,
} from '#slices/str';
import { readable } from '../../../api/freeText.ts';
import { compileSchema } from '../../../api/validate.ts';
import { Location, Person } from './contentSchemas.ts';
import { readJson } from './jsonFile.ts';

const MIB = 1024 * 1024;
const STRICT = { additionalProperties: false } as const;
const Word = Type.String({ maxLength: 255, minLength: 1, ...readable });
const Words = Type.Record(Type.String({ maxLength: 100 }), Word);

/** The members of the file: docs/str.md has an example. */
export const SettingsFile = Type.Object(
  {
    fiu: Word,
    country: Type.String(inWords('a country: ISO 3166-1, two letters', '^[A-Z]{2}$')),
    currency: Type.String(inWords('a currency: ISO 4217, three letters', '^[A-Z]{3}$')),
    zone: Type.Optional(Word),
    language: Type.Optional(Word),
    rentity_id: Type.String(inWords('digits', '^[0-9]{1,10}$')),
    rentity_branch: Type.Optional(Word),
    reporting_person: Type.Optional(Person),
    reporting_user_code: Type.Optional(Word),
    location: Type.Optional(Location),
    activity_codes: Type.Optional(Type.Array(Word, { maxItems: 50 })),
    codes: Type.Optional(Type.Record(Type.String({ maxLength: 100 }), Words)),
    defaults: Type.Optional(Words),
    limits: Type.Optional(
      Type.Object(
        {
          narrative_chars: Type.Optional(
            Type.Integer({ maximum: NARRATIVE_CHARS_MAX, minimum: 1 }),
          ),
          attachment_bytes: Type.Optional(
            Type.Integer({ maximum: ATTACHMENT_BYTES_MAX, minimum: 1 }),
          ),
          package_bytes: Type.Optional(Type.Integer({ maximum: 100 * MIB, minimum: 1 })),
        },
        STRICT,
      ),
    ),
  },
  STRICT,
);

const faultsOf = compileSchema(SettingsFile);

/** With what it leaves out. Throws `str-profile-invalid`. */
export function settingsOf(given: unknown): ProfileSettings {
  const violations = faultsOf(given);
  if (violations.length > 0) {
    const [first] = violations;
    const detail = `settings${first?.pointer}: ${first?.detail}`;
    throw new DomainError('str-profile-invalid', { detail, violations });
  }
  const { limits = {}, zone = 'UTC', ...settings } = given as Static<typeof SettingsFile>;
  if (!isZone(zone)) {
    const detail = 'settings/zone: expected a zone of the IANA table';
    throw new DomainError('str-profile-invalid', { detail });
  }
  return {
    activity_codes: ['SAR', 'AIF'],
    codes: {},
    defaults: {},
    language: 'en',
    ...settings,
    limits: {
      attachment_bytes: ATTACHMENT_BYTES_MAX,
      narrative_chars: NARRATIVE_CHARS_MAX,
      package_bytes: ATTACHMENTS_BYTES_MAX,
      ...limits,
    },
    zone,
  } as ProfileSettings;
}

/** Throws `str-profile-invalid`, and UsageError for what is no JSON. */
export async function readSettings(file: string): Promise<ProfileSettings> {
  return settingsOf(await readJson(file));
}
