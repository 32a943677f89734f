/** What of ingestion can be asked for and signed later: the changes that are under dual control. */
import type { Approvable, ProposedChange } from '#core/identity';
import { membersOf, recordOf, SANCTIONS_ROLE_PAIR, SCHEDULE_ROLE_PAIR } from '#core/identity';
import { DomainError, type Violation } from '#core/kernel';
import type { SourceFields } from '#slices/ingestion';
import { compileSchema, escapePointer } from '../../../api/validate.ts';
import type { GatewayProcess } from '../../processes.ts';
import { roles } from '../roles.ts';
import { approvableShrink, approvableSource } from './approvableChanges.ts';
import { refuseSandbox } from './listOperators.ts';
import { type ListServiceOptions, listService } from './operations.ts';
import { findRun } from './runs.ts';
import { scheduleChange, scheduleChanges } from './schedule.ts';
import { type PutSchedule, ScheduleMembers, SourceMembers } from './sourceSchemas.ts';
import { sourceToChange } from './sources.ts';

const NEW_VALUE = '/new_value';
const validateSource = compileSchema(SourceMembers);
const validateSchedule = compileSchema(ScheduleMembers);

export const approvals = (process: GatewayProcess): Readonly<Record<string, Approvable>> =>
  listApprovals(process.once(listService));

/** By the kinds of their resources, as slice.ts declares them. */
export const listApprovals = (
  options: ListServiceOptions,
): Readonly<
  Record<'sanctions_list_run' | 'sanctions_schedule' | 'sanctions_source', Approvable>
> => ({
  sanctions_list_run: {
    check: (change) => checkShrink(options, change),
    rolePair: SANCTIONS_ROLE_PAIR,
    roles: roles.change,
  },
  sanctions_schedule: {
    check: (change) => checkSchedule(options, change),
    rolePair: SCHEDULE_ROLE_PAIR,
    roles: roles.administer,
  },
  sanctions_source: {
    check: (change) => checkSource(options, change),
    rolePair: SANCTIONS_ROLE_PAIR,
    roles: roles.change,
  },
});

type Check = (
  options: ListServiceOptions,
  change: ProposedChange,
) => ReturnType<Approvable['check']>;

const checkSource: Check = async (options, { author, id, ...value }) => {
  await options.operators.require(author);
  const fields = membersOf(value) ?? refuseForm();
  const isOne = Object.keys(fields).length === 1;
  refuseAll(validateSource(fields), isOne ? () => NEW_VALUE : (at) => `${NEW_VALUE}${at}`);
  const sourceId = sourceToChange(id, { principal: author });
  const change = { fields: fields as SourceFields, pointer: NEW_VALUE, sourceId };
  return valueAsWhole(isOne, async () => {
    const checked = approvableSource(options, { author, change });
    await checked.show();
    return checked;
  });
};

/** The value of one member is the whole of what was sent: pointers into it end there. */
async function valueAsWhole<Checked>(
  isOne: boolean,
  check: () => Promise<Checked>,
): Promise<Checked> {
  try {
    return await check();
  } catch (error) {
    if (!isOne || !(error instanceof DomainError) || error.violations.length === 0) throw error;
    const violations = error.violations.map((one) => ({ ...one, pointer: NEW_VALUE }));
    throw new DomainError(error.code, { cause: error, detail: error.message, violations });
  }
}

const checkSchedule: Check = async (options, { author, field, newValue }) => {
  await options.operators.require(author);
  const ids = Object.entries(recordOf(field, newValue) ?? refuseForm());
  const schedule = ids.map(([source_id, fields]) => ({ ...asObject(fields), source_id }));
  const pointerOf = (index: number) => `${NEW_VALUE}/${escapePointer(ids[index]?.[0] ?? '')}`;
  refuseAll(validateSchedule(schedule), (at) =>
    at.replace(/^\/(\d+)/, (_, n) => pointerOf(Number(n))),
  );
  const changes = scheduleChanges(
    schedule as PutSchedule['schedule'],
    { principal: author },
    pointerOf,
  );
  const checked = scheduleChange(options, { author, changes });
  await checked.show();
  return checked;
};

const checkShrink: Check = async (options, { author, field, id, newValue }) => {
  await options.operators.require(author);
  if (field !== 'shrink_approved' || newValue !== true) return refuseForm();
  const failed = await findRun(options, id, { principal: author });
  refuseSandbox(author, failed.sourceId);
  const checked = approvableShrink(options, { author, failed });
  await checked.show();
  return checked;
};

const asObject = (value: unknown): object =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : refuseForm();

function refuseForm(): never {
  const detail = 'expected a value of the members that field names';
  const violations = [{ code: 'format', detail, pointer: NEW_VALUE }];
  throw new DomainError('body-invalid', { violations });
}

function refuseAll(violations: readonly Violation[], pointerOf: (pointer: string) => string): void {
  if (violations.length === 0) return;
  throw new DomainError('body-invalid', {
    violations: violations.map((one) => ({ ...one, pointer: pointerOf(one.pointer) })),
  });
}
