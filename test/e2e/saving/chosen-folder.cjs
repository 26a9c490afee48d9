/**
 * Loaded into the main process before the app: whoever is asked for a folder chooses the one in CHOSEN_FOLDER, and for a
 * backup the one in there. Whoever restarts the app is left to start it.
 */
const { readdirSync } = require('node:fs')
const { join } = require('node:path')
const { app, dialog } = require('electron')

const folder = process.env['CHOSEN_FOLDER'] ?? ''

/** @param {readonly { readonly title?: string }[]} given perhaps a window, then the options */
const showOpenDialog = (...given) => {
  const isBackup = given.some(({ title }) => title === 'Restore a backup')
  const backup = readdirSync(folder).find((name) => name.startsWith('Traffic Desk backup')) ?? ''
  return Promise.resolve({ canceled: false, filePaths: [isBackup ? join(folder, backup) : folder] })
}
Object.assign(dialog, { showOpenDialog })
app.relaunch = () => undefined
