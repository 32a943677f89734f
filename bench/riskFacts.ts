/** Facts of made-up clients, drawn from a seed: the same on every machine. */
import { createHash } from 'node:crypto';
import type { Facts } from '#slices/risk';

const COUNTRIES = ['TN', 'FR', 'DE', 'US', 'MA', 'IR', 'KP', 'VE', 'AE', 'CH'];
const OCCUPATIONS = ['teacher', 'notary', 'dealer', 'nurse'];

/** What is known of the n-th client. */
export function factsOf(n: number): Facts {
  const draw = (name: string, of: number): number =>
    createHash('sha256').update(`${name} ${n}`).digest().readUInt32LE() % of;
  const isBusiness = draw('type', 5) === 0;
  const isHit = draw('hit', 50) === 0;
  return {
    'aml.adverse_media_score': 0,
    'aml.confirmed_hits': isHit ? draw('confirmed', 2) : 0,
    'aml.decision': isHit ? 'MATCH_PEP' : 'CLEAR',
    'aml.max_score': isHit ? 9_000 : 0,
    'aml.open_alerts': isHit ? 1 : 0,
    'aml.typologies': isHit ? ['MATCH_PEP'] : [],
    'channel.onboarding': ['api', 'agent', 'session'][draw('channel', 3)] ?? 'api',
    'client.pep': isHit,
    'client.type': isBusiness ? 'business' : 'individual',
    'client.years_known': draw('known', 12),
    'geo.residence': COUNTRIES[draw('residence', COUNTRIES.length)] ?? 'TN',
    'product.codes': [`p${draw('product', 8)}`],
    ...(!isBusiness && {
      'client.age': 18 + draw('age', 70),
      'client.occupation': OCCUPATIONS[draw('occupation', OCCUPATIONS.length)] ?? 'nurse',
      'geo.nationality': COUNTRIES[draw('nationality', COUNTRIES.length)] ?? 'TN',
    }),
  };
}
