/** The yardstick: the least an Electron app can be, one window with one heading. */
const { app, BrowserWindow } = require('electron')
const { join } = require('node:path')

app.whenReady().then(() => {
  const window = new BrowserWindow({ width: 1280, height: 800, webPreferences: { sandbox: true } })
  window.loadFile(join(__dirname, 'index.html'))
})
app.on('window-all-closed', () => app.quit())
