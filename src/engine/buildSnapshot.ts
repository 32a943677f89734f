/**
 * List entities → snapshot. Deterministic: the same entities give the same bytes, on any host,
 * since ids come sorted, tokens are ordered by hash and text, and nothing depends on time or on map
 * order.
 *
 * Every published name gives one form in its own script and, where that is not Latin, a romanised
 * one: OFAC publishes in Latin only, other lists in both, and queries come in either.
 */
import { nationCodeOf, SCHEMA_CODE } from './attributeCodes.ts';
import { parseDateSpan } from './dateDistance.ts';
import { foldName, listForms } from './foldName.ts';
import { bytes, integers, shorts, words } from './growingArray.ts';
import { buildLookups } from './lookups.ts';
import { nameCore } from './nameWords.ts';
import type { IndexEntity } from './ports.ts';
import {
  ENTITY_CODED,
  ENTITY_PRIMARY_CODED,
  FORM_CODED,
  FORM_CORE_STARTS,
  FORM_LEGAL_MAX,
  FORM_LEGAL_SHIFT,
  FORM_PRIMARY,
  type Snapshot,
  writeSnapshot,
} from './snapshotFormat.ts';
import { describeToken } from './tokenFacts.ts';
import { TokenTable } from './tokenTable.ts';

const encoder = new TextEncoder();

/** Whose name is added, and its forms so far. */
interface NameOwner {
  readonly entity: number;
  readonly primary: boolean;
  readonly schema: IndexEntity['schema'];
  readonly seen: Set<string>;
}

class SnapshotBuilder {
  readonly #tokens = new TokenTable();
  readonly #entitySchema = bytes();
  readonly #entityCategories = bytes();
  readonly #entityFlags = bytes();
  readonly #entityFirstForm = words();
  readonly #entityFirstDate = words();
  readonly #entityFirstNation = words();
  readonly #idStart = words();
  readonly #idBytes = bytes();
  readonly #cardStart = words();
  readonly #cardBytes = bytes();
  readonly #dateFrom = integers();
  readonly #dateTo = integers();
  readonly #nationCode = shorts();
  readonly #nameStart = words();
  readonly #nameBytes = bytes();
  readonly #formName = words();
  readonly #formFlags = bytes();
  readonly #formFirstToken = words();
  readonly #formToken = words();
  readonly #formFacts = shorts();

  add(entity: IndexEntity): void {
    const index = this.#entitySchema.length;
    this.#entitySchema.push(SCHEMA_CODE[entity.schema]);
    this.#entityCategories.push(entity.categories);
    this.#entityFirstForm.push(this.#formName.length);
    this.#entityFirstDate.push(this.#dateFrom.length);
    this.#entityFirstNation.push(this.#nationCode.length);
    this.#idStart.push(this.#idBytes.length);
    this.#idBytes.pushAll(encoder.encode(entity.id));
    this.#cardStart.push(this.#cardBytes.length);
    this.#cardBytes.pushAll(encoder.encode(entity.card));
    let flags = 0;
    const { schema } = entity;
    const seen = new Set<string>();
    entity.names.forEach((name, order) => {
      flags |= this.#addName(name, { entity: index, primary: order === 0, schema, seen });
    });
    this.#entityFlags.push(flags);
    this.#addAttributes(entity);
  }

