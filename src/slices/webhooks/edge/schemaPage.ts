/** Schemas of events for everybody (W14): a receiver's tools read them without a credential. */
import { DomainError } from '#core/kernel';
import type { EventType } from '#slices/webhooks';
import { type Asset, makeAsset, reply } from '../../../api/pages.ts';
import type { PublicPage } from '../../../api/ports.ts';

const FOLDER = '/schemas/webhooks/';
const SUFFIX = '.v1.json';
const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/** Where the schema of an event's data is. */
export const schemaPath = (name: string): string => `${FOLDER}${name}${SUFFIX}`;

export function schemaPage(
  eventTypes: () => Promise<readonly EventType[]>,
  origin: () => string,
): PublicPage {
  const assets = new Map<string, Asset>();
  return {
    path: `${FOLDER}{file}`,
    async reply({ params, request }) {
      const { file = '' } = params;
      const name = file.endsWith(SUFFIX) ? file.slice(0, -SUFFIX.length) : '';
      const type = (await eventTypes()).find((one) => one.name === name);
      if (type === undefined) throw new DomainError('route-unknown');
      const asset = assets.get(name) ?? schemaAsset(type, origin());
      assets.set(name, asset);
      return reply(request.header('if-none-match'), asset);
    },
  };
}

const schemaAsset = ({ description, name, schema }: EventType, origin: string): Asset =>
  makeAsset(
    'application/schema+json',
    JSON.stringify({
      $schema: DIALECT,
      $id: `${origin}${schemaPath(name)}`,
      title: name,
      description,
      ...schema,
    }),
  );
