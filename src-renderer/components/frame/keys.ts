import type { App } from '#renderer/stores/app.ts'
import { commandEntry } from '#shared/app/commands.ts'
import type { Command } from '#shared/app/commands.ts'
import { switchAccount } from './switch-account.ts'

const mac = () => navigator.platform.startsWith('Mac')

/** A key with the system's own modifier, in words: `Ctrl+K`, or `⌘K`. */
export const keyWords = (key: string): string => (mac() ? `⌘${key}` : `Ctrl+${key}`)

const arrows: Readonly<Record<string, string>> = { Left: '←', Right: '→', Up: '↑', Down: '↓' }

/** The keys that give a command, in words; null where it has none. */
export function commandKeys(command: Command): string | null {
  const { key, keys } = commandEntry(command)
  const words = key === undefined ? keys : keyWords(key)
  return words?.replace(/Left|Right|Up|Down/, (arrow) => arrows[arrow] ?? arrow) ?? null
}

/** Fields have an undo of their own. */
const isField = (target: EventTarget | null) =>
  target instanceof HTMLInputElement && !['checkbox', 'radio', 'button'].includes(target.type)

/**
 * The keys that the frame answers itself, so that they work wherever the focus is and without a menu: Ctrl or Cmd with K
 * for the palette, with 1 to 9 for an account, with Z for what the newest message offers. True where the key was one of
 * them.
 */
export function answerKey(app: App, event: KeyboardEvent): boolean {
  if (!(mac() ? event.metaKey : event.ctrlKey) || event.altKey || event.shiftKey) return false
  if (event.key.toLowerCase() === 'k') return app.commands.run('palette')
  if (event.key.toLowerCase() === 'z' && !isField(event.target)) return app.messages.actOnNewest()
  const account = /^[1-9]$/.test(event.key) ? app.desk.accounts[Number(event.key) - 1] : undefined
  if (!account) return false
  void switchAccount(app, account.id)
  return true
}
