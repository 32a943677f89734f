/** ListStore on MongoDB: the reading side. Publications are in applyChange. */
import type { ListSource, ListStore, ListVersion } from '#slices/lists';
import type { ResolutionPointer, ResolutionStore } from '#slices/resolution';
import { PAGE_ROWS_MAX } from '../limits.ts';
import type { Collections } from './collections.ts';
import { padId } from './effects.ts';

export function listStore({ records, state }: Collections): ListStore & ResolutionStore {
  const { list_resolution: resolution, list_source: source, list_version: version } = records;
  return {
    async listSources() {
      const found = await source.find().sort({ _id: 1 }).toArray();
      return found.map(({ document }) => JSON.parse(document) as ListSource);
    },
    async findSource(sourceId) {
      const found = await source.findOne({ _id: sourceId });
      return found === null ? undefined : (JSON.parse(found.document) as ListSource);
    },
    async findVersion({ sourceId, listDigest, contentDigest }) {
      const filter = { sourceId, listDigest, contentDigest };
      const found = await version.findOne(filter, { sort: { no: -1 } });
      return found === null ? undefined : (JSON.parse(found.document) as ListVersion);
    },
    /** Latest published first. */
    async listVersions({ sourceId, limit, before }) {
      const _id = `${sourceId}/${before}`;
      const last = before === undefined ? undefined : await version.findOne({ _id });
      if (last === null) return [];
      const older = last?.no === undefined ? {} : { no: { $lt: last.no } };
      const found = await version
        .find({ sourceId, ...older })
        .sort({ no: -1 })
        .limit(Math.min(limit, PAGE_ROWS_MAX))
        .toArray();
      return found.map(({ document }) => JSON.parse(document) as ListVersion);
    },
    async findResolution() {
      // Ids are padded versions.
      const found = await resolution.findOne({}, { sort: { _id: -1 } });
      return found === null ? undefined : (JSON.parse(found.document) as ResolutionPointer);
    },
    async listResolutions({ before, limit }) {
      const filter = before === undefined ? {} : { _id: { $lt: padId(before) } };
      const found = await resolution
        .find(filter)
        .sort({ _id: -1 })
        .limit(Math.min(limit, PAGE_ROWS_MAX))
        .toArray();
      return found.map(({ document }) => JSON.parse(document) as ResolutionPointer);
    },
    publicationCounter: async () => (await state.findOne({ _id: 'publications' }))?.no ?? 0,
  };
}
