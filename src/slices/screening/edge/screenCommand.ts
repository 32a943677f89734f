/**
 * `screen`: one name against the lists in force, on this machine's own engine, with the evidence
 * and the policy of `/v1/aml/screen`. With `--explain` an analyst sees in one look why each hit is
 * one.
 */
import type { Static } from 'typebox';
import type { Tenant } from '#core/identity';
import { DomainError } from '#core/kernel';
import type { HitExplanation } from '#slices/screening';
import { compileSchema } from '../../../api/validate.ts';
import { EXIT, type Given, UsageError } from '../../../cli/command.ts';
import { printable } from '../../../cli/output.ts';
import type { CliProcess, SliceCommand } from '../../processes.ts';
import { policyInForce } from '../asks.ts';
import { screeningPartsOfCommand } from '../screeningParts.ts';
import { policyOfBatches } from '../settings.ts';
import { parseScreenBody, ScreenBody, type ScreeningResult } from './schemas.ts';

type Result = Static<typeof ScreeningResult>;
type ShownHit = Result['hits'][number];
const SCORE_DECIMALS = 4;
/** The command line has no rate limits. */
const NOTHING_TO_PAY = { charge: async () => undefined };

export const runScreen: SliceCommand['run'] = async ({ actor, clock, open, output }, given) => {
  const startedAtMs = clock.monotonicMs();
  const query = parseScreenBody(bodyOf(given));
  const subjectRef = given.optional('subject');
  if (given.isSet('monitor') && subjectRef === undefined) {
    throw new UsageError('--monitor: expected with --subject');
  }
  const process = await open();
  const tenant = await tenantOf(process, given.optional('tenant'));
  const policy = await process.ask(policyInForce)(tenant.id);
  const { screening: service } = await screeningPartsOfCommand(process, (text) =>
    output.error(text),
  );
  const lists = given.optional('lists')?.split(',');
  const answer = await service.screen({
    ...(given.isSet('explain') && { explained: NOTHING_TO_PAY }),
    pointers: { lists: '/lists', name: '/name' },
    query,
    requestedBy: actor,
    sandbox: tenant.kind === 'sandbox',
    settings: policyOfBatches(policy),
    startedAtMs,
    tenantId: tenant.id,
    ...(subjectRef !== undefined && { subjectRef }),
    ...(given.isSet('monitor') && { monitored: { actor } }),
    ...(lists !== undefined && { lists }),
  });
  const result = JSON.parse(answer) as Result;
  output.result(result, shownResult(result));
  return EXIT.done;
};

/** Members of the body by the options that give them; the name stands by itself. */
const MEMBERS = {
  dob: 'dob',
  nationality: 'nationality',
  subject: 'subject_ref',
  type: 'type',
} as const;

const violationsOf = compileSchema(ScreenBody);

function bodyOf(given: Given): Static<typeof ScreenBody> {
  const members = Object.entries(MEMBERS).flatMap(([option, name]) => {
    const value = given.optional(option);
    return value === undefined ? [] : [[name, value] as const];
  });
  const name = given.positionals[0] ?? '';
  const body: Partial<Static<typeof ScreenBody>> = { name, ...Object.fromEntries(members) };
  const [first] = violationsOf(body);
  if (first !== undefined) {
    const member = first.pointer.slice(1);
    const option = Object.entries(MEMBERS).find(([, name]) => name === member)?.[0];
    throw new UsageError(`${option === undefined ? 'NAME' : `--${option}`}: ${first.detail}`);
  }
  return body as Static<typeof ScreenBody>;
}

async function tenantOf({ tenants }: CliProcess, id: string | undefined): Promise<Tenant> {
  const all = await tenants.list();
  const [only, another] = id === undefined ? all : all.filter((tenant) => tenant.id === id);
  if (only === undefined && id !== undefined) {
    throw new DomainError('not-found', { detail: 'no such tenant' });
  }
  if (only !== undefined && another === undefined) return only;
  throw new UsageError(`--tenant ID is missing: there are ${all.length} tenants`);
}

/** The answer as text. */
export function shownResult(result: Result): string {
  const { audit, decision, hits, reranker_version } = result;
  const count = `${hits.length} ${hits.length === 1 ? 'hit' : 'hits'}`;
  return [
    `${decision}, ${count}, re-ranker ${reranker_version}`,
    `event ${audit.seq} ${audit.hash}`,
    ...hits.flatMap((hit, at) => ['', ...shownHit(hit, at + 1)]),
  ].join('\n');
}

function shownHit({ candidate, directScore, explanation, typology }: ShownHit, rank: number) {
  const { citizenships, countries, dates_of_birth, ftm_id, matched_name, programmes } = candidate;
  const source = candidate.source_lists_hits[0]?.list ?? '';
  const facts = [
    ...(dates_of_birth ?? []).map((date) => `born ${date}`),
    ...new Set([...(citizenships ?? []), ...(countries ?? [])]),
    ...(programmes ?? []),
  ];
  const alias = matched_name === candidate.primary_name ? '' : `, found by ${matched_name}`;
  return [
    `${rank}  ${directScore.toFixed(SCORE_DECIMALS)}  ${typology}`,
    `   ${printable(candidate.primary_name)} (${source} ${ftm_id}${printable(alias)})`,
    ...(facts.length === 0 ? [] : [`   ${printable(facts.join(', '))}`]),
    ...(explanation ? shownExplanation(explanation) : []),
  ];
}

const signed = (z: number): string => `${z < 0 ? '−' : '+'}${Math.abs(z).toFixed(SCORE_DECIMALS)}`;

function shownExplanation({ left_over, score, terms, words, z }: HitExplanation): string[] {
  const width = (texts: readonly string[]) => Math.max(0, ...texts.map(({ length }) => length));
  const left = width(words.map(({ query }) => query));
  const right = width(words.map(({ entry }) => entry));
  const term = width(terms.map((line) => line.term));
  const rest = (['query', 'entry'] as const)
    .filter((side) => left_over[side].length > 0)
    .map((side) => `   left over in the ${side}: ${left_over[side].join(' ')}`);
  return [
    ...words.map(
      ({ entry, query, reason, similarity }) =>
        `   ${query.padEnd(left)}  ${entry.padEnd(right)}  ${reason}` +
        (similarity === 1 ? '' : ` ${similarity}`),
    ),
    ...rest,
    ...terms.map((line) => `     ${line.term.padEnd(term)}  ${signed(line.z).padStart(9)}`),
    `     ${'z'.padEnd(term)}  ${signed(z).padStart(9)}` +
      `  a score of ${score.toFixed(SCORE_DECIMALS)}`,
  ];
}
