/**
 * Schemas compiled once. A refusal lists all faults of a value, not just the first (decisions 1.5).
 * A violation says where, which kind, and what was expected, never what came.
 *
 * The happy path is one generated function. Only a refusal pays for the walk that finds the faults.
 */
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import type { TLocalizedValidationError } from 'typebox/error';
import { Settings } from 'typebox/system';
import { patternFault, type Violation } from '#core/kernel';
import { VIOLATIONS_MAX } from '#platform/limits';

// Room for the lines that are folded below: a union reports each of its branches.
Settings.Set({ maxErrors: VIOLATIONS_MAX * 4 });

/** Empty: the value fits. Pointers are RFC 6901, at most VIOLATIONS_MAX of them. */
export type Validate = (value: unknown) => readonly Violation[];

const NONE: readonly Violation[] = [];
/**
 * Characters of a pointer. A member's name is the caller's own text, and a longer one is no help.
 */
const POINTER_CHARS_MAX = 200;

export function compileSchema(schema: TSchema): Validate {
  const validator = Compile(schema);
  return (value) =>
    validator.Check(value) ? NONE : explain({ schema, value }, validator.Errors(value));
}

type Fault = TLocalizedValidationError;

/** A checked value and its validator. */
interface Checked {
  readonly schema: TSchema;
  readonly value: unknown;
}

function explain(checked: Checked, faults: readonly Fault[]): readonly Violation[] {
  const unions = faults.flatMap((fault) => unionOf(checked, fault) ?? []);
  const found = new Map<string, Violation>();
  for (const fault of faults) {
    if (isInsideUnion(fault, unions)) continue;
    for (const violation of present(checked, fault)) {
      found.set(`${violation.pointer} ${violation.code}`, violation);
    }
    if (found.size >= VIOLATIONS_MAX) break;
  }
  return [...found.values()].slice(0, VIOLATIONS_MAX);
}

/** A union that a value did not fit. */
interface Union {
  readonly fault: Fault;
  /** Where its branches are. */
  readonly path: string;
  /** The branch that the caller meant; absent where nobody can say. */
  readonly meant?: string;
}

function unionOf({ schema, value }: Checked, fault: Fault): Union | undefined {
  const { instancePath, keyword, schemaPath } = fault;
  if (keyword !== 'anyOf' && keyword !== 'oneOf') return undefined;
  const path = `${schemaPath}/${keyword}`;
  const branches = partAt(schema, path);
  const at = partAt(value, instancePath);
  const isOfOne = Array.isArray(branches) && isRecord(at) && !Array.isArray(at);
  const fitting = isOfOne ? [...branches.keys()].filter((one) => isMeant(branches[one], at)) : [];
  return { fault, path, ...(fitting.length === 1 && { meant: `${path}/${fitting[0]}` }) };
}

/** Whether a branch is of objects, and of the constants that the value has. */
function isMeant(branch: unknown, value: Readonly<Record<string, unknown>>): boolean {
  if (!isRecord(branch) || branch.type !== 'object') return false;
  const properties = isRecord(branch.properties) ? Object.entries(branch.properties) : [];
  return properties.every(
    ([name, one]) => !isRecord(one) || !('const' in one) || one.const === value[name],
  );
}

/**
 * Each branch of a union that did not fit says why. Where the caller meant one of them its lines
 * are told, each with the member that it is about; else the union's own line says it for all.
 */
function isInsideUnion(fault: Fault, unions: readonly Union[]): boolean {
  return unions.some((union) => {
    if (union.fault === fault) return union.meant !== undefined;
    const { meant, path } = union;
    if (!fault.schemaPath.startsWith(`${path}/`)) return false;
    return meant === undefined || !`${fault.schemaPath}/`.startsWith(`${meant}/`);
  });
}

