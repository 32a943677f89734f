/** A rule to begin with: much cash within a week. */
import type { RuleContent } from './types.ts';

export const EMPTY_RULE: RuleContent & { readonly format: string } = {
  format: 'tm-rule-v1',
  rule_id: 'OWN-CASH-01',
  name: {
    ar: 'مبالغ نقدية كبيرة خلال أسبوع',
    en: 'Much cash within a week',
    fr: 'Beaucoup d’espèces en une semaine',
  },
  severity: 'Medium',
  score: '0.5',
  typologies: ['FFIEC-F'],
  scope: { channels: ['cash'], directions: ['credit'] },
  subject: 'account',
  params: {
    most: { type: 'amount', value: '15000' },
    window: { type: 'duration', value: 'P7D' },
  },
  let: {
    sum: {
      agg: 'sum',
      where: { eq: ['tx.channel', 'cash'] },
      window: { sliding: 'param.window' },
    },
  },
  when: { gte: ['let.sum', 'param.most'] },
  suppress: 'P7D',
  explain: {
    ar: '{let.sum} نقدًا خلال أسبوع',
    en: '{let.sum} in cash within a week',
    fr: '{let.sum} en espèces en une semaine',
  },
};
