/**
 * Writes a report as an FIU's schema has it: its elements, in its order, of what is known. Where
 * the schema gives a choice, the way is taken that the facts fit best. What is missing or does not
 * fit is a fault with a pointer into the draft, and nothing is cut, guessed or left out for it.
 */
import type { Fact, FactNode, Leaf } from './facts.ts';
import { placesOf, wantedAt } from './facts.ts';
import type { ElementRule, Grammar, GroupRule, Particle, TypeRule } from './xsdGrammar.ts';
import { type ValueFault, valueFault } from './xsdValues.ts';

/** Why a draft is no report that the schema takes. */
export interface ReportFault {
  readonly pointer: string;
  readonly code: 'missing' | 'too-many' | ValueFault['code'];
  readonly detail: string;
}

/** A value that stands in the report otherwise than in the draft. */
export interface AdaptedValue {
  readonly pointer: string;
  readonly element: string;
  readonly text: string;
}

/** What the FIU's own words are, and what it wants where nothing is known. */
export interface WriterWords {
  /** By type of the schema: our word, and its code. */
  readonly codes: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** By `type.element`, or by element: the value of a mandatory element without a fact. */
  readonly defaults: Readonly<Record<string, string>>;
}

/** A report, whole or with what it lacks. */
export interface WrittenReport {
  readonly xml: string;
  readonly faults: readonly ReportFault[];
  readonly adapted: readonly AdaptedValue[];
  /** Places of the draft for which the schema has no element. */
  readonly omitted: readonly string[];
}

interface Written {
  readonly xml: string;
  readonly faults: readonly ReportFault[];
  readonly adapted: readonly AdaptedValue[];
  readonly used: readonly string[];
}

const NOTHING: Written = { adapted: [], faults: [], used: [], xml: '' };
const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';

/** `about` is a comment that stands before the report. */
export function writeReport(
  grammar: Grammar,
  facts: FactNode,
  { about, words }: { readonly about?: string; readonly words: WriterWords },
): WrittenReport {
  const writer = new ReportWriter(words);
  const { adapted, faults, used, xml } = writer.root(grammar.root, facts);
  const known = new Set(used);
  const comment = about === undefined ? '' : `<!-- ${about} -->\n`;
  return {
    adapted,
    faults,
    omitted: [...placesOf([facts])].filter((place) => !known.has(place)),
    xml: `${DECLARATION}${comment}${xml}\n`,
  };
}

class ReportWriter {
  readonly #words: WriterWords;
  readonly #written = new Map<FactNode, Map<TypeRule, Written>>();

  constructor(words: WriterWords) {
    this.#words = words;
  }

  root(rule: ElementRule, facts: FactNode): Written {
    return this.#elements([facts], { parent: facts, rule, typeName: '' });
  }

  #particle(particle: Particle, of: FactNode, typeName: string): Written {
    if (particle.kind === 'element') {
      const facts = of.members[particle.name] ?? [];
      return this.#elements(facts, { parent: of, rule: particle, typeName });
    }
    if (particle.max === 0) return NOTHING;
    if (particle.min === 0 && !hasFacts(particle, of)) return NOTHING;
    if (particle.kind === 'choice') return this.#choice(particle, of, typeName);
    return joined(particle.of.map((one) => this.#particle(repeated(one, particle), of, typeName)));
  }

  /** Ways without a fact are no ways; where there is none at all, all that could stand is told. */
  #choice(choice: GroupRule, of: FactNode, typeName: string): Written {
    const given = choice.of.filter((one) => hasFacts(one, of));
    const known = given.length > 0 ? of : byOtherNames(choice, of);
    const ways = choice.of.filter((one) => hasFacts(one, known));
    const [first, ...others] = ways.map((one) => this.#particle(one, known, typeName));
    if (first !== undefined) return others.reduce(better, first);
    const byDefault = choice.of.find((one) => one.kind === 'element' && this.#has(one, typeName));
    if (byDefault !== undefined) return this.#particle(byDefault, of, typeName);
    const names = choice.of.flatMap(namesIn);
    const pointer = wantedAt(of, names.find((name) => name in of.wanted) ?? '');
    return missing(pointer, `expected one of ${names.join(', ')}`);
  }

  #elements(
    facts: readonly Fact[],
    of: { readonly rule: ElementRule; readonly parent: FactNode; readonly typeName: string },
  ): Written {
    const { parent, rule, typeName } = of;
    if (rule.max === 0) return NOTHING;
    const written = facts.map((fact) => this.#element(rule, fact));
    const max = rule.max ?? Number.POSITIVE_INFINITY;
    if (facts.length > max) {
      const detail = `expected at most ${max} ${rule.name}, got ${facts.length}`;
      const pointer = facts[max]?.at ?? parent.at;
      return joined([...written, fault({ code: 'too-many', detail, pointer })]);
    }
    if (facts.length >= rule.min) return joined(written);
    const known = this.#default(rule, typeName);
    if (known !== undefined && facts.length === 0) {
      return this.#element(rule, { at: '', kind: 'leaf', texts: [known] });
    }
    return joined([...written, missing(wantedAt(parent, rule.name), `expected ${rule.name}`)]);
  }

  #element(rule: ElementRule, fact: Fact): Written {
    const type = rule.type();
    if (fact.kind === 'node') {
      if (type.kind === 'value') return NOTHING;
      const inner = this.#inner(type, fact, rule.typeName);
      // The schema takes nothing of what is known, and the element may be left out.
      if (inner.xml === '' && inner.faults.length === 0 && rule.min === 0) return inner;
      return { ...inner, xml: `<${rule.name}>${inner.xml}</${rule.name}>` };
    }
    return type.kind === 'value' ? this.#value(rule, fact, type.rules) : NOTHING;
  }

  /** A party stands in every transaction: what it holds is written once. */
  #inner(type: Extract<TypeRule, { kind: 'elements' }>, fact: FactNode, typeName: string): Written {
    const known = this.#written.get(fact) ?? new Map<TypeRule, Written>();
    this.#written.set(fact, known);
    const before = known.get(type);
    if (before !== undefined) return before;
    const inner = this.#particle(type.content, fact, typeName);
    known.set(type, inner);
    return inner;
  }