  #addAttributes(entity: IndexEntity): void {
    for (const text of entity.datesOfBirth) {
      const span = parseDateSpan(text);
      if (span === undefined) continue;
      this.#dateFrom.push(span.from);
      this.#dateTo.push(span.to);
    }
    const codes = new Set(entity.nationalities.map(nationCodeOf).filter((code) => code !== 0));
    this.#nationCode.pushAll([...codes]);
  }

  #addName(name: string, of: NameOwner): number {
    const folded = foldName(name, of.schema === 'Person' ? 'person' : 'entity');
    const nameIndex = this.#nameStart.length;
    let flags = 0;
    let forms = 0;
    for (const form of listForms(folded)) {
      if (form === '' || of.seen.has(form)) continue;
      of.seen.add(form);
      flags |= this.#addForm(form, { ...of, nameIndex });
      forms += 1;
    }
    if (forms === 0) return 0;
    this.#nameStart.push(this.#nameBytes.length);
    this.#nameBytes.pushAll(encoder.encode(name));
    return flags;
  }

  #addForm(form: string, of: NameOwner & { nameIndex: number }): number {
    const texts = form.split(' ');
    const isPerson = of.schema === 'Person';
    const core = isPerson ? { start: 0, end: texts.length } : nameCore(texts);
    this.#formName.push(of.nameIndex);
    this.#formFirstToken.push(this.#formToken.length);
    let coded = false;
    texts.forEach((text, at) => {
      const token = this.#tokens.intern(text);
      this.#formToken.push(token);
      const facts = describeToken({ tokens: texts, at, schema: of.schema });
      this.#formFacts.push(facts.tag | (facts.weight << 8));
      if (at >= core.start && at < core.end && this.#tokens.isCoded(token)) coded = true;
    });
    const legal = Math.min(texts.length - core.end, FORM_LEGAL_MAX);
    this.#formFlags.push(
      (of.primary ? FORM_PRIMARY : 0) |
        (coded ? FORM_CODED : 0) |
        (core.start > 0 ? FORM_CORE_STARTS : 0) |
        (legal << FORM_LEGAL_SHIFT),
    );
    if (!coded) return 0;
    return of.primary ? ENTITY_CODED | ENTITY_PRIMARY_CODED : ENTITY_CODED;
  }

  finish(): SharedArrayBuffer {
    this.#entityFirstForm.push(this.#formName.length);
    this.#entityFirstDate.push(this.#dateFrom.length);
    this.#entityFirstNation.push(this.#nationCode.length);
    this.#idStart.push(this.#idBytes.length);
    this.#cardStart.push(this.#cardBytes.length);
    this.#nameStart.push(this.#nameBytes.length);
    this.#formFirstToken.push(this.#formToken.length);
    const tokens = this.#tokens.finish();
    const formToken = this.#formToken.view();
    for (let at = 0; at < formToken.length; at++) {
      formToken[at] = tokens.order[formToken[at] as number] as number;
    }
    const formFacts = this.#formFacts.view();
    const base = {
      entitySchema: this.#entitySchema.view(),
      entityCategories: this.#entityCategories.view(),
      entityFlags: this.#entityFlags.view(),
      entityFirstForm: this.#entityFirstForm.view(),
      entityFirstDate: this.#entityFirstDate.view(),
      entityFirstNation: this.#entityFirstNation.view(),
      idStart: this.#idStart.view(),
      idBytes: this.#idBytes.view(),
      cardStart: this.#cardStart.view(),
      cardBytes: this.#cardBytes.view(),
      dateFrom: this.#dateFrom.view(),
      dateTo: this.#dateTo.view(),
      nationCode: this.#nationCode.view(),
      nameStart: this.#nameStart.view(),
      nameBytes: this.#nameBytes.view(),
      formName: this.#formName.view(),
      formFlags: this.#formFlags.view(),
      formFirstToken: this.#formFirstToken.view(),
      formToken,
      formFacts: formFacts.some((facts) => facts !== 0) ? formFacts : new Uint16Array(),
      ...tokens.sections,
    };
    const sections: Snapshot = { ...base, ...buildLookups(base) };
    return writeSnapshot(sections);
  }
}

/**
 * Builds the index of one list version. Throws an Error when ids are not ascending and unique; an
 * entity without a name that folds to anything stays findable by its date and nationality alone.
 */
export function buildSnapshot(entities: Iterable<IndexEntity>): SharedArrayBuffer {
  const builder = new SnapshotAssembly();
  builder.addAll(entities);
  return builder.finish();
}

/** The same from a stream of batches, for lists that are never whole in memory. */
export async function buildSnapshotFrom(
  batches: AsyncIterable<Iterable<IndexEntity>>,
): Promise<SharedArrayBuffer> {
  const builder = new SnapshotAssembly();
  for await (const entities of batches) builder.addAll(entities);
  return builder.finish();
}

/** A snapshot in the making, entity by entity. */
export class SnapshotAssembly {
  readonly #builder = new SnapshotBuilder();
  #last: string | undefined;

  addAll(entities: Iterable<IndexEntity>): void {
    for (const entity of entities) {
      const last = this.#last;
      if (last !== undefined && entity.id <= last) {
        throw new Error(
          `index entities: expected ids ascending, got '${entity.id}' after '${last}'`,
        );
      }
      this.#last = entity.id;
      this.#builder.add(entity);
    }
  }

  finish(): SharedArrayBuffer {
    return this.#builder.finish();
  }
}
