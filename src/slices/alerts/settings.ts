/** What a tenant may set for its alerts: which are raised, who closes them, and how soon. */
import { integerSetting, type SettingGroup, settingRows, wordSetting } from '#core/identity';
import alerts from '../../../config/alerts.json' with { type: 'json' };
import type { Severity } from './tables.ts';

/** Which hits need a second person to close their alert. */
export type FourEyes = 'none' | 'sanctions' | 'all';

/** Settings of a tenant's alerts in force. */
export interface AlertSettings {
  /** Screenings that raise an alert: all with a hit, those of sanctions alone, or none. */
  readonly raisedFor: 'all' | 'sanctions' | 'none';
  readonly fourEyes: FourEyes;
  /** Role of the persons among whom new alerts are shared out. */
  readonly assignedTo: (typeof TEAMS)[number];
  readonly dueHours: Readonly<Record<Severity, number>>;
}

const TEAMS = ['nobody', 'agent_l1', 'agent_l2', 'mlro', 'compliance_officer'] as const;
const SEVERITY_KEYS = ['critical', 'high', 'medium', 'low'] as const;
const HOURS_MAX = 24 * 365;

/** `alerts.*`; defaults in config/alerts.json. */
export const settings: SettingGroup<AlertSettings> = {
  rows: [
    ['alerts.raised_for', wordSetting('all', 'sanctions', 'none')],
    ['alerts.four_eyes', wordSetting('none', 'sanctions', 'all')],
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
    'Which screenings raise alerts, who gets and who closes them, and within how many hours,\n' +
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
      fourEyes: values.word('alerts.four_eyes'),
      raisedFor: values.word('alerts.raised_for'),
    };
  },
};
