import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
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
import { App } from '#main/app/app.ts'
import type { AppOptions } from '#main/app/app.ts'
import { forwardEvents, notifierOf } from '#main/bridge/events.ts'
import type { Notify } from '#main/bridge/events.ts'
import { openGateway } from '#main/bridge/gateway.ts'
import { AppEvents } from '#main/lib/app-events.ts'
import { after } from '#main/lib/async.ts'
import { beginNodeThreads } from '#main/lib/node-threads.ts'
import { answerVersion, commitOf, runtimeWords } from '#main/shell/about.ts'
import { appOrigin, declareAppScheme } from '#main/shell/app-scheme.ts'
import { Desktop } from '#main/shell/desktop/desktop.ts'
import { ElectronNotifier } from '#main/shell/desktop/notifier.ts'
import { joinSessionBus } from '#main/shell/desktop/session-bus.ts'
import { ElectronShell } from '#main/shell/electron-shell.ts'
import {
  emptyCoreDumps,
  refuseCoreDumps,
  closeThenExit,
  endWithLastWindow,
  endWithWords,
  logUncaughtErrors,
  outliveReaders,
  Start,
} from '#main/shell/ending.ts'
import { guardContents } from '#main/shell/guards.ts'
import { addressIn, followLinks, openLink } from '#main/shell/links.ts'
import { LockScreen, lockWhenLeft } from '#main/shell/lock-screen.ts'
import { openLog } from '#main/shell/log.ts'
import type { Log } from '#main/shell/log.ts'
import { menuTemplate } from '#main/shell/menu.ts'
import { Printer } from '#main/shell/print.ts'
import { chooseProfileFolder, holdSingleInstance } from '#main/shell/profile-folder.ts'
import type { ProfileFolder } from '#main/shell/profile-folder.ts'
import { appImageOf, isHiddenStart, programAtLogin, StartAtLogin } from '#main/shell/start-at-login.ts'
import { dropLoosening, saveMemory, refuseForeignSwitches } from '#main/shell/switches.ts'
import { Badge, DeskTray, TrayLife } from '#main/shell/tray-life.ts'
import type { TrayIcon } from '#main/shell/tray.ts'
import { DeskWindow, AppWindows } from '#main/shell/window.ts'
import { utilityChannel } from '#main/shell/workers.ts'
import { beginWeeksOn, firstWeekdayIn } from '#shared/views/period.ts'
import { builtInSource, sourceFrom } from '#main/updates/source.ts'

const outFolder = join(app.getAppPath(), 'out')
const builtScript = (name: string) => join(outFolder, 'main', `${name}.cjs`)
const preload = join(outFolder, 'preload', 'index.cjs')
const trayIcons = join(app.getAppPath(), 'resources', 'icons', 'tray')
/** Icon of notifications. An installed app uses the icon's theme name, because other processes cannot read the app's archive. */
const notificationIcon = app.isPackaged
  ? 'traffic-desk'
  : join(app.getAppPath(), 'resources', 'icons', '64.png')
/** macOS colours tray icons itself, from template images. */
const trayIcon = (state: TrayIcon) =>
  join(trayIcons, `${state}${process.platform === 'darwin' ? 'Template' : ''}.png`)

/** Scripts of the threads. */
const threads = {
  ...{ store: builtScript('store-worker'), exports: builtScript('export-worker') },
  ...{ answers: builtScript('answer-worker'), sample: builtScript('sandbox-worker') },
}

const openEngine: AppOptions['openEngine'] = (folders) =>
  processChannel('engine-process.cjs', ['figures', ...folders], 'Traffic Desk engine')

const openRows: AppOptions['openRows'] = (folders) =>
  processChannel('engine-process.cjs', ['rows', ...folders], 'Traffic Desk rows')

const openArchive: AppOptions['openArchive'] = () =>
  processChannel('archive-worker.cjs', [], 'Traffic Desk archives')

const openBackup: AppOptions['openBackup'] = () =>
  processChannel('backup-worker.cjs', [], 'Traffic Desk backup')

/** Maximum wait for the first window, in ms. On macOS, the app learns late that a start at login shows no window. */
const enteredBy = 1000

/** A packaged app ignores the environment and uses the update source of its build. */
const updateSource = app.isPackaged ? builtInSource : (sourceFrom(process.env) ?? builtInSource)
const { execPath: program, env: environment } = process
const appImage = process.platform === 'linux' ? appImageOf(program, environment) : null

beginNodeThreads(process.env)
emptyCoreDumps(process.platform, process.pid)
refuseCoreDumps(process.platform, process.pid)
dropLoosening(process.env, app.isPackaged)
outliveReaders(process)
refuseForeignSwitches(app, process.argv.slice(1), (words) => process.stderr.write(words))
/** Runs git in a checkout, so the commit is read only on demand. */
const commit = () => commitOf(app.getAppPath(), app.isPackaged)
answerVersion(app, commit)
declareAppScheme(protocol)
saveMemory(app.commandLine, process.platform)
// Set before `ready`, otherwise Electron builds a default menu first.
Menu.setApplicationMenu(null)
const profile = chooseProfileFolder(app)
/** Shows the window when a second instance starts. Set after the start. */
let show: (args: readonly string[]) => void = () => undefined
const isFirst = holdSingleInstance(app, (args) => show(args))
if (isFirst) open(profile)
else {
  process.stdout.write('Traffic Desk is already open: its window comes to the front.\n')
  app.exit()
}

