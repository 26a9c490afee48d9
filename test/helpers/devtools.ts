import type { ConnectOverCDPTransport } from 'playwright-core'
import WebSocket from 'ws'

/**
 * The way to a running app for whoever drives it. The library's own has each of some hundred messages a second compressed
 * and unpacked again, by both processes, on one machine.
 *
 * @param debugging where the app lets itself be driven
 * @param timeout how long each of its two answers may take, in milliseconds
 */
export async function devtools(debugging: string, timeout: number): Promise<ConnectOverCDPTransport> {
  const answer = await fetch(`${debugging}/json/version`, { signal: AbortSignal.timeout(timeout) })
  const version = (await answer.json()) as { webSocketDebuggerUrl: string }
  const socket = new WebSocket(version.webSocketDebuggerUrl, {
    perMessageDeflate: false,
    handshakeTimeout: timeout,
    maxPayload: 256 * 1024 * 1024,
    // As with the library's own: who waits for a message goes on before the next one comes.
    allowSynchronousEvents: false,
  })
  const transport: ConnectOverCDPTransport = {
    send: (message) => socket.send(JSON.stringify(message)),
    close: () => socket.close(),
  }
  socket.on('message', (data) => transport.onmessage?.(JSON.parse(String(data)) as object))
  socket.on('close', () => transport.onclose?.())
  await new Promise((resolve, reject) => {
    socket.on('open', resolve)
    socket.on('error', reject)
  })
  return transport
}
