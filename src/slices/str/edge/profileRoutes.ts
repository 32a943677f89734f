/** Profiles of FIUs as the writers of reports need them: codes, and our words for them. */
import { allRecords } from '#core/kernel';
import { findProfile, GENERIC_PROFILE, type LoadedProfile, strProfileTable } from '#slices/str';
import type { Operation } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import { READING, type StrRouteOptions } from './routeOptions.ts';
import { ProfileResult, ProfilesResult } from './schemas.ts';

const PATH = '/v1/aml/str-profiles';

export const profileOperations = (options: StrRouteOptions): Operation[] => [
  {
    ...READING,
    id: 'listStrProfiles',
    path: PATH,
    roles: roles.profiles,
    problems: ['blob-damaged', 'state-altered', 'str-profile-invalid', 'str-profile-unknown'],
    summary: 'Profiles of the tenant, and the shipped one',
    responses: { 200: { description: 'By id', schema: ProfilesResult } },
    async handle({ tenantId }) {
      const ports = options.desk();
      const ask = { equal: { tenantId }, index: 'key' };
      const stored = await allRecords(ports.tables, strProfileTable, ask);
      const ids = [GENERIC_PROFILE, ...stored.map(({ profileId }) => profileId)];
      const all = await Promise.all(
        ids.map((profileId) => findProfile(ports, { profileId, tenantId })),
      );
      return { body: { data: all.map(presentHead) }, status: 200 };
    },
  },
  {
    ...READING,
    id: 'getStrProfile',
    path: `${PATH}/{profile_id}`,
    roles: roles.profiles,
    problems: ['blob-damaged', 'state-altered', 'str-profile-invalid', 'str-profile-unknown'],
    summary: 'What an FIU takes: its codes, and our words for them',
    responses: { 200: { description: 'The profile', schema: ProfileResult } },
    async handle({ params, tenantId }) {
      const profileId = params.profile_id ?? '';
      const profile = await findProfile(options.desk(), { profileId, tenantId });
      const body = {
        ...presentHead(profile),
        codes: Object.fromEntries(profile.grammar.codes),
        words: profile.settings.codes,
      };
      return { body, status: 200 };
    },
  },
];

const presentHead = ({ isFilable, profileId, schema, settings, strict }: LoadedProfile) => ({
  country: settings.country,
  currency: settings.currency,
  filable: isFilable,
  fiu: settings.fiu,
  profile: profileId,
  schema_sha256: schema.sha256,
  strict_schema_sha256: strict.sha256,
});
