/** A fake engine whose list is a set of names: each is compared once, and remembered. */
import { createHash } from 'node:crypto';
import { systemRandom, uuidV7 } from '#platform/random';
import {
  type OpenPartyScreening,
  type PartyOutcome,
  partyQueries,
  VerdictMemo,
} from '#slices/monitoring';
import { type Hit, screeningSettings } from '#slices/screening';
import { SETTINGS } from '../policies/policyDesk.ts';

export function listOf(...listed: string[]) {
  const memo = new VerdictMemo();
  const compared: string[] = [];
  const outcomeOf = (name: string): PartyOutcome => {
    const key = createHash('sha256').update(name).digest();
    const known = memo.find(key);
    if (known !== undefined) return { key, known };
    compared.push(name);
    const isListed = listed.includes(name);
    const hit = { directScore: 1, ftm_id: 'E-1', primary_name: name, typology: 'MATCH_PEP' };
    const decision = isListed ? ('MATCH_PEP' as const) : ('CLEAR' as const);
    return {
      key,
      screened: {
        query: { names: [name], variants: [] },
        record: {
          members: { candidates: [] },
          verdict: {
            decision,
            hits: (isListed ? [hit] : []) as unknown as readonly Hit[],
            listVersion: 'v',
            policyVersion: 1,
            references: [],
            rerankerVersion: '2.0.0',
            screeningId: uuidV7(1, systemRandom),
            thresholds: {},
            weights: {},
          },
        },
      },
    };
  };
  const screening: OpenPartyScreening = async () => ({
    remember: ({ key, screened }, since) => {
      const { decision, screeningId } = screened?.record.verdict ?? {};
      if (key === undefined || decision === undefined) return;
      memo.add(key, {
        decision,
        since,
        ...(decision !== 'CLEAR' && { screeningId: screeningId ?? '' }),
      });
    },
    screen: async (transactions) => {
      const outcomes = new Map<string, PartyOutcome>();
      return transactions.map((one) => ({
        parties: partyQueries(one).map(({ query, role }) => {
          if (query === undefined) return { outcome: {}, role };
          const outcome = outcomes.get(query.name) ?? outcomeOf(query.name);
          outcomes.set(query.name, outcome);
          return { outcome, role };
        }),
      }));
    },
    terms: {
      listSet: { listVersion: 'f'.repeat(64), references: [] },
      settings: SETTINGS.defaults.of(screeningSettings),
    },
  });
  return { compared, screening };
}
