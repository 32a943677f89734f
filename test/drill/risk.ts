/**
 * Risk policies, a million of them: what the formula makes of random policies and facts is what a
 * second implementation does, higher points never lower a level, overrides only raise, and other
 * versions of Node (OTHER_NODES: paths of binaries, separated by colons) give the same bytes.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { isDeepStrictEqual, promisify } from 'node:util';
import fc from 'fast-check';
import { compilePolicy, type Facts, LEVELS, type Level, type RiskContent } from '#slices/risk';
import { raise, randomFacts, randomPolicy } from '../slices/risk/randomPolicies.ts';
import { secondFormula } from '../slices/risk/secondFormula.ts';
import { type DrillOptions, type DrillRow, Findings } from './row.ts';

const run = promisify(execFile);
const RESULTS = join(import.meta.dirname, 'riskResults.ts');
const SIZES = {
  short: { evaluations: 2_000, pairs: 1_000 },
  whole: { evaluations: 100_000, pairs: 1_000_000 },
} as const;
const FACTS_A_POLICY = 10;
/** Another seed each time: a drill that meets the same million again learns nothing. */
const SEEDS = 2 ** 31;

export async function risk({ isShort }: DrillOptions): Promise<readonly DrillRow[]> {
  const findings = new Findings('risk', { isShort });
  const { evaluations, pairs } = SIZES[isShort ? 'short' : 'whole'];
  const { compared, differences, seed } = comparedWithSecond(pairs);
  for (const [asked, found] of Object.entries(differences)) {
    const told = `${compared.toLocaleString('en')} policies × facts, seed ${seed}`;
    findings.judge(asked, `${told}; ${found ?? 'no difference'}`, found === undefined);
  }
  await replayed(findings, evaluations);
  return findings.rows;
}

const rank = (level: Level): number => LEVELS.indexOf(level);

/** The first difference of each kind. */
function comparedWithSecond(pairs: number) {
  const differences: Record<string, string | undefined> = {
    'a second implementation comes to the same': undefined,
    'higher points lower nothing': undefined,
    'overrides only raise': undefined,
  };
  const seed = Math.floor(Math.random() * SEEDS);
  let compared = 0;
  const all = fc.array(randomFacts, { maxLength: FACTS_A_POLICY, minLength: FACTS_A_POLICY });
  const more = fc.integer({ max: 100, min: 1 });
  const property = fc.property(randomPolicy, all, fc.nat(), more, (content, facts, nth, up) => {
    const judged = judgeOf(content, { nth, up });
    for (const one of facts) {
      compared += 1;
      for (const asked of judged(one)) {
        differences[asked] ??= JSON.stringify({ content, facts: one, nth, up });
      }
    }
  });
  fc.assert(property, { numRuns: Math.ceil(pairs / FACTS_A_POLICY), seed });
  return { compared, differences, seed };
}

/** Says what does not hold of facts. */
function judgeOf(content: RiskContent, { nth, up }: { readonly nth: number; readonly up: number }) {
  const evaluate = compilePolicy(content);
  const factors = content.factors.map(raise(nth, up));
  const raised = compilePolicy({ ...content, factors });
  const bare = compilePolicy({ ...content, overrides: [] });
  return (facts: Facts): readonly string[] => {
    const own = evaluate(facts);
    const higher = raised(facts);
    const second = secondFormula(content, facts);
    const told = {
      byScore: own.level_by_score,
      dimensions: Object.fromEntries(own.dimensions.map((one) => [one.name, one.score])),
      fired: own.overrides.map(({ id }) => id),
      level: own.level,
      missing: own.missing,
      score: own.score,
    };
    const isLower = higher.score < own.score || rank(higher.level) < rank(own.level);
    return [
      ...(isDeepStrictEqual(told, second) ? [] : ['a second implementation comes to the same']),
      ...(isLower ? ['higher points lower nothing'] : []),
      ...(rank(own.level) < rank(bare(facts).level) ? ['overrides only raise'] : []),
    ];
  };
}

async function replayed(findings: Findings, count: number): Promise<void> {
  const digestBy = async (node: string) => {
    const words = ['-p', 'process.version'];
    const version = (await run(node, words)).stdout.trim();
    return { digest: (await run(node, [RESULTS, String(count)])).stdout.trim(), version };
  };
  const own = await digestBy(process.execPath);
  const asked = `${count.toLocaleString('en')} evaluations are the same bytes on another Node`;
  const others = (process.env.OTHER_NODES ?? '').split(':').filter((one) => one !== '');
  if (others.length === 0) findings.tell(asked, `${own.version} alone: OTHER_NODES is not set`);
  for (const node of others) {
    const { digest, version } = await digestBy(node);
    const told = `${own.version} ${own.digest.slice(0, 12)}, ${version} ${digest.slice(0, 12)}`;
    findings.judge(asked, told, digest === own.digest);
  }
}
