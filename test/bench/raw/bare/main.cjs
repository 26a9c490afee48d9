/** The yardstick: the least an Electron app without a window can be. */
const { app } = require('electron')

app.on('window-all-closed', () => undefined)
