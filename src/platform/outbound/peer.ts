/**
 * Which connection a request went out on. A pool has many of them, and a call takes whichever is
 * free, so only the client that owns the connection can say it, at the moment the request starts.
 */
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { Agent, type buildConnector, Client, type Dispatcher, Pool } from 'undici';
import { tunnelledAddress } from './proxiedConnector.ts';

/** The other end of a connection. */
export interface Peer {
  /** That was connected to; through a proxy, the one that the proxy was asked for. */
  readonly address?: string;
  /** Protocol and cipher. */
  readonly tls?: string;
}

/** An open connection. */
export interface Connection {
  readonly peer: Peer;
  /** What broke it: a server's alert may come before anybody else listens for it. */
  failure?: Error;
}

/** A handler of a request that is told of its connection before anything is sent. */
export interface PeerHandler extends Dispatcher.DispatchHandler {
  /** Answers for the request that starts now. */
  connectionOf: () => Connection | undefined;
}

const wantsConnection = (handler: Dispatcher.DispatchHandler): handler is PeerHandler =>
  'connectionOf' in handler;

function peerOf(socket: Socket): Peer {
  const address = tunnelledAddress(socket) ?? socket.remoteAddress;
  return {
    ...(address !== undefined && { address }),
    ...(socket instanceof TLSSocket && {
      tls: `${socket.getProtocol() ?? 'TLS'} ${socket.getCipher().standardName}`,
    }),
  };
}

/** One connection at a time, so the last one that was opened is the one in use. */
class PeerClient extends Client {
  readonly #seen: { last?: Connection };

  constructor(origin: string | URL, options: Client.Options) {
    const seen: { last?: Connection } = {};
    const connect = options.connect as buildConnector.connector;
    super(origin, {
      ...options,
      connect: (to, done) =>
        connect(to, (...[error, socket]) => {
          if (error !== null) return done(error, null);
          const connection: Connection = { peer: peerOf(socket) };
          socket.on('error', (failure: Error) => {
            connection.failure ??= failure;
          });
          seen.last = connection;
          done(null, socket);
        }),
    });
    this.#seen = seen;
  }

  override dispatch(
    options: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    if (wantsConnection(handler)) handler.connectionOf = () => this.#seen.last;
    return super.dispatch(options, handler);
  }
}

/** Connections to any origin by this connector, whose handlers learn of them. */
export const peerAgent = (
  options: Omit<Agent.Options, 'connect' | 'factory'> & {
    readonly connect: buildConnector.connector;
  },
): Agent =>
  new Agent({
    ...options,
    factory: (origin, of) =>
      new Pool(origin, {
        ...(of as Pool.Options),
        factory: (at, clientOptions) => new PeerClient(at, clientOptions as Client.Options),
      }),
  });
