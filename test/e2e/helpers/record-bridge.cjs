/**
 * Loaded into the main process before the app: writes down everything that crosses the bridge, a line each, in the file
 * named by BRIDGE_RECORD.
 */
const { appendFileSync } = require('node:fs')
const { app, ipcMain } = require('electron')

const file = process.env['BRIDGE_RECORD'] ?? ''

/** @param {unknown} entry */
const write = (entry) => appendFileSync(file, `${JSON.stringify(entry)}\n`)

const handle = ipcMain.handle.bind(ipcMain)

/**
 * @param {string} channel
 * @param {(event: import('electron').IpcMainInvokeEvent, ...given: unknown[]) => unknown} listener
 */
ipcMain.handle = (channel, listener) => {
  handle(channel, async (event, ...given) => {
    const answer = await listener(event, ...given)
    write({ channel, given, answer })
    return answer
  })
}

app.on('web-contents-created', (_, contents) => {
  const send = contents.send.bind(contents)
  contents.send = (channel, ...told) => {
    write({ channel, told })
    send(channel, ...told)
  }
})
