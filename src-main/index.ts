import { join } from 'node:path'
import {
  app,
  BrowserWindow,
  clipboard,
  dialog,
  ipcMain,
  Menu,
  nativeTheme,
  Notification,
  powerMonitor,
  protocol,
  screen,
  session,
  shell,
  Tray,
  utilityProcess,
} from 'electron'
import type { BrowserWindowConstructorOptions } from 'electron'
import { forwardEvents, notifierOf } from '#main/bridge/events.ts'
import { openGateway } from '#main/bridge/gateway.ts'
import { lockAddress } from '#shared/app/state.ts'
import type { Notice } from '#shared/app/state.ts'
import { App } from '#main/app/app.ts'
import { AppEvents } from '#main/lib/app-events.ts'
import { beginNodeThreads } from '#main/lib/node-threads.ts'
import { after } from '#main/lib/async.ts'
import { appOrigin, declareAppScheme, serveApp } from '#main/shell/app-scheme.ts'
import {
  emptyCoreDumps,
  refuseCoreDumps,
  endTogether,
  endWithLastWindow,
  endWithWords,
  logUncaughtErrors,
  outliveReaders,
  Start,
} from '#main/shell/ending.ts'
import { createDialogs, createDeskShell } from '#main/shell/desk-shell.ts'
import type { Dialogs } from '#main/shell/desk-shell.ts'
import { createDesktop } from '#main/shell/desktop/desktop.ts'
import { createElectronNotifier } from '#main/shell/desktop/notifier.ts'
import { joinSessionBus } from '#main/shell/desktop/session-bus.ts'
import { DeskWindow, openWindow, rememberPlace } from '#main/shell/window.ts'
import { dropLoosening, saveMemory, refuseForeignSwitches } from '#main/shell/switches.ts'
import { guardContents, guardSession } from '#main/shell/guards.ts'
import { addressIn, followLinks, openLink } from '#main/shell/links.ts'
import { LockScreen, lockWhenLeft } from '#main/shell/lock-screen.ts'
import { openLog } from '#main/shell/log.ts'
import type { Log } from '#main/shell/log.ts'
import { menuTemplate } from '#main/shell/menu.ts'
import { createPrinter } from '#main/shell/print.ts'
import { chooseProfileFolder, holdSingleInstance } from '#main/shell/profile-folder.ts'
import type { ProfileFolder } from '#main/shell/profile-folder.ts'
import {
  argsWithWindow,
  isHiddenStart,
  loginParts,
  repairStartAtLogin,
  setStartAtLogin,
} from '#main/shell/start-at-login.ts'
import { createTrayLife } from '#main/shell/tray-life.ts'
import { progressOfAll } from '#main/shell/tray.ts'
import type { TrayIcon } from '#main/shell/tray.ts'
import { utilityLine } from '#main/shell/workers.ts'
import { answerVersion, commitOf, runtimeWords } from '#main/shell/about.ts'
import { watchWindow } from '#main/shell/window-trouble.ts'
import { packageHere } from '#main/updates/package-here.ts'
import { builtInSource, sourceFrom } from '#main/updates/source.ts'
import type { WindowParts } from '#main/shell/window.ts'

const built = join(app.getAppPath(), 'out')
const builtScript = (name: string) => join(built, 'main', `${name}.cjs`)
const trayIcons = join(app.getAppPath(), 'resources', 'icons', 'tray')
/** By its name among the desktop's icons where it is installed: others cannot look into the app's archive. */
const notificationIcon = app.isPackaged
  ? 'traffic-desk'
  : join(app.getAppPath(), 'resources', 'icons', '64.png')
/** macOS colours the tray's icons itself. */
const trayIcon = (state: TrayIcon) =>
  join(trayIcons, `${state}${process.platform === 'darwin' ? 'Template' : ''}.png`)

/** The installed app goes by what it was built with, whatever its environment says. */
const updateSource = app.isPackaged ? builtInSource : (sourceFrom(process.env) ?? builtInSource)
const { platform, arch, execPath: program, env: environment } = process
const here = packageHere({ platform, arch, program, environment })

/**
 * What is kept is on screen before keychain, network and tray are loaded, and the first clicks are answered before: once
 * the window has asked nothing for a while, or when that takes too long. In ms.
 */
const untouched = { for: 300, atMost: 3000 }

beginNodeThreads(process.env)
emptyCoreDumps(process.platform, process.pid)
refuseCoreDumps(process.platform, process.pid)
dropLoosening(process.env, app.isPackaged)
outliveReaders(process)
refuseForeignSwitches(app, process.argv.slice(1), (words) => process.stderr.write(words))
/** Asks git in a checkout, so it is looked for when somebody wants to know. */
const commit = () => commitOf(app.getAppPath(), app.isPackaged)
answerVersion(app, commit)
declareAppScheme(protocol)
saveMemory(app.commandLine, process.platform)
// Before the browser is ready: otherwise it makes a menu of its own first, which nobody sees.
Menu.setApplicationMenu(null)
const profile = chooseProfileFolder(app)
/** Shows the desk, as soon as there is one. */
let show: (args: readonly string[]) => void = () => undefined
const isFirst = holdSingleInstance(app, (args) => show(args))
if (isFirst) open(profile)
else {
  process.stdout.write('Traffic Desk is open already: its window is brought to the front.\n')
  app.exit()
}

