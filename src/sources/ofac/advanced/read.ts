/**
 * OFAC's SDN_ADVANCED.XML and CONS_ADVANCED.XML: the Advanced Sanctions Data Model, streamed.
 *
 * The order of its sections is fixed, and wrong for a stream: a party comes after the locations and
 * documents to which it refers by number, and before the relations and sanctions that refer to it.
 * So all of that is kept packed (packed.ts), and the entities are passed on at the end of the file.
 * A file that declares its base (DeltaBaseVersion) is no whole list, and is refused.
 */
import { DomainError } from '#core/kernel';
import type { XmlAttributes, XmlHandler } from '#platform/xml/ports';
import type { ListSink, ReadList } from '#slices/ingestion';
import type { CountryLookup, ListEntity } from '#slices/lists';
import { Properties } from '../../properties.ts';
import {
  childOf,
  childrenOf,
  childText,
  RecordBuilder,
  type XmlRecord,
} from '../../recordBuilder.ts';
import type { ScratchFile } from '../../scratchFile.ts';
import { resolveLinks, strongest } from '../links.ts';
import type { ListIdentity } from '../listIdentity.ts';
import { memoizedByName } from '../memoizeByName.ts';
import { NumberMap } from '../numberMap.ts';
import { KeyedRecords, PackedRecords, Phrases } from '../packed.ts';
import { RelationNames } from '../relationNames.ts';
import { UidList } from '../uidList.ts';
import { readDay } from './datePeriod.ts';
import { readDocument } from './documents.ts';
import { readLocation } from './locations.ts';
import type { PartyNames } from './names.ts';
import {
  type PackedDocument,
  type PackedLocation,
  packDocument,
  packLocation,
  unpackDocument,
  unpackLocation,
} from './packedRecords.ts';
import { ftmIdOf, type MappedParty, mapProfile, type PartyContext } from './party.ts';
import { damaged, numberOf, References } from './references.ts';
import { associationOf, type Relation, readRelation } from './relations.ts';
import { type Facts, readSanctionsEntry } from './sanctions.ts';
import { ELEMENTS, RECORDS, SECTIONS, type Section } from './vocabulary.ts';

/** The model's own namespace, and the one that OFAC's Sanctions List Service gives it. */
const NAMESPACES: ReadonlySet<string> = new Set([
  'http://www.un.org/sanctions/1.0',
  'https://www.un.org/sanctions/1.0',
  'https://sanctionslistservice.ofac.treas.gov/api/PublicationPreview/exports/ADVANCED_XML',
]);

/** Property and value in turns. */
type PackedFacts = readonly (number | string)[];
/** Target and strength, then type, label and detail. */
type PackedRelation = readonly [number, number, ...(number | string)[]];

export const isAdvanced = (name: string, namespace: string): boolean =>
  name === 'Sanctions' && NAMESPACES.has(namespace);

export interface AdvancedOptions {
  readonly sourceId: string;
  readonly countries: CountryLookup;
  readonly scratch: ScratchFile;
  readonly identity: ListIdentity;
}

export class AdvancedReader implements XmlHandler {
  readonly #sourceId: string;
  readonly #lookup: CountryLookup;
  readonly #identity: ListIdentity;
  readonly #references = new References();
  readonly #builder = new RecordBuilder();
  #locations = new KeyedRecords<PackedLocation>();
  #documents = new KeyedRecords<PackedDocument>();
  readonly #parties: PackedRecords<MappedParty>;
  readonly #uids = new UidList();
  readonly #names: RelationNames;
  readonly #relations = new KeyedRecords<PackedRelation>();
  readonly #sanctions = new KeyedRecords<PackedFacts>();
  readonly #phrases = new Phrases();
  /** Under each profile's number: 1 where it has a sanctions entry. */
  readonly #profileIds = new NumberMap();
  /** Profile by sanctions entry, where the two numbers differ. */
  readonly #profileByEntry = new Map<number, number>();
  readonly #notes: Record<string, number> = {};
  /** Profiles and sanctions entries, and the documents that no identity refers to. */
  readonly #counts = { profiles: 0, entries: 0, documents: 0 };
  #sectionIndex = -1;
  #isSectionOpen = false;
  #releaseDate = '';
  #path: string[] = [];
  #unknown: string[] = [];

  constructor(options: AdvancedOptions) {
    this.#sourceId = options.sourceId;
    this.#lookup = memoizedByName(options.countries);
    this.#identity = options.identity;
    this.#parties = new PackedRecords(options.scratch);
    this.#names = new RelationNames(this.#uids, options.scratch);
  }

  root(_name: string, _namespace: string, attributes: XmlAttributes): void {
    if (attributes.get('DeltaBaseVersion') === undefined) return;
    throw new DomainError('list-foreign', { detail: 'a delta file: the whole list is needed' });
  }

