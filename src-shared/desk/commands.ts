/** What the menu asks of the window; each is an entry with its keys. */
export const commands = [
  'palette',
  'refresh',
  'overview',
  'reports',
  'raw',
  'downloads',
  'settings',
  'back',
  'forward',
  'find',
  'save-view',
  'export',
  'copy-link',
  'next-account',
  'previous-account',
] as const

export type Command = (typeof commands)[number]
