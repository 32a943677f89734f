/** What a tenant may set for its alerts, beside its policy: who works on them, and how soon. */
import { integerSetting, type SettingGroup, settingRows, wordSetting } from '#core/identity';
import alerts from '../../../config/alerts.json' with { type: 'json' };
import type { Severity } from './tables.ts';

/** Which hits need a second person to close their alert. */
export type FourEyes = 'none' | 'sanctions' | 'all';

/** What a tenant sets of its alerts. */
export interface OwnAlertSettings {
  /** Role of the persons among whom new alerts are shared out. */
  readonly assignedTo: (typeof TEAMS)[number];
  readonly dueHours: Readonly<Record<Severity, number>>;
}

/** What holds for a tenant's alerts: its settings, and the flags of its policy. */
export interface AlertSettings extends OwnAlertSettings {
  /** Typologies whose hits raise an alert. */
  readonly raisedFor: readonly string[];
  readonly fourEyes: FourEyes;
}

const TEAMS = ['nobody', 'agent_l1', 'agent_l2', 'mlro', 'compliance_officer'] as const;
const SEVERITY_KEYS = ['critical', 'high', 'medium', 'low'] as const;
const HOURS_MAX = 24 * 365;

/** `alerts.*`; defaults in config/alerts.json. */
export const settings: SettingGroup<OwnAlertSettings> = {
  rows: [
    ['alerts.assigned_to', wordSetting(...TEAMS)],
    ...settingRows('alerts.due_hours.', SEVERITY_KEYS, integerSetting(1, HOURS_MAX)),
  ],
  defaults: {
    content: alerts,
    file: 'config/alerts.json',
    members: { due_hours: 'due_hours.' },
    prefix: 'alerts.',
  },
  listedAs:
    'Who gets new alerts, and within how many hours they are closed,\n' +
    "are a tenant's settings:",
  view: (values) => {
    const hours = values.numbers('alerts.due_hours.', SEVERITY_KEYS);
    return {
      assignedTo: values.word('alerts.assigned_to'),
      dueHours: {
        Critical: hours.critical,
        High: hours.high,
        Low: hours.low,
        Medium: hours.medium,
      },
    };
  },
};