  open(name: string, depth: number, attributes: XmlAttributes): void {
    this.#path[depth - 1] = name;
    this.#path.length = depth;
    if (depth === 2) this.#openSection(name);
    if (depth >= this.#recordDepth()) this.#builder.open(name, attributes);
  }

  close(name: string, text: string, depth: number): void {
    const recordDepth = this.#recordDepth();
    if (depth >= recordDepth) {
      if (recordDepth === 3 && !ELEMENTS.has(name)) this.#keepUnknown(text, depth);
      const record = this.#builder.close(text);
      if (record) this.#take(record);
    }
    if (depth === 2) this.#isSectionOpen = false;
  }

  async finish(sink: ListSink): Promise<ReadList> {
    if (this.#section() !== 'SanctionsEntryLinks') throw damaged('sections are missing');
    const { entries, profiles } = this.#counts;
    if (entries === 0 && profiles > 0) throw damaged(`no sanctions entry of ${profiles} profiles`);
    this.#identity.finish();
    await this.#names.resolve();
    for await (const batch of this.#parties.take()) {
      for (const party of batch) sink.entity(this.#complete(party));
      await sink.ready?.();
    }
    return { kind: 'full', notes: this.#notes, releaseDate: this.#releaseDate, skipped: [] };
  }

  #section(): Section | undefined {
    return SECTIONS[this.#sectionIndex];
  }

  /** Where the records of the open section begin. */
  #recordDepth(): number {
    if (!this.#isSectionOpen) return Number.POSITIVE_INFINITY;
    const section = this.#section();
    if (section === 'DateOfIssue') return 2;
    return section === 'ReferenceValueSets' ? 4 : 3;
  }

  #openSection(name: string): void {
    if (name !== SECTIONS[this.#sectionIndex + 1]) {
      throw damaged(`an unexpected section after ${this.#section() ?? 'the beginning'}`);
    }
    this.#sectionIndex++;
    if (name === 'ProfileRelationships') {
      // All that parties refer to was read before them.
      if (this.#counts.documents > 0) this.#note('document-unresolved', this.#counts.documents);
      this.#locations = new KeyedRecords();
      this.#documents = new KeyedRecords();
    }
    this.#isSectionOpen = true;
  }

  #keepUnknown(text: string, depth: number): void {
    this.#note('unknown-element');
    this.#unknown.push(`${this.#path.slice(3, depth).join('/')}: ${text}`);
  }

  #take(record: XmlRecord): void {
    const section = this.#section();
    if (section === 'DateOfIssue') this.#takeDate(record);
    else if (section === 'ReferenceValueSets') this.#references.add(record);
    else if (section !== undefined && record.name === RECORDS[section]) {
      this.#takeRecord(section, record);
    }
    this.#unknown = [];
  }

  #takeDate(record: XmlRecord): void {
    this.#releaseDate = readDay(record) ?? '';
    if (this.#releaseDate.length !== 10) throw damaged('DateOfIssue: expected a day');
  }

  #takeRecord(section: Section, record: XmlRecord): void {
    const references = this.#references;
    if (section === 'Locations') {
      const location = readLocation(record, references, this.#lookup);
      this.#locations.add(numberOf(record, 'ID'), packLocation(location, this.#phrases));
    } else if (section === 'IDRegDocuments') {
      this.#counts.documents++;
      const document = readDocument(record, this.#context());
      this.#documents.add(numberOf(record, 'IdentityID'), packDocument(document, this.#phrases));
    } else if (section === 'DistinctParties') this.#takeParty(record);
    else if (section === 'ProfileRelationships') this.#takeRelation(record);
    else if (section === 'SanctionsEntries') this.#takeEntry(record);
    else this.#takeLink(record);
  }

  #takeParty(party: XmlRecord): void {
    const profiles = childrenOf(party, 'Profile');
    if (profiles.length === 0) throw damaged('a DistinctParty without a Profile');
    for (const profile of profiles) {
      const { mapped, names } = mapProfile(party, profile, this.#unknown, this.#context());
      if (this.#profileIds.has(mapped.profileId)) {
        throw damaged(`profile ${mapped.profileId} came before`);
      }
      this.#profileIds.set(mapped.profileId, 0);
      this.#counts.profiles++;
      this.#register(mapped, names);
      this.#parties.add(mapped);
    }
  }

  #register({ profileId, links }: MappedParty, { primary, published }: PartyNames): void {
    this.#uids.add(String(profileId));
    this.#names.addOwn(primary);
    for (const [index, name] of published.entries()) {
      if (index > 0) this.#names.addAlias(name);
      else if (name !== primary) this.#names.addOwn(name);
    }
    for (const { name } of links) this.#names.want(name);
  }

  #context(): PartyContext {
    return {
      sourceId: this.#sourceId,
      releaseDate: this.#releaseDate,
      lookup: this.#lookup,
      references: this.#references,
      location: (id) => {
        const [packed] = this.#locations.get(Number(id));
        return packed && unpackLocation(packed, this.#phrases);
      },
      documents: (identityId) => {
        const documents = this.#documents.get(Number(identityId));
        this.#counts.documents -= documents.length;
        return documents.map((packed) => unpackDocument(packed, this.#phrases));
      },
      note: (kind) => this.#note(kind),
    };
  }

  #takeRelation(record: XmlRecord): void {
    const note = (kind: string) => this.#note(kind);
    const { from, relation, isSymmetrical } = readRelation(record, this.#references, note);
    const { label, target } = relation;
    const [isFrom, isTarget] = [from, target].map((id) => this.#profileIds.has(id));
    if (!isFrom || !isTarget) {
      this.#note('relation-unresolved');
      const [known, other] = isFrom ? [from, target] : [target, from];
      if (isFrom || isTarget) {
        this.#keepFacts(known, [['unresolved_relations', `${label}: ${ftmIdOf(other)}`]]);
      }
      return;
    }
    this.#keepRelation(from, relation);
    if (isSymmetrical) this.#keepRelation(relation.target, { ...relation, target: from });
  }

  #keepRelation(from: number, { target, strength, type, label, detail }: Relation): void {
    const texts = [type, label, detail].map((text) => this.#phrases.pack(text));
    this.#relations.add(from, [target, strength, ...texts]);
  }

  #relationsOf(profileId: number): readonly Relation[] {
    return this.#relations.get(profileId).map(([target, strength, ...packed]) => {
      const [type, label = '', detail = ''] = packed.map((text) => this.#phrases.unpack(text));
      return { target, strength, type: type as Relation['type'], label, detail };
    });
  }

  #keepFacts(profileId: number, facts: Facts): void {
    this.#sanctions.add(
      profileId,
      facts.flat().map((text) => this.#phrases.pack(text)),
    );
  }

  #factsOf(profileId: number): readonly string[] {
    const packed = this.#sanctions.get(profileId).flat();
    return packed.map((text) => this.#phrases.unpack(text));
  }

  #takeEntry(record: XmlRecord): void {
    const entryId = numberOf(record, 'ID');
    const profileId = numberOf(record, 'ProfileID');
    if (!this.#profileIds.has(profileId)) throw damaged(`entry ${entryId} of no profile`);
    if (entryId !== profileId) this.#profileByEntry.set(entryId, profileId);
    this.#counts.entries++;
    this.#profileIds.set(profileId, 1);
    this.#identity.addListName(this.#references.text('List', record));
    this.#keepFacts(profileId, readSanctionsEntry(record, this.#references));
  }

  #takeLink(record: XmlRecord): void {
    const [a = 0, b = 0] = ['A', 'B'].map((side) => {
      const entryId = numberOf(record, `Entry${side}-SanctionsEntryID`);
      return this.#profileByEntry.get(entryId) ?? entryId;
    });
    const type = this.#references.text('EntryLinkType', record);
    const date = readDay(childOf(record, 'Date'));
    const text = [type, ftmIdOf(b), date, childText(record, 'Comment')].filter(Boolean).join('; ');
    this.#keepFacts(a, [['entry_links', text]]);
  }

  #complete({ profileId, entity, properties: before, links }: MappedParty): ListEntity {
    const properties = new Properties();
    for (const [name, values] of Object.entries(before)) properties.addAll(name, values);
    const facts = this.#factsOf(profileId);
    if (this.#profileIds.get(profileId) !== 1) this.#note('no-sanctions-entry');
    for (let index = 0; index < facts.length; index += 2) {
      properties.add(facts[index] ?? '', facts[index + 1]);
    }
    const relations = this.#relationsOf(profileId);
    for (const { label, target, detail } of relations) {
      if (detail !== '')
        properties.add('relation_details', `${label} ${ftmIdOf(target)}: ${detail}`);
    }
    const note = (kind: string) => this.#note(kind);
    const named = resolveLinks(links, { ftmId: entity.ftm_id, names: this.#names, note });
    properties.addAll('unresolved_relations', named.unresolved);
    const numbered = relations.map((relation) => associationOf(relation, ftmIdOf));
    const { addresses, akas, schema, source_lists_hits, ...between } = entity;
    return {
      addresses,
      akas,
      associations: strongest([...numbered, ...named.associations]),
      ...between,
      ...properties.takeProgrammes(),
      properties: properties.sorted(),
      schema,
      source_lists_hits,
    };
  }

  #note(kind: string, count = 1): void {
    this.#notes[kind] = (this.#notes[kind] ?? 0) + count;
  }
}
