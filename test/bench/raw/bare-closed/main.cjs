/** The yardstick: the least an Electron app can be that stays when its one window was closed. */
const { app, BrowserWindow } = require('electron')
const { join } = require('node:path')

app.whenReady().then(() => {
  const window = new BrowserWindow({ width: 1280, height: 800, webPreferences: { sandbox: true } })
  window.loadFile(join(__dirname, '..', '..', 'bare', 'index.html'))
})
app.on('window-all-closed', () => undefined)
