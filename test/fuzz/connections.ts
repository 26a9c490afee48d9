import { Socket } from 'node:net'

/** On which threads of the app tell of the connections that they open (watched-archive-worker.ts). */
export const connectionsChannel = 'traffic-desk-fuzz-connections'

/**
 * Tells of every connection that this thread opens from now on, such as `127.0.0.1:4000`; of a socket file its path.
 * The result ends it.
 */
export function followConnections(opened: (place: string) => void): () => void {
  // oxlint-disable-next-line typescript/unbound-method -- it is applied to the socket that connects
  const { connect } = Socket.prototype
  // Every connection begins here, with TLS or without.
  Socket.prototype.connect = function (this: Socket, ...given: unknown[]) {
    opened(placeOf(given))
    return Reflect.apply(connect, this, given) as Socket
  }
  return () => {
    Socket.prototype.connect = connect
  }
}

/** What `connect` of a socket was given: options or a port, as they are or in a list of their own. */
function placeOf([first, second]: readonly unknown[]): string {
  const given: unknown = Array.isArray(first) ? first[0] : first
  if (typeof given !== 'object' || given === null) return `${String(second)}:${String(given)}`
  const { path, host = 'localhost', port } = given as { path?: string; host?: string; port?: number | string }
  return path ?? `${host}:${port}`
}
