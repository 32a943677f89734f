/**
 * Joins the questions of slices to their answers: a port to a slice on the right of all that ask
 * it, or to its fallback; an adapter to a module beside the slices. Every mistake is found at the
 * start: a name that no slice asks, that is answered twice or from the left, or that has no
 * adapter.
 */
import assert from 'node:assert/strict';
import type { Adapter, Answers, Port, Question, SliceData } from '#core/kernel';
import type { SliceProcess } from '../slices/processes.ts';

type Load = () => Promise<object>;
type AnyPort = Port<Question, never>;

/** The answers in a process. */
export interface Joined {
  ask<Asked extends Question>(port: Port<Asked, SliceProcess>, process: SliceProcess): Asked;
  need<Asked extends Question>(adapter: Adapter<Asked>): Asked;
}

/** Throws where the declarations do not fit together. */
export function joinAnswers(slices: readonly SliceData[], adapters: Answers): Joined {
  const answerers = joinPorts(slices);
  const beside = joinAdapters(slices, adapters);
  return {
    ask: (port, process) => {
      assert(answerers.has(port as AnyPort), 'a slice declares what it asks');
      const answerer = answerers.get(port as AnyPort);
      if (answerer === undefined) return port.fallback(process);
      const { load, name } = answerer;
      return later(async () =>
        exported<(of: SliceProcess) => Question>(await load(), name)(process),
      );
    },
    need: (adapter) => {
      const found = beside.get(adapter);
      assert(found !== undefined, 'a slice declares what it needs');
      return later(async () => exported(await found.load(), found.name));
    },
  };
}

interface Answerer {
  readonly name: string;
  readonly load: Load;
}

function joinPorts(slices: readonly SliceData[]): Map<AnyPort, Answerer | undefined> {
  const ports = named(slices, ({ asks }) => asks);
  const joined = new Map<AnyPort, Answerer | undefined>();
  for (const { declared } of ports.values()) joined.set(declared, undefined);
  for (const [place, { answers = {}, name: slice }] of slices.entries()) {
    for (const [name, load] of Object.entries(answers)) {
      const asked = ports.get(name);
      assert(asked !== undefined, `${slice} answers ${name}, which no slice asks`);
      assert(
        asked.lastPlace < place,
        `${slice} answers ${name}, which is asked by itself or on its right`,
      );
      assert(joined.get(asked.declared) === undefined, `${name} is answered twice`);
      joined.set(asked.declared, { load, name });
    }
  }
  return joined;
}

function joinAdapters(
  slices: readonly SliceData[],
  adapters: Answers,
): Map<Adapter<Question>, Answerer> {
  const needed = named(slices, ({ needs }) => needs);
  for (const name of Object.keys(adapters)) {
    assert(needed.has(name), `no slice needs the adapter ${name}`);
  }
  return new Map(
    [...needed].map(([name, { declared }]) => {
      const load = adapters[name];
      assert(load !== undefined, `there is no adapter ${name}`);
      return [declared, { load, name }];
    }),
  );
}

interface Named<Declared> {
  readonly declared: Declared;
  /** Place of the rightmost slice that declares it. */
  readonly lastPlace: number;
}

/** A name is one declaration, whichever slices have it. */
function named<Declared>(
  slices: readonly SliceData[],
  of: (slice: SliceData) => Readonly<Record<string, Declared>> | undefined,
): Map<string, Named<Declared>> {
  const found = new Map<string, Named<Declared>>();
  for (const [lastPlace, slice] of slices.entries()) {
    for (const [name, declared] of Object.entries(of(slice) ?? {})) {
      const known = found.get(name);
      assert(known === undefined || known.declared === declared, `${name} is declared twice`);
      found.set(name, { declared, lastPlace });
    }
  }
  return found;
}

/** Loaded by the first call, for all that follow; one that fails is tried again by the next. */
function later<Asked extends Question>(load: () => Promise<Question>): Asked {
  let loading: Promise<Question> | undefined;
  const asked = async (...given: never[]): Promise<unknown> => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return (await loading)(...given);
  };
  return asked as Asked;
}

function exported<Made>(module: object, name: string): Made {
  const made = (module as Readonly<Record<string, unknown>>)[name];
  assert(typeof made === 'function', `expected a module that exports ${name}`);
  return made as Made;
}
