import type { Server } from 'node:http'

/**
 * Starts a server on 127.0.0.1 alone.
 * @param port 0 for any free one
 * @returns its address, such as `http://127.0.0.1:40123`
 * @throws the system's error where the port is taken
 */
export async function listenOnLoopback(server: Server, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject)
      resolve()
    })
  })
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new Error('The server is bound to no port')
  return `http://127.0.0.1:${bound.port}`
}

/** Stops listening and ends open connections, so that nothing keeps the process alive. */
export async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeAllConnections()
  await closed
}
