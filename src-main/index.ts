import { join } from 'node:path'
import {
  app,
  BrowserWindow,
  dialog,
  ipcMain,
  Menu,
  nativeTheme,
  powerMonitor,
  protocol,
  screen,
  session,
} from 'electron'
import { teller } from './bridge/events.ts'
import { openGateway } from './bridge/gateway.ts'
import { openDesk } from './desk.ts'
import type { Desk } from './desk.ts'
import { appOrigin } from './shell/app-address.ts'
import { declareAppScheme, serveApp } from './shell/app-scheme.ts'
import { createDeskShell } from './shell/desk-shell.ts'
import { endTogether } from './shell/ending.ts'
import { guardContents, guardSession } from './shell/guards.ts'
import { openLog } from './shell/log.ts'
import type { Log } from './shell/log.ts'
import { menuTemplate } from './shell/menu.ts'
import { settleProfileFolder } from './shell/profile-folder.ts'
import type { ProfileFolder } from './shell/profile-folder.ts'
import { holdSingleInstance } from './shell/single-instance.ts'
import { logUnforeseen } from './shell/unforeseen.ts'
import { watchWindow } from './shell/window-trouble.ts'
import { bringToFront, openWindow } from './shell/window.ts'

const built = join(app.getAppPath(), 'out')

/** What is kept is on screen before keychain and network are loaded to see whether the service is there. In ms. */
const afterFirstView = 300

declareAppScheme(protocol)
const profile = settleProfileFolder(app)
if (holdSingleInstance(app, showDesk)) open(profile)
else {
  process.stdout.write('Traffic Desk is open already: its window is brought to the front.\n')
  app.exit()
}

/** Sets everything up, in this order. The store opens while the browser is still getting ready. */
function open({ folder, trouble }: ProfileFolder): void {
  const log = openLog(join(folder, 'logs', 'traffic-desk.log'))
  const refused = (what: string) => {
    log('shell', `Refused ${what}`)
  }
  let shown = false
  const giveUp = (error: unknown) => {
    if (!shown) endWithWords(error)
  }
  logUnforeseen(process, log, giveUp)
  guardContents(app, refused)
  const desk = openDesk({
    folder,
    trouble,
    version: app.getVersion(),
    storeWorker: join(built, 'main', 'store-worker.cjs'),
    sampleWorker: join(built, 'main', 'sandbox-worker.cjs'),
    reckonWorker: join(built, 'main', 'reckon-worker.cjs'),
    shell: createDeskShell(),
    resolveProxy: (url) => session.defaultSession.resolveProxy(url),
    tell: teller(() => BrowserWindow.getAllWindows().map((window) => window.webContents)),
    log,
  })
  openGateway(ipcMain, {
    handlers: desk.handlers,
    callers: { origin: appOrigin, isOurWindow: isContentsOfWindow },
    report: (call, error) => {
      log('bridge', `${call} failed`, error)
    },
  })
  endTogether(app, [desk.close, log.written], (words, error) => {
    log('shell', words, error)
  })
  const opened = app.whenReady().then(() => {
    serveApp(protocol, join(built, 'renderer'))
    guardSession(session.defaultSession, refused)
    openDeskWindow(folder, desk, log)
    shown = true
    Menu.setApplicationMenu(Menu.buildFromTemplate(menuTemplate(process.platform)))
    powerMonitor.on('resume', desk.nudge)
  })
  opened.catch(giveUp)
}

function openDeskWindow(folder: string, desk: Desk, log: Log): void {
  const window = openWindow({
    create: (options) => new BrowserWindow(options),
    preload: join(built, 'preload', 'index.cjs'),
    folder,
    dark: nativeTheme.shouldUseDarkColors,
    screens: screen.getAllDisplays().map(({ workArea }) => workArea),
    devTools: !app.isPackaged,
  })
  window.once('ready-to-show', () => {
    setTimeout(desk.setWatching, afterFirstView, true)
  })
  watchWindow(window, {
    raise: desk.raise,
    log: (words) => {
      log('window', words)
    },
    now: Date.now,
    giveUp: () => {
      dialog.showErrorBox(
        'Traffic Desk cannot go on',
        'Its window stops again and again. What is kept is safe.',
      )
      app.exit(1)
    },
  })
}

/** Without a window there is nobody to show anything to but who started the app. */
function endWithWords(error: unknown): void {
  process.stderr.write(
    `Traffic Desk could not start: ${error instanceof Error ? error.message : 'unknown'}\n`,
  )
  app.exit(1)
}

function showDesk(): void {
  BrowserWindow.getAllWindows().forEach(bringToFront)
}

function isContentsOfWindow(contents: number): boolean {
  return BrowserWindow.getAllWindows().some(({ webContents }) => webContents.id === contents)
}
