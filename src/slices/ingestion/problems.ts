/** Problems of sources, of their runs and schedules, and of what a publisher gives out. */
import { type CodesOf, type ProblemRows, SEE_ERRORS } from '#core/kernel';

/** Folded into the table of an installation by src/app/sliceRows.ts. */
export const problems = {
  'list-foreign': {
    status: 422,
    title: 'Not a file of this source',
    meaning: 'The file is not what this source publishes; nothing was changed.',
    remedy: 'Check the source id and the file.',
  },
  'list-shrunk': {
    status: 422,
    title: 'List lost too many entities',
    meaning: 'More than a tenth of the entities in force would go.',
    remedy: 'Check that it is the file of this source; if it is, allow the shrink explicitly.',
  },
  'list-stale': {
    status: 409,
    title: 'List is not the latest',
    meaning:
      'The release is older than the one in force, or another import of this source came first.',
    remedy: 'Look at the version in force, and import again if it is still needed.',
  },
  'list-unreachable': {
    status: 502,
    title: 'List not fetched',
    meaning:
      'The publisher did not give the file out, after several attempts; nothing was changed.',
    remedy: 'Check the address of the source and the way to it; the next run tries again.',
    exit: 'unavailable',
  },
  'address-refused': {
    status: 422,
    title: 'Address refused',
    meaning:
      'The address is private, loopback, link-local or reserved, or its name leads to one that is.',
    remedy: 'Use a public address, or have the operator name the host in FETCH_ALLOWED_HOSTS.',
  },
  'source-unknown': {
    status: 404,
    title: 'Unknown source',
    meaning: 'There is no list source of that id.',
    remedy: 'Use an id of `GET /v1/sanctions/etl/sources`.',
  },
  'run-unknown': {
    status: 404,
    title: 'Unknown run',
    meaning: 'There is no such run of a list, or its 90 days have passed.',
    remedy: 'Use an id of `GET /v1/sanctions/etl/runs`.',
    exit: 'notFound',
  },
  'cron-invalid': {
    status: 422,
    title: 'Schedule refused',
    meaning: 'A schedule is not a Quartz expression of six fields, or fires too often.',
    remedy: SEE_ERRORS,
  },
  'air-gap-path-invalid': {
    status: 422,
    title: 'Path refused',
    meaning: 'The path does not stay under the folder for signed bundles.',
    remedy: 'Send a relative path of plain names.',
  },
} as const satisfies ProblemRows;

declare module '#core/kernel' {
  interface ProblemCodes extends CodesOf<typeof problems> {}
}