  #value(rule: ElementRule, fact: Leaf, rules: Parameters<typeof valueFault>[0]): Written {
    const codes = this.#words.codes[rule.typeName] ?? this.#words.codes[rule.name] ?? {};
    const texts = fact.texts.map((text) => codes[text] ?? text);
    const faults = texts.map((text) => this.#fixedFault(rule, text) ?? valueFault(rules, text));
    const place = faults.indexOf(undefined);
    const text = texts[place];
    if (text === undefined) {
      const [first] = faults;
      const detail = `${rule.name}: ${first?.detail ?? 'expected a value'}`;
      return fault({ code: first?.code ?? 'format', detail, pointer: fact.at });
    }
    const isAdapted = fact.given !== undefined && fact.given !== text && fact.at !== '';
    return {
      adapted: isAdapted ? [{ element: rule.name, pointer: fact.at, text }] : [],
      faults: [],
      used: fact.at === '' ? [] : [fact.at],
      xml: `<${rule.name}>${escaped(text)}</${rule.name}>`,
    };
  }

  #fixedFault({ fixed }: ElementRule, text: string): ValueFault | undefined {
    if (fixed === undefined || fixed === text) return undefined;
    return { code: 'format', detail: `expected ${fixed}` };
  }

  #default({ fixed, name }: ElementRule, typeName: string): string | undefined {
    const { defaults } = this.#words;
    return defaults[`${typeName}.${name}`] ?? defaults[name] ?? fixed;
  }

  #has(rule: ElementRule, typeName: string): boolean {
    return this.#default(rule, typeName) !== undefined;
  }
}

/** What stands in a repeated group of one may stand as often. */
const repeated = (one: Particle, { max }: GroupRule): Particle =>
  max === 1 ? one : { ...one, max };

/** Members under the other names that the choice has for them. */
function byOtherNames(choice: GroupRule, of: FactNode): FactNode {
  const { members, otherwise = {} } = of;
  const named = choice.of.flatMap(namesIn).flatMap((name): [string, readonly Fact[]][] => {
    const facts = members[otherwise[name] ?? ''];
    return facts === undefined ? [] : [[name, facts]];
  });
  return { ...of, members: { ...members, ...Object.fromEntries(named) } };
}

const namesIn = (particle: Particle): readonly string[] =>
  particle.kind === 'element' ? [particle.name] : particle.of.flatMap(namesIn);

const hasFacts = (particle: Particle, of: FactNode): boolean =>
  particle.kind === 'element'
    ? particle.max !== 0 && (of.members[particle.name]?.length ?? 0) > 0
    : particle.of.some((one) => hasFacts(one, of));

/** Fewer faults, then more of what is known; else the schema's first. */
function better(one: Written, other: Written): Written {
  if (one.faults.length !== other.faults.length) {
    return other.faults.length < one.faults.length ? other : one;
  }
  return other.used.length > one.used.length ? other : one;
}

const joined = (parts: readonly Written[]): Written => ({
  adapted: parts.flatMap(({ adapted }) => adapted),
  faults: parts.flatMap(({ faults }) => faults),
  used: parts.flatMap(({ used }) => used),
  xml: parts.map(({ xml }) => xml).join(''),
});

const fault = (of: ReportFault): Written => ({ ...NOTHING, faults: [of] });
const missing = (pointer: string, detail: string): Written =>
  fault({ code: 'missing', detail, pointer });

/** A carriage return would be read as a line end: it is written as a reference. */
const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('\r', '&#13;');
