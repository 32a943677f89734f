/** Digests by which the chain holds what rules have found. */
import { canonicalJson } from '#platform/canonicalJson';
import { sha256Hex } from '#platform/crypto';
import { leafHash, merkleRoot } from '#platform/merkleTree';
import type { RuleResult, StoredRuleAlert } from './tables.ts';

/** RFC 6962 root over what came of each transaction that met a rule. */
export const resultsRoot = ({ hits }: Pick<RuleResult, 'hits'>): string =>
  merkleRoot(
    hits.map(([tseq, advice, alerts]) =>
      leafHash(canonicalJson({ advice, alerts, tseq, version: 1 })),
    ),
  ).toString('hex');

/** SHA-256 hex of an alert of a rule as it is stored. */
export const storedDigest = (stored: StoredRuleAlert): string =>
  sha256Hex(`rule-alert-v1\0${canonicalJson(stored)}`);
