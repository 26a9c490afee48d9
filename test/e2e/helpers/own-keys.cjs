/**
 * Loaded into the main process before the app: does in its stead what a person's system does, asked for over the socket
 * named by OWN_KEYS, a line each. `{ press }` presses a key in its window, so that it reaches the menu too; `{ zoom }` shows
 * the window at that level of Chromium's, as many such presses do; `{ read: 'clipboard' }` reads what was copied. Each is
 * answered by a line: what was read, else null.
 */
const { createServer } = require('node:net')
const { createInterface } = require('node:readline')
const { BrowserWindow, clipboard } = require('electron')

const server = createServer((socket) => {
  createInterface({ input: socket }).on('line', (line) => {
    const { press, zoom, read } = JSON.parse(line)
    const [window] = BrowserWindow.getAllWindows()
    if (press) {
      window?.webContents.sendInputEvent({ type: 'keyDown', ...press })
      window?.webContents.sendInputEvent({ type: 'keyUp', ...press })
    }
    if (zoom !== undefined) window?.webContents.setZoomLevel(zoom)
    socket.write(`${JSON.stringify(read === 'clipboard' ? clipboard.readText() : null)}\n`)
  })
})
server.listen(process.env['OWN_KEYS'])
server.unref()