/** Sets up the app, in this order. The store opens while the window prepares its scripts. */
function open({ folder, trouble }: ProfileFolder): void {
  const logFile = join(folder, 'logs', 'traffic-desk.log')
  const log = openLog(logFile)
  const start = new Start((error) => endWithWords(app, dialog, error))
  logUncaughtErrors(process, log, start.giveUp)
  guardContents(app, (what) => log('shell', `Refused ${what}`))
  const events = new AppEvents((kind, error) => log('desk', `Not everybody heard of ${kind}`, error))
  const files = { preload, pages: join(outFolder, 'renderer') }
  const electron = { BrowserWindow, dialog, nativeTheme, protocol, screen, session }
  const windows = new AppWindows({ electron, files, folder, devTools: !app.isPackaged, events, log })
  const notify = notifierOf(
    () => windows.contents(),
    () => windows.lock?.webContents,
  )
  forwardEvents(events, notify)
  const joinBus = process.platform === 'linux' ? joinSessionBus : null
  const desktop = new Desktop(joinBus, notificationIcon, new ElectronNotifier(Notification))
  const printer = new Printer(BrowserWindow, preload)
  const machine = createMachine(windows, printer, events)
  const desk = new App({
    ...{ folder, trouble, threads, openEngine, openRows, openArchive, openBackup },
    ...{ events, desktop, shell: machine, log },
    build: { version: app.getVersion(), runtime: runtimeWords(process.versions), commit, logFile },
    windowFirst: isHiddenStart(process.argv, false)
      ? null
      : Promise.race([windows.entered, pause(enteredBy)]),
    presence: { idle: () => powerMonitor.getSystemIdleTime(), after },
    resolveProxy: (url) => session.defaultSession.resolveProxy(url),
    updates: updateSource,
  })
  printer.use(desk.lock)
  const window = new DeskWindow(windows, desk, notify)
  const lockScreen = new LockScreen(desk.lock, window, windows, events)
  const icon = new DeskTray({ Tray, Menu, app }, trayIcon, desk, lockScreen)
  const badge = new Badge(app, windows, desktop)
  const tray = new TrayLife({
    ...{ tray: icon, badge, app: desk, desktop, screen: lockScreen, events, log, after },
  })
  answerWindows(desk, window, windows, log)
  closeThenExit(app, [() => desk.close(), () => desktop.close(), log.written], (words, error) =>
    log('shell', words, error),
  )
  endWithLastWindow(app, desk, windows, tray)
  app.on('activate', () => lockScreen.reveal())
  const openLinked = (address: string | null) =>
    lockScreen.reveal(() => {
      if (address === null) window.show()
      else void openLink(address, desk, window, windows.dialogs)
    })
  let linked: string | null = addressIn(process.argv)
  followLinks(app, (address) => {
    if (start.stage === 'shown') openLinked(address)
    else linked = address
  })
  const opened = app.whenReady().then(() => {
    if (start.stage === 'failed') return
    const { LC_ALL, LC_TIME } = environment
    beginWeeksOn(firstWeekdayIn(LC_ALL || LC_TIME || app.getSystemLocale()))
    // On macOS this is only known after `ready`.
    const isLogin = process.platform === 'darwin' && app.getLoginItemSettings().wasOpenedAtLogin
    const isHidden = isHiddenStart(process.argv, isLogin)
    if (isHidden) tray.stay()
    else openLinked(linked)
    // Background work starts even if the window waits for the passphrase.
    if (isHidden || desk.lock.locked) desk.begin()
    start.shown()
    show = (args) => openLinked(addressIn(args))
    setMenu(lockScreen, notify)
    powerMonitor.on('resume', () => desk.wake())
    lockWhenLeft(powerMonitor, desk.lock)
  })
  opened.catch((error: unknown) => {
    log('shell', 'The start failed', error)
    start.giveUp(error)
  })
}

function createMachine(windows: AppWindows, printer: Printer, events: AppEvents): ElectronShell {
  const electron = { app, clipboard, dialog, shell, nativeTheme }
  const login = new StartAtLogin(app, programAtLogin(app, appImage))
  const thirdParty = join(app.getAppPath(), 'resources', 'third-party')
  return new ElectronShell({ electron, windows, login, printer, events, thirdParty, appImage })
}

/** Opens a channel to a new utility process. */
function processChannel(file: string, args: readonly string[], name: string) {
  return utilityChannel(
    (...given) => utilityProcess.fork(...given),
    join(outFolder, 'main', file),
    args,
    name,
  )
}

function answerWindows(desk: App, window: DeskWindow, windows: AppWindows, log: Log): void {
  const callers = {
    origin: appOrigin,
    isOurWindow: (contents: number) => windows.contents().some(({ id }) => id === contents),
  }
  const report = (call: string, error: unknown) => log('bridge', `${call} failed`, error)
  openGateway(ipcMain, desk, callers, report, (answer) => window.called(answer))
}

function setMenu(lockScreen: LockScreen, notify: Notify): void {
  const menu = menuTemplate(process.platform, (command) => {
    lockScreen.reveal()
    notify('desk/command', { command })
  })
  Menu.setApplicationMenu(Menu.buildFromTemplate(menu))
}
