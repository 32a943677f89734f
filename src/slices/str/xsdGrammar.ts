/**
 * The grammar of an FIU's report, read from its schema: which elements in which order, how often,
 * and what their values must be. It is the part of XML Schema that goAML's schemas use. What it
 * does not know is refused by name, so that no constraint is passed over.
 */
import { DomainError } from '#core/kernel';
import { patternMatcher } from './patternMatch.ts';
import { PatternFault, readPattern } from './patternSyntax.ts';
import type { XsdNode } from './xsdTree.ts';
import { BUILT_INS, type NamedPattern, type ValueRules } from './xsdValues.ts';

/** How often something stands; no `max`: as often as one likes. */
interface Occurrence {
  readonly min: number;
  readonly max: number | undefined;
}

/** An element of the report. */
export interface ElementRule extends Occurrence {
  readonly kind: 'element';
  readonly name: string;
  /** Name of its type; that of a type without a name is the element's. */
  readonly typeName: string;
  readonly type: () => TypeRule;
  readonly fixed?: string;
}

/** Elements one after the other, or one of them. */
export interface GroupRule extends Occurrence {
  readonly kind: 'choice' | 'sequence';
  readonly of: readonly Particle[];
}

/** What may stand in an element. */
export type Particle = ElementRule | GroupRule;

/** What an element holds: elements, or a value. */
export type TypeRule =
  | { readonly kind: 'elements'; readonly content: GroupRule }
  | { readonly kind: 'value'; readonly rules: ValueRules };

/** What a schema says of reports. */
export interface Grammar {
  readonly root: ElementRule;
  /** Codes of each named type that lists them. */
  readonly codes: ReadonlyMap<string, readonly string[]>;
}

const ROOT = 'report';
const IGNORED: ReadonlySet<string> = new Set(['annotation']);

/** Throws `str-profile-invalid` for what goAML's schemas do not use. */
export function readGrammar(schema: XsdNode): Grammar {
  return new GrammarReader(schema).grammar();
}

class GrammarReader {
  readonly #named = new Map<string, XsdNode>();
  readonly #types = new Map<string, TypeRule>();
  readonly #root: XsdNode | undefined;

  constructor(schema: XsdNode) {
    if (schema.attributes.has('targetNamespace')) throw unknown('a target namespace');
    for (const node of partsOf(schema)) {
      const name = nameOf(node);
      if (node.name === 'complexType' || node.name === 'simpleType') this.#named.set(name, node);
      else if (node.name !== 'element') throw unknown(node.name);
    }
    this.#root = schema.children.find((node) => node.name === 'element' && nameOf(node) === ROOT);
  }

  grammar(): Grammar {
    if (this.#root === undefined) throw unknown(`no element ${ROOT}`);
    const root = this.#element(this.#root);
    // All of it is read now, so that nothing of a schema is refused later.
    const seen = new Set<TypeRule>();
    readThrough(root.type(), seen);
    const codes = new Map<string, readonly string[]>();
    for (const [name, type] of this.#types) {
      if (type.kind === 'value' && type.rules.codes.length > 0) codes.set(name, type.rules.codes);
    }
    return { codes, root };
  }

  #element(node: XsdNode): ElementRule {
    const name = nameOf(node);
    if (node.attributes.has('ref') || name === '') throw unknown('an element by reference');
    const given = node.attributes.get('type');
    const inner = partsOf(node)[0];
    const fixed = node.attributes.get('fixed');
    let own: TypeRule | undefined;
    return {
      kind: 'element',
      name,
      type: () => {
        if (given !== undefined) return this.#typeOf(given);
        own ??= inner === undefined ? { kind: 'value', rules: ANY_TEXT } : this.#readType(inner);
        return own;
      },
      typeName: given ?? name,
      ...occurrenceOf(node),
      ...(fixed !== undefined && { fixed }),
    };
  }