/** Sets everything up, in this order. The store opens while the browser is still getting ready. */
function open({ folder, trouble }: ProfileFolder): void {
  const logFile = join(folder, 'logs', 'traffic-desk.log')
  const log = openLog(logFile)
  const refused = (what: string) => log('shell', `Refused ${what}`)
  const start = new Start((error) => endWithWords(app, dialog, error))
  logUncaughtErrors(process, log, start.giveUp)
  guardContents(app, refused)
  const notify = notifierOf(
    () => BrowserWindow.getAllWindows().map((window) => window.webContents),
    () => lockScreen.window?.webContents,
  )
  const events = new AppEvents((kind, error) => log('desk', `Not everybody heard of ${kind}`, error))
  const showNotice = (notice: Notice) => events.emit({ kind: 'notice/shown', notice })
  forwardEvents(events, notify)
  events.on('lock/changed', () => lockScreen.changed())
  events.on('tray/changed', () => tray.changed())
  events.on('window/wanted', ({ address }) => lockScreen.reveal(() => deskWindow.show(address)))
  /** A session takes 10 MB: one that no window has needed yet is not made. */
  let guarded = false
  const guardOnce = () => {
    if (guarded) return
    guarded = true
    serveApp(protocol, join(built, 'renderer'))
    guardSession(session.defaultSession, refused)
  }
  let finish: () => void = () => undefined
  const settled = new Promise<void>((resolve) => {
    finish = resolve
  })
  let calledAt = 0
  const deskWindow = new DeskWindow({
    open: (address) => {
      guardOnce()
      const window = openWatched(folder, address, showNotice, dialogs, log)
      desk.prepare(address)
      return window
    },
    navigate: (address) => notify('desk/navigate', { address }),
    watched: (open) => {
      const opened = performance.now()
      const begin = () => {
        desk.setWatching(deskWindow.window !== null)
        desk.begin()
        finish()
      }
      const beginUntouched = () => {
        const left =
          Math.min(Math.max(calledAt, opened) + untouched.for, opened + untouched.atMost) - performance.now()
        if (left > 0) setTimeout(beginUntouched, left)
        else begin()
      }
      // Without an account there is nothing to be shown before.
      if (open && desk.hasAccounts) beginUntouched()
      else setTimeout(begin, open ? untouched.for : 0)
    },
  })
  const lockScreen = new LockScreen({
    isLocked: () => desk.lock.locked,
    desk: () => deskWindow.window,
    open: (open) => {
      guardOnce()
      if (open) rememberPlace(folder, open)
      // What was typed there is no loss to tell of.
      return openWatched(folder, lockAddress, () => undefined, dialogs, log)
    },
    show: (address) => deskWindow.show(address),
  })
  const dialogs = createDialogs(dialog, () => lockScreen.window ?? deskWindow.window)
  const desktop = createDesktop({
    join: process.platform === 'linux' ? joinSessionBus : () => Promise.resolve(null),
    icon: notificationIcon,
    electronNotifier: createElectronNotifier({
      isSupported: () => Notification.isSupported(),
      create: (options) => new Notification(options),
      after,
    }),
    alwaysPanel: process.platform !== 'linux',
  })
  const tray = createTrayLife({
    create: (icon) => new Tray(trayIcon(icon)),
    image: trayIcon,
    menu: (template) => Menu.buildFromTemplate(template),
    open: (place) => {
      if (place) desk.open(place)
      else lockScreen.reveal()
    },
    lock: () => desk.lock.lock(),
    pause: (paused) => desk.pause(paused),
    quit: () => app.quit(),
    desktop,
    settled,
    facts: () => desk.trayFacts(),
    notify: ({ raw, downloads }) => {
      const progress = progressOfAll(downloads)
      if (process.platform === 'linux') {
        void desktop.showOnLauncher({ count: raw.readyUnseen, progress })
        return
      }
      app.setBadgeCount(raw.readyUnseen)
      deskWindow.window?.setProgressBar(progress)
    },
    showNotice,
    now: Date.now,
    after,
    log,
  })
  const desk = new App({
    ...{ folder, trouble, events, log },
    build: { version: app.getVersion(), runtime: runtimeWords(process.versions), commit, logFile },
    windowFirst: !isHiddenStart(process.argv, false),
    threads: {
      ...{ store: builtScript('store-worker'), backup: builtScript('backup-worker') },
      ...{ answers: builtScript('answer-worker'), sample: builtScript('sandbox-worker') },
      ...{ exports: builtScript('export-worker'), archives: builtScript('archive-worker') },
    },
    openEngine: (folders) =>
      processLine('engine-process.cjs', ['figures', ...folders], 'Traffic Desk engine'),
    openRows: (folders) => processLine('engine-process.cjs', ['rows', ...folders], 'Traffic Desk rows'),
    desktop,
    presence: { idle: () => powerMonitor.getSystemIdleTime(), after },
    shell: createDeskShell({
      clipboard,
      dialog,
      shell,
      theme: nativeTheme,
      thirdParty: join(app.getAppPath(), 'resources', 'third-party'),
      downloads: () => app.getPath('downloads'),
      window: () => deskWindow.window,
      print: createPrinter({
        create: (options) => new BrowserWindow(options),
        preload: join(built, 'preload', 'index.cjs'),
        ready: () => desk.lock.opened(),
      }),
      startAtLogin: (start) => setStartAtLogin(loginParts(app, here.appImage), start),
      repairStartAtLogin: () => repairStartAtLogin(loginParts(app, here.appImage)),
      showTray: tray.show,
      restart: () => {
        // An AppImage's program lies in a folder that goes when it ends.
        const from = here.appImage === null ? {} : { execPath: here.appImage }
        app.relaunch({ args: argsWithWindow(process.argv.slice(1)), ...from })
        app.quit()
      },
    }),
    resolveProxy: (url) => session.defaultSession.resolveProxy(url),
    updates: { source: updateSource, here },
  })
  const callers = { origin: appOrigin, isOurWindow: isContentsOfWindow }
  const report = (call: string, error: unknown) => log('bridge', `${call} failed`, error)
  openGateway(ipcMain, desk, callers, report, () => {
    calledAt = performance.now()
  })
  endTogether(app, [() => desk.close(), desktop.close, log.written], (words, error) =>
    log('shell', words, error),
  )
  endWithLastWindow(app, {
    // A change of nothing comes after all changes before it. Without an account there is nothing to watch.
    settled: async () => desk.handlers['settings/write']({}),
    isOpen: () => BrowserWindow.getAllWindows().length > 0,
    goesOn: () => desk.hasAccounts && tray.goesOn(),
  })
  app.on('activate', () => lockScreen.reveal())
  let linked: string | null = addressIn(process.argv)
  const openLinked = (address: string | null) => {
    lockScreen.reveal(() => {
      if (address === null) {
        deskWindow.show()
        return
      }
      void openLink(address, {
        requestsOf: (route) => desk.requestsOfLink(route),
        show: (route) => deskWindow.show(route),
        agrees: dialogs.agreesToLink,
      })
    })
  }
  followLinks(app, (address) => {
    if (start.stage === 'shown') openLinked(address)
    else linked = address
  })
  const opened = app.whenReady().then(() => {
    if (start.stage === 'failed') return
    // macOS knows only by now whether it was opened at login.
    const isLogin = process.platform === 'darwin' && app.getLoginItemSettings().wasOpenedAtLogin
    if (isHiddenStart(process.argv, isLogin)) {
      tray.stay()
      desk.begin()
      finish()
    } else {
      openLinked(linked)
      // What goes on by itself does not wait for the desk's window, which waits for a passphrase.
      if (desk.lock.locked) {
        desk.begin()
        finish()
      }
    }
    start.shown()
    show = (args) => openLinked(addressIn(args))
    const menu = menuTemplate(process.platform, (command) => {
      lockScreen.reveal()
      notify('desk/command', { command })
    })
    Menu.setApplicationMenu(Menu.buildFromTemplate(menu))
    powerMonitor.on('resume', () => desk.wake())
    lockWhenLeft(powerMonitor, desk.lock)
  })
  opened.catch((error: unknown) => {
    log('shell', 'The start failed', error)
    start.giveUp(error)
  })
}

/** Begins a process of the app's own, which reaches these folders alone. */
function processLine(file: string, folders: Parameters<typeof utilityLine>[2], name: string) {
  return utilityLine((...given) => utilityProcess.fork(...given), join(built, 'main', file), folders, name)
}

const windowParts = (folder: string): WindowParts => ({
  create: (options: BrowserWindowConstructorOptions) => new BrowserWindow(options),
  preload: join(built, 'preload', 'index.cjs'),
  folder,
  dark: nativeTheme.shouldUseDarkColors,
  screens: screen.getAllDisplays().map(({ workArea }) => workArea),
  devTools: !app.isPackaged,
})

function openWatched(
  folder: string,
  address: string | null,
  showNotice: (notice: Notice) => void,
  dialogs: Dialogs,
  log: Log,
): BrowserWindow {
  const window = openWindow(windowParts(folder), address)
  watchWindow(window, {
    showNotice,
    log: (words) => log('window', words),
    now: Date.now,
    ...dialogs,
    ...(address === lockAddress && { only: lockAddress }),
  })
  return window
}

function isContentsOfWindow(contents: number): boolean {
  return BrowserWindow.getAllWindows().some(({ webContents }) => webContents.id === contents)
}
