/**
 * Prints one digest over what the policy that ships makes of so many clients, for another Node:
 *
 *   riskResults.ts COUNT
 */
import { createHash } from 'node:crypto';
import { canonicalJson } from '#platform/canonicalJson';
import { compilePolicy, resultMembers, SHIPPED } from '#slices/risk';
import { factsOf } from '../../bench/riskFacts.ts';

const count = Number(process.argv[2]);
const evaluate = compilePolicy(SHIPPED);
const hash = createHash('sha256');
for (let n = 0; n < count; n++) hash.update(canonicalJson(resultMembers(evaluate(factsOf(n)))));
process.stdout.write(`${hash.digest('hex')}\n`);
