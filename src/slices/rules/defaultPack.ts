/**
 * The rules that every tenant begins with: in shadow, so that they show what they would raise, and
 * raise nothing until two persons publish them. Two more scenarios are decided by screening, which
 * compares parties and names in free text with the lists: no rule evaluates them.
 */
import pack from '../../../config/rules/defaultPack.json' with { type: 'json' };
import type { Rule } from './ruleLanguage.ts';

/** Version that the rules of the pack have for a tenant. */
export const PACK_VERSION: number = pack.version;
/** When they were released, in epoch milliseconds. */
export const PACK_RELEASED_AT: number = Date.parse(pack.released_at);
/** The rules, by their ids. */
export const DEFAULT_PACK: readonly Rule[] = pack.rules as unknown as readonly Rule[];

/** Scenarios that screening decides and alerts. */
export const SCREENING_SCENARIOS = [
  {
    decided_by: 'screening',
    name: {
      ar: 'طرف أو مصرف مدرج في القوائم',
      en: 'A party or agent is on a list',
      fr: 'Une partie ou un agent figure sur une liste',
    },
    rule_id: 'TM-SAN-01',
    severity: 'Critical',
    typologies: ['FATF R6', 'FATF R7'],
  },
  {
    decided_by: 'screening',
    name: {
      ar: 'اسم أو سفينة أو رقم مدرج في القوائم داخل النص الحر',
      en: 'A listed name, vessel or number in free text',
      fr: 'Un nom, un navire ou un numéro d’une liste dans le texte libre',
    },
    rule_id: 'TM-SAN-02',
    severity: 'High',
    typologies: ['Wolfsberg payment screening'],
  },
] as const;
