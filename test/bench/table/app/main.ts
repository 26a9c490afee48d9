import { BrowserWindow, app, ipcMain } from 'electron'
import { join } from 'node:path'
import type { CallName } from '#shared/bridge/calls.ts'
import { callChannel } from '#shared/bridge/channels.ts'
import { answerOf } from './answers.ts'
import { madeRows } from './made-rows.ts'

/**
 * The app around the page: one window of the usual size with the product's own preload script. It answers blocks of the
 * rows, which so come to our table over the real way from process to process; the other tables are given all at once.
 */
const rows = madeRows()

ipcMain.handle(callChannel, (_, name: CallName, { query }: { query: { page: number } }) => {
  if (name !== 'reports/ask') throw new Error(`Nothing else is asked here, such as ${name}`)
  return answerOf(rows, query.page)
})

void app.whenReady().then(() => {
  const window = new BrowserWindow({
    width: 1280,
    height: 800,
    webPreferences: { sandbox: true, contextIsolation: true, preload: join(__dirname, 'preload.cjs') },
  })
  return window.loadFile(join(__dirname, 'page', 'index.html'))
})
app.on('window-all-closed', () => app.quit())