  #typeOf(name: string): TypeRule {
    const builtIn = builtInOf(name);
    if (builtIn !== undefined) return { kind: 'value', rules: builtIn };
    const known = this.#types.get(name);
    if (known !== undefined) return known;
    const node = this.#named.get(name);
    if (node === undefined) throw unknown(`the type ${name}, which it does not have`);
    const read = this.#readType(node);
    this.#types.set(name, read);
    return read;
  }

  #readType(node: XsdNode): TypeRule {
    if (node.name === 'simpleType') return { kind: 'value', rules: this.#rules(node) };
    if (node.name !== 'complexType') throw unknown(node.name);
    const [content, second] = partsOf(node);
    if (content === undefined || second !== undefined) throw unknown('a type of several parts');
    if (content.name === 'simpleContent') {
      const base = onlyPart(content, 'extension').attributes.get('base') ?? '';
      return this.#typeOf(base);
    }
    if (content.name === 'complexContent') return this.#extension(onlyPart(content, 'extension'));
    return { content: this.#group(content), kind: 'elements' };
  }

  /** What its base has, and then its own. */
  #extension(node: XsdNode): TypeRule {
    const base = this.#typeOf(node.attributes.get('base') ?? '');
    if (base.kind !== 'elements') throw unknown('an extension of a value');
    const own = partsOf(node).map((part) => this.#group(part));
    const content = { kind: 'sequence', max: 1, min: 1, of: [base.content, ...own] } as const;
    return { content, kind: 'elements' };
  }

  #group(node: XsdNode): GroupRule {
    if (node.name !== 'sequence' && node.name !== 'choice') throw unknown(node.name);
    const occurrence = occurrenceOf(node);
    const isRepeated = occurrence.max === undefined || occurrence.max > 1;
    const of = partsOf(node).map((part) => this.#particle(part));
    if (isRepeated && of.length !== 1) throw unknown('a group that is repeated');
    return { kind: node.name, of, ...occurrence };
  }

  #particle(node: XsdNode): Particle {
    return node.name === 'element' ? this.#element(node) : this.#group(node);
  }

  #rules(node: XsdNode): ValueRules {
    const restriction = onlyPart(node, 'restriction');
    const name = restriction.attributes.get('base') ?? '';
    const base = this.#typeOf(name);
    if (base.kind !== 'value') throw unknown(`a restriction of ${name}`);
    return facetsOf(restriction, base.rules);
  }
}

const ANY_TEXT: ValueRules = { base: 'string', codes: [], patterns: [] };

const COUNTED = ['minLength', 'maxLength', 'fractionDigits'] as const;
const BOUNDS = ['minInclusive', 'maxInclusive'] as const;

function facetsOf(restriction: XsdNode, base: ValueRules): ValueRules {
  const facets: Record<string, unknown> = {};
  const codes: string[] = [];
  const patterns: NamedPattern[] = [];
  for (const { attributes, name } of partsOf(restriction)) {
    const value = attributes.get('value') ?? '';
    if (name === 'enumeration') codes.push(value);
    else if (name === 'pattern') patterns.push(...namedPattern(value));
    else if (COUNTED.some((one) => one === name)) facets[name] = Number(value);
    else if (BOUNDS.some((one) => one === name)) facets[name] = value;
    else if (name !== 'whiteSpace') throw unknown(`the facet ${name}`);
  }
  return {
    ...base,
    ...facets,
    ...(codes.length > 0 && { codes }),
    patterns: patterns.length > 0 ? [...base.patterns, patterns] : base.patterns,
  };
}

/** None where the pattern is beyond mending: its import has told of it, and took it out. */
function namedPattern(source: string): readonly NamedPattern[] {
  try {
    const { branches, text } = readPattern(source);
    return [{ ...patternMatcher(branches), text }];
  } catch (error) {
    if (!(error instanceof PatternFault)) throw error;
    throw unknown(`the pattern ${source}: ${error.message}`);
  }
}

function readThrough(type: TypeRule, seen: Set<TypeRule>): void {
  if (type.kind === 'value' || seen.has(type)) return;
  seen.add(type);
  const walk = (particle: Particle): void => {
    if (particle.kind === 'element') readThrough(particle.type(), seen);
    else for (const one of particle.of) walk(one);
  };
  walk(type.content);
}

const partsOf = ({ children }: XsdNode): readonly XsdNode[] =>
  children.filter(({ name }) => !IGNORED.has(name));

function onlyPart(node: XsdNode, name: string): XsdNode {
  const [first, second] = partsOf(node);
  if (first?.name !== name || second !== undefined) throw unknown(`${node.name} without ${name}`);
  return first;
}

const nameOf = ({ attributes }: XsdNode): string => attributes.get('name') ?? '';

/** A type of the schema language: its names have a prefix, and the schema's own have none. */
function builtInOf(name: string): ValueRules | undefined {
  if (!name.includes(':')) return undefined;
  const rules = BUILT_INS[name.slice(name.indexOf(':') + 1)];
  if (rules === undefined) throw unknown(`the type ${name}`);
  return rules;
}

function occurrenceOf({ attributes }: XsdNode): Occurrence {
  const [min = '1', max = '1'] = [attributes.get('minOccurs'), attributes.get('maxOccurs')];
  return { max: max === 'unbounded' ? undefined : Number(max), min: Number(min) };
}

const unknown = (what: string): DomainError =>
  new DomainError('str-profile-invalid', {
    detail: `the schema has ${what}, which this release does not read`,
  });
