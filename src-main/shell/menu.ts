import type { MenuItemConstructorOptions } from 'electron'
import { commandEntry } from '#shared/app/commands.ts'
import type { Command } from '#shared/app/commands.ts'

type Entry = MenuItemConstructorOptions

const line: Entry = { type: 'separator' }

/**
 * Creates the app menu, mainly for its shortcuts, because the menu bar is hidden where possible. System functions use roles;
 * other entries send commands to the window. There is no reload entry, because the window refreshes itself.
 * @param send sends a command to the window
 */
export function menuTemplate(platform: NodeJS.Platform, send: (command: Command) => void): Entry[] {
  const mac = platform === 'darwin'
  const entry: MakeEntry = (label, command, accelerator = keysOf(command)) => ({
    label,
    ...(accelerator === undefined ? {} : { accelerator }),
    click: () => {
      send(command)
    },
  })
  const settings = entry(mac ? 'Settings…' : '&Settings', 'settings')
  const appMenu: Entry = {
    role: 'appMenu',
    submenu: [
      { role: 'about' },
      line,
      settings,
      line,
      { role: 'hide' },
      { role: 'hideOthers' },
      { role: 'unhide' },
      line,
      { role: 'quit' },
    ],
  }
  return [
    ...(mac ? [appMenu] : []),
    {
      label: '&File',
      submenu: [
        entry('&Save view…', 'save-view'),
        entry('&Export…', 'export'),
        entry('&Copy link to this view', 'copy-link'),
        entry('Request raw &rows for this view…', 'raw-rows'),
        line,
        entry('&Lock now', 'lock'),
        ...(mac ? [{ role: 'close' as const }] : [settings, line, { role: 'quit' as const }]),
      ],
    },
    { role: 'editMenu' },
    viewMenu(entry),
    goMenu(entry, mac),
    { role: 'windowMenu' },
    helpMenu(entry),
  ]
}

/** Creates an entry that sends a command. The accelerator defaults to the command's own keys. */
type MakeEntry = (label: string, command: Command, accelerator?: string) => Entry

const viewMenu = (entry: MakeEntry): Entry => ({
  label: '&View',
  submenu: [
    entry('Command &palette…', 'palette'),
    entry('&Find in this report', 'find'),
    entry('&Refresh', 'refresh'),
    { ...entry('Refresh', 'refresh', 'F5'), visible: false },
    line,
    { role: 'resetZoom' },
    { role: 'zoomIn' },
    // The same key without Shift on most keyboards.
    { role: 'zoomIn', accelerator: 'CommandOrControl+=', visible: false },
    { role: 'zoomOut' },
    line,
    { role: 'togglefullscreen' },
  ],
})

const goMenu = (entry: MakeEntry, mac: boolean): Entry => ({
  label: '&Go',
  submenu: [
    entry('&Back', 'back', ...(mac ? ['Command+['] : [])),
    entry('&Forward', 'forward', ...(mac ? ['Command+]'] : [])),
    line,
    entry('&Today', 'today'),
    entry('&Overview', 'overview'),
    entry('&All accounts', 'accounts'),
    entry('&Reports', 'reports'),
    entry('Ra&w reports', 'raw'),
    entry('Raw r&ows', 'rows'),
    entry('&Downloads', 'downloads'),
    entry('&Cases', 'cases'),
    entry('F&indings', 'findings'),
    entry('Sc&hedules', 'schedules'),
    line,
    entry('&Next account', 'next-account'),
    entry('&Previous account', 'previous-account'),
  ],
})

const helpMenu = (entry: MakeEntry): Entry => ({
  role: 'help',
  submenu: [
    entry("&User's guide", 'guide'),
    entry('Short &tour…', 'tour'),
    entry('&Glossary', 'words'),
    entry('&Keyboard shortcuts', 'keys'),
    line,
    entry('What &happened', 'happened'),
    entry('&About Traffic Desk', 'about'),
  ],
})

/** Returns a command's Electron accelerator; undefined if it has none. */
function keysOf(command: Command): string | undefined {
  const { key, keys } = commandEntry(command)
  return key === undefined ? keys : `CommandOrControl+${key}`
}
