/** Surface of the HTTP port: the contract, and the two servers that keep it. */
import { HyperExpressServer, loadBinary } from './hyperExpress.ts';
import { NodeHttpServer } from './nodeHttp.ts';
import type { HttpServer, HttpServerOptions } from './port.ts';

export type {
  HttpHandler,
  HttpRefusal,
  HttpReply,
  HttpRequest,
  HttpServer,
  HttpServerOptions,
} from './port.ts';
export { readUploadForm, type UploadForm, type UploadFormOptions } from './uploadForm.ts';

export type HttpTechnology = HttpServer['technology'];

/** Nothing is bound, and no binary is loaded, before `listen`. */
export function createHttpServer(
  technology: HttpTechnology,
  options: HttpServerOptions,
): HttpServer {
  return technology === 'hyper-express'
    ? new HyperExpressServer(options)
    : new NodeHttpServer(options);
}

/**
 * hyper-express where one of its binaries loads here, else node:http. Whether hyper-express may
 * serve at all (never beyond loopback without a proxy) is the composition root's to decide.
 */
export function preferredTechnology(): HttpTechnology {
  return hyperExpressStatus().build === undefined ? 'node:http' : 'hyper-express';
}

/** Which binary serves, or why none does: for the log line at start. Loads it. */
export function hyperExpressStatus():
  | { build: string; reason?: undefined }
  | { build?: undefined; reason: string } {
  try {
    return { build: loadBinary().build };
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) };
  }
}
