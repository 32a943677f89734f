/**
 * What a slice tells the customers' own systems: events by their public names, with the shape of
 * their data. A slice declares those that it emits today, so none is published before it exists.
 * How they reach the customer is the business of another slice.
 */
import type { BusEvent, BusTopic } from './events.ts';

/** The two sets of names that a customer chooses from (interface.md 6.2). */
export const CATALOGS = ['A', 'B'] as const;
/** One of CATALOGS. */
export type Catalog = (typeof CATALOGS)[number];

/** A JSON object as it goes out. */
export type PublicData = Readonly<Record<string, unknown>>;

/** A committed event of the bus, as a public event is made from it. */
export interface ToldEvent extends BusEvent {
  readonly createdAt: number;
}

/** One public event. `Means` is what making its data needs of the process. */
export interface PublicEvent<Means = unknown> {
  /** A change that breaks its readers is a new name. */
  readonly name: string;
  readonly catalogs: readonly Catalog[];
  /** The event of the same fact that the other catalogue has instead. */
  readonly twin?: string;
  readonly description: string;
  /** JSON Schema 2020-12 of the data. */
  readonly schema: object;
  /** Data that fit the schema, with nothing of a real person. */
  readonly example: PublicData;
  /** The day on which it was first sent, as 2026-11-23. */
  readonly since: string;
  /** The topic whose events it is made of. */
  readonly topic: BusTopic;
  /** `tenant`: the topic's partition is the tenant. `all`: it concerns every tenant. */
  readonly audience: 'tenant' | 'all';
  /** Member of the data that names the thing it tells of, by which its deliveries are found. */
  readonly about?: string;
  /**
   * It is told beside another of its topic, to the same endpoints: so it has an id of its own. All
   * others share that of what happened, whatever a catalogue calls it.
   */
  readonly isBeside?: true;
  /** That it has arrived is known for good, and not only for as long as deliveries are kept. */
  readonly keepsArrival?: true;
  /**
   * That it happened is told to nobody but those who answer for it: it goes to endpoints that name
   * it and that such a person has opened for it, and its deliveries exist for such persons alone.
   */
  readonly isConfidential?: true;
  /** Ids and verdicts. Undefined: this one is not told. It may be asked several times. */
  readonly dataOf: (told: ToldEvent, means: Means) => Promise<PublicData | undefined>;
}
