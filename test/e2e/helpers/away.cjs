/**
 * Loaded into the main process before the app. For how many seconds nobody has given any input stands in the file named by
 * IDLE_SECONDS: a virtual screen has no input that could be left out. The pages of windows that can be seen are written into
 * the one named by WINDOWS_SEEN, since a page that is driven always takes itself for seen. What each window is really made
 * with is written into the one named by PREFERENCES_SEEN, one window a line.
 */
const { appendFileSync, readFileSync, writeFileSync } = require('node:fs')
const { app, BrowserWindow, powerMonitor } = require('electron')

const { IDLE_SECONDS: idle = '', WINDOWS_SEEN: seen = '', PREFERENCES_SEEN: preferences = '' } = process.env

// Electron lets nobody touch it before.
app.once('ready', () => {
  powerMonitor.getSystemIdleTime = () => Number(readFileSync(idle, 'utf8'))
})

const write = () => {
  const windows = BrowserWindow.getAllWindows().filter((each) => each.isVisible())
  writeFileSync(seen, windows.map(({ webContents }) => new URL(webContents.getURL()).hash).join())
}

app.on('browser-window-created', (_, window) => {
  window.on('show', write)
  window.on('hide', write)
  window.on('closed', write)
  window.webContents.on('did-navigate', () => {
    // Electron has it and does not describe it.
    const read = Reflect.get(window.webContents, 'getLastWebPreferences').call(window.webContents)
    appendFileSync(preferences, `${JSON.stringify(read)}\n`)
  })
})