function present({ schema, value }: Checked, fault: Fault): Violation[] {
  const pointer = fault.instancePath;
  switch (fault.keyword) {
    case 'required':
      return fault.params.requiredProperties.map((name) =>
        violation(`${pointer}/${escapePointer(name)}`, 'missing', 'required'),
      );
    case 'boolean':
      return [violation(pointer, 'unknown-member', 'not a member of this object')];
    case 'additionalProperties':
      return []; // One `boolean` line per member came before this summary.
    case 'type':
      return [violation(pointer, 'type', `expected ${[fault.params.type].flat().join(' or ')}`)];
    case 'anyOf':
    case 'oneOf':
      return [explainUnion(pointer, partAt(schema, fault.schemaPath), fault.keyword)];
    case 'const':
      return [
        violation(pointer, 'format', `expected ${JSON.stringify(fault.params.allowedValue)}`),
      ];
    case 'enum':
      return [violation(pointer, 'format', oneOf(fault.params.allowedValues))];
    case 'pattern': {
      const at = partAt(schema, fault.schemaPath);
      const { code, detail } = patternFault(at, partAt(value, pointer));
      return [violation(pointer, code, detail)];
    }
    default:
      return [explainBound(pointer, fault)];
  }
}

function explainBound(pointer: string, fault: Fault): Violation {
  switch (fault.keyword) {
    case 'maxLength':
      return violation(pointer, 'too-long', `expected at most ${fault.params.limit} characters`);
    case 'maxItems':
      return violation(pointer, 'too-long', `expected at most ${fault.params.limit} items`);
    case 'maxProperties':
      return violation(pointer, 'too-long', `expected at most ${fault.params.limit} members`);
    case 'minLength':
      return violation(pointer, 'range', `expected at least ${fault.params.limit} characters`);
    case 'minItems':
      return violation(pointer, 'range', `expected at least ${fault.params.limit} items`);
    case 'minProperties':
      return violation(pointer, 'range', `expected at least ${fault.params.limit} members`);
    case 'minimum':
    case 'exclusiveMinimum':
    case 'maximum':
    case 'exclusiveMaximum':
      return violation(
        pointer,
        'range',
        `expected ${fault.params.comparison} ${fault.params.limit}`,
      );
    case 'multipleOf':
      return violation(pointer, 'range', `expected a multiple of ${fault.params.multipleOf}`);
    case 'format':
      return violation(pointer, 'format', `expected a ${fault.params.format}`);
    case 'uniqueItems':
      return violation(pointer, 'format', 'expected no item twice');
    default:
      return violation(pointer, 'format', `expected to satisfy ${fault.keyword}`);
  }
}

function explainUnion(pointer: string, at: unknown, keyword: 'anyOf' | 'oneOf'): Violation {
  const branches = isRecord(at) && Array.isArray(at[keyword]) ? at[keyword].filter(isRecord) : [];
  const allowed = branches.flatMap((branch) => ('const' in branch ? [branch.const] : []));
  if (allowed.length > 0 && allowed.length === branches.length) {
    return violation(pointer, 'format', oneOf(allowed));
  }
  const types = branches.flatMap((branch) => ('type' in branch ? [String(branch.type)] : []));
  return violation(
    pointer,
    'type',
    `expected ${types.join(' or ') || 'one of the forms described'}`,
  );
}

function oneOf(allowed: readonly unknown[]): string {
  return `expected one of ${allowed.map((value) => JSON.stringify(value)).join(', ')}`;
}

/** `#/properties/k` into a schema, `/k` into a value; undefined where the path leads out of it. */
function partAt(whole: unknown, path: string): unknown {
  const steps = path.split('/').slice(1).map(unescapePointer);
  return steps.reduce<unknown>((at, step) => (isRecord(at) ? at[step] : undefined), whole);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function violation(pointer: string, code: string, detail: string): Violation {
  return { code, detail, pointer: pointer.slice(0, POINTER_CHARS_MAX) };
}

/** RFC 6901, section 3. */
export function escapePointer(member: string): string {
  return member.replaceAll('~', '~0').replaceAll('/', '~1');
}

function unescapePointer(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}
