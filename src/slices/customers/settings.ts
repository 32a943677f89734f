/** What a tenant may set for its cases: how sure a field must be, and whether a scan is a must. */
import { flagSetting, fractionSetting, type SettingGroup } from '#core/identity';
import content from '../../../config/kyc.json' with { type: 'json' };

/** `kyc.*` of a tenant. */
export interface KycSettings {
  /** Fields of documents that are less sure are looked at by a person. */
  readonly confidenceMin: number;
  /** What no scanner found clean is neither read nor given out. */
  readonly isScanRequired: boolean;
}

/** `kyc.*`; defaults in config/kyc.json. */
export const settings: SettingGroup<KycSettings> = {
  rows: [
    ['kyc.field_confidence_min', fractionSetting],
    ['kyc.scan_required', flagSetting],
  ],
  defaults: { content, file: 'config/kyc.json', prefix: 'kyc.' },
  listedAs:
    'How sure a field of a document must be to be judged without a person is a setting of a\n' +
    'tenant. So is `kyc.scan_required`: without it documents are read where nothing scans them:',
  view: (values) => ({
    confidenceMin: values.number('kyc.field_confidence_min'),
    isScanRequired: values.find('kyc.scan_required') === true,
  }),
};
