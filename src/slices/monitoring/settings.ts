/** What a tenant may set for its transactions: its zone, and what is its own between banks. */
import type { Setting, SettingGroup } from '#core/identity';
import monitoring from '../../../config/monitoring.json' with { type: 'json' };
import { isZone } from './instants.ts';
import { bic8 } from './messageLegs.ts';
import { exponentOf } from './money.ts';
import { BIC } from './shapes.ts';
import type { ReadingContext } from './transaction.ts';

const OWN_MAX = 200;
const IBAN_START = /^[A-Z]{2}[0-9]{2}[A-Z0-9]{0,30}$/;

const zone: Setting = {
  expected: 'a zone of the IANA table, as Europe/Paris',
  hasDefault: true,
  read: (given) => (typeof given === 'string' && isZone(given) ? given : undefined),
};

const baseCurrency: Setting = {
  expected: 'a currency of ISO 4217, as EUR',
  hasDefault: true,
  read: (given) =>
    typeof given === 'string' && exponentOf(given) !== undefined ? given : undefined,
};

/** Values separated by commas, each of this form. */
const listed = (expected: string, isOne: (text: string) => boolean): Setting => ({
  expected: `up to ${OWN_MAX} ${expected}, separated by commas`,
  hasDefault: false,
  read: (given) => {
    if (typeof given !== 'string') return undefined;
    const values = given === '' ? [] : given.split(',').map((one) => one.trim().toUpperCase());
    return values.length <= OWN_MAX && values.every(isOne) ? values.join(',') : undefined;
  },
});

/** What decides how a tenant's transactions are read and judged. */
export interface MonitoringSettings extends ReadingContext {
  /** In which rules count money. */
  readonly baseCurrency: string;
}

/** `monitoring.*`; defaults in config/monitoring.json. */
export const settings: SettingGroup<MonitoringSettings> = {
  rows: [
    ['monitoring.zone', zone],
    ['monitoring.base_currency', baseCurrency],
    ['monitoring.own_bics', listed('BICs', (one) => BIC.test(one))],
    ['monitoring.own_ibans', listed('IBANs or their beginnings', (one) => IBAN_START.test(one))],
  ],
  defaults: { content: monitoring, file: 'config/monitoring.json', prefix: 'monitoring.' },
  listedAs:
    'Whose payments are whose, and when a day begins, are settings of a tenant, too. BICs and\n' +
    'IBANs of its own (`monitoring.own_bics`, `monitoring.own_ibans`) have no default:',
  view: (values) => {
    const listOf = (key: string) => {
      const value = values.find(key);
      return typeof value === 'string' && value !== '' ? value.split(',') : [];
    };
    return {
      baseCurrency: values.word('monitoring.base_currency'),
      ownBics: new Set(listOf('monitoring.own_bics').map(bic8)),
      ownIbans: listOf('monitoring.own_ibans'),
      zone: values.word('monitoring.zone'),
    };
  },
};
