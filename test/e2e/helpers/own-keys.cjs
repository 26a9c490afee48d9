/**
 * Loaded into the main process before the app: presses keys in its window as the system does, so that they reach the
 * menu too. A line for each, `{ keyCode, modifiers }`, comes over the socket named by OWN_KEYS; the same comes back.
 */
const { createServer } = require('node:net')
const { createInterface } = require('node:readline')
const { BrowserWindow } = require('electron')

const server = createServer((socket) => {
  createInterface({ input: socket }).on('line', (line) => {
    const key = JSON.parse(line)
    const [window] = BrowserWindow.getAllWindows()
    window?.webContents.sendInputEvent({ type: 'keyDown', ...key })
    window?.webContents.sendInputEvent({ type: 'keyUp', ...key })
    socket.write(`${line}\n`)
  })
})
server.listen(process.env['OWN_KEYS'])
server.unref()
