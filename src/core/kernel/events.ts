/**
 * Events that leave the system through the outbox to the bus (interface.md, 6.4;
 * aml.batch.completed of 6.2 is for webhooks). Ids and verdicts only: no bodies, no personal data
 * (decisions 7.6).
 */
/** What a part declares of a topic. */
export interface TopicRow {
  /** Events of one partition keep their order: those of a tenant, of a source, or of all. */
  readonly partition: 'installation' | 'source' | 'tenant';
  /** When such an event is sent; a sentence for docs/events.md. */
  readonly says: string;
}

/** A part's rows by their topics, in its `events.ts`. */
export type TopicRows = Readonly<Record<string, TopicRow>>;

/** The topics of some rows, to extend `BusTopics` by. */
export type TopicsOf<Rows extends TopicRows> = { readonly [Topic in keyof Rows]: TopicRow };

/** Every declared topic with its row. Each part extends it with its topics; none is listed here. */
export interface BusTopics extends Readonly<Record<never, TopicRow>> {}

/** Name of a topic that some part declares. */
export type BusTopic = keyof BusTopics;

/** One event for the outbox. */
export interface BusEvent {
  readonly topic: BusTopic;
  /** The partition: the tenant's id, the source's, or PLATFORM_CHAIN for the installation. */
  readonly partition: string;
  readonly payload: Readonly<Record<string, unknown>>;
}
