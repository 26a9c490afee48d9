import type { MenuItemConstructorOptions } from 'electron'
import type { Command } from '../../src-shared/desk/commands.ts'

type Entry = MenuItemConstructorOptions

const line: Entry = { type: 'separator' }

/**
 * The menu of the app: its keys above all, since the bar is hidden where the system allows. What the system knows are
 * roles; everything else asks the window. There is no reloading: the window asks anew by itself.
 * @param send tells the window what was chosen
 */
export function menuTemplate(platform: NodeJS.Platform, send: (command: Command) => void): Entry[] {
  const mac = platform === 'darwin'
  const entry = (label: string, command: Command, accelerator: string): Entry => ({
    label,
    accelerator,
    click: () => {
      send(command)
    },
  })
  const settings = entry(mac ? 'Settings…' : '&Settings', 'settings', 'CommandOrControl+,')
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
        entry('&Save view…', 'save-view', 'CommandOrControl+D'),
        entry('&Export…', 'export', 'CommandOrControl+E'),
        entry('&Copy link to this view', 'copy-link', 'CommandOrControl+Shift+C'),
        line,
        ...(mac ? [{ role: 'close' as const }] : [settings, line, { role: 'quit' as const }]),
      ],
    },
    { role: 'editMenu' },
    {
      label: '&View',
      submenu: [
        entry('Command &palette…', 'palette', 'CommandOrControl+K'),
        entry('&Find in this report', 'find', 'CommandOrControl+F'),
        entry('&Refresh', 'refresh', 'CommandOrControl+R'),
        { ...entry('Refresh', 'refresh', 'F5'), visible: false },
        line,
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        // The same key without Shift, as most keyboards have it.
        { role: 'zoomIn', accelerator: 'CommandOrControl+=', visible: false },
        { role: 'zoomOut' },
        line,
        { role: 'togglefullscreen' },
      ],
    },
    {
      label: '&Go',
      submenu: [
        entry('&Back', 'back', mac ? 'Command+[' : 'Alt+Left'),
        entry('&Forward', 'forward', mac ? 'Command+]' : 'Alt+Right'),
        line,
        entry('&Overview', 'overview', 'Alt+1'),
        entry('&Reports', 'reports', 'Alt+2'),
        entry('Ra&w reports', 'raw', 'Alt+3'),
        entry('&Downloads', 'downloads', 'Alt+4'),
        line,
        entry('&Next account', 'next-account', 'CommandOrControl+Alt+Down'),
        entry('&Previous account', 'previous-account', 'CommandOrControl+Alt+Up'),
      ],
    },
    { role: 'windowMenu' },
  ]
}
