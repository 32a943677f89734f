/** What a tenant may set for its webhooks: how often its systems are called. */
import { integerSetting, type SettingGroup } from '#core/identity';
import webhooks from '../../../config/webhooks.json' with { type: 'json' };

const RATE_MAX = 100_000;

/** How webhooks of a tenant are sent. */
export interface WebhookSettings {
  /** Attempts a second, over all endpoints and workers. */
  readonly perSecond: number;
}

/** `webhooks.*`; defaults in config/webhooks.json. */
export const settings: SettingGroup<WebhookSettings> = {
  rows: [['webhooks.per_second', integerSetting(1, RATE_MAX)]],
  defaults: { file: 'config/webhooks.json', content: webhooks, prefix: 'webhooks.' },
  listedAs: "How often a tenant's own systems are called is its setting, too:",
  view: (values) => ({ perSecond: values.number('webhooks.per_second') }),
};
