import type { ConnectOverCDPTransport } from 'playwright-core'
import WebSocket from 'ws'

/**
 * The way to a running app for whoever drives it. The library's own has each of some hundred messages a second compressed
 * and unpacked again, by both processes, on one machine.
 *
 * @param debugging where the app lets itself be driven
 */
export async function devtools(debugging: string): Promise<ConnectOverCDPTransport> {
  const version = (await (await fetch(`${debugging}/json/version`)).json()) as {
    webSocketDebuggerUrl: string
  }
  const socket = new WebSocket(version.webSocketDebuggerUrl, {
    perMessageDeflate: false,
    // As the library has it: what waits for a message goes on before the next one comes.
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
