type CommandEntry = {
  readonly words: string
  /** Shortcut with Ctrl, or Command on macOS. */
  readonly key?: string
  /** Shortcut without a further modifier. */
  readonly keys?: string
}

/** Commands of the menu and the palette. Shortcuts are Electron accelerators. */
const entries = {
  palette: { words: 'Command palette…', key: 'K' },
  refresh: { words: 'Refresh figures', key: 'R' },
  find: { words: 'Find in this report', key: 'F' },
  'save-view': { words: 'Save view…', key: 'D' },
  export: { words: 'Export…', key: 'E' },
  'raw-rows': { words: 'Request raw rows for this view…' },
  'copy-link': { words: 'Copy link to this view', key: 'Shift+C' },
  today: { words: 'Today', keys: 'Alt+8' },
  overview: { words: 'Overview', keys: 'Alt+1' },
  accounts: { words: 'All accounts', keys: 'Alt+6' },
  reports: { words: 'Reports', keys: 'Alt+2' },
  raw: { words: 'Raw reports', keys: 'Alt+3' },
  downloads: { words: 'Downloads', keys: 'Alt+4' },
  rows: { words: 'Raw rows', keys: 'Alt+5' },
  cases: { words: 'Cases', keys: 'Alt+7' },
  findings: { words: 'Findings', keys: 'Alt+9' },
  schedules: { words: 'Schedules', keys: 'Alt+0' },
  settings: { words: 'Settings', key: ',' },
  back: { words: 'Back', keys: 'Alt+Left' },
  forward: { words: 'Forward', keys: 'Alt+Right' },
  'next-account': { words: 'Next account', key: 'Alt+Down' },
  'previous-account': { words: 'Previous account', key: 'Alt+Up' },
  lock: { words: 'Lock now', key: 'Shift+L' },
  guide: { words: "User's guide", keys: 'F1' },
  words: { words: 'Glossary' },
  keys: { words: 'Keyboard shortcuts', key: '/' },
  happened: { words: 'Recent messages' },
  tour: { words: 'Short tour…' },
  about: { words: 'About Traffic Desk' },
} as const satisfies Record<string, CommandEntry>

export type Command = keyof typeof entries

export const commands = Object.keys(entries) as readonly Command[]

/** Returns a command's label and shortcuts. */
export const commandEntry = (command: Command): CommandEntry => entries[command]

/** Commands that the open view offers to the palette only. */
export type ViewCommand =
  | 'export-pdf'
  | 'export-xlsx'
  | 'export-report'
  | 'save-chart'
  | 'keep-offline'
  | 'offline-days'
  | 'stop-offline'
  | 'add-note'
  | 'new-alert'
  | 'new-case'
  | 'block-list'
  | 'new-token'
  | 'restore'
  | `settings:${SettingsPlace}`

/** Sections of Settings, by heading. */
export const settingsPlaces = {
  accounts: 'Accounts',
  alerts: 'Alerts',
  appearance: 'Appearance',
  storage: 'Saved figures',
  publish: 'Publish history',
  sources: 'Sources and campaigns',
  files: 'Files',
  pdf: 'PDFs for clients',
  backup: 'Backup',
  raw: 'Raw reports',
  startup: 'Startup',
  lock: 'Lock',
} as const

export type SettingsPlace = keyof typeof settingsPlaces
