import type { Failure } from '#shared/api/failure.ts'
import { commandEntry } from '#shared/app/commands.ts'
import type { Command } from '#shared/app/commands.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { linkTo, plainCases, plainFindings } from '#shared/views/address.ts'
import type { HelpTopic } from '#shared/views/view-address.ts'
import { activateAccount } from '../../queries/accounts.ts'
import type { WindowApp } from '../../stores/app.ts'
import { copyText } from '../../stores/copy-text.ts'

type Needed = Pick<WindowApp, 'bridge' | 'queries' | 'desk' | 'messages'>

/** Activates another account, and shows a message with its name or the failure. */
export async function switchAccount(app: Needed, account: AccountId): Promise<void> {
  if (app.desk.account?.id === account) return
  announceSwitch(app, await activateAccount(app, account))
}

/** Activates the next or previous account in the list. */
async function switchToNext(app: Needed, by: 1 | -1): Promise<void> {
  const { accounts, account } = app.desk
  if (accounts.length < 2) {
    app.messages.show('There is no other account.')
    return
  }
  const place = accounts.findIndex(({ id }) => id === account?.id)
  const next = accounts[(place + by + accounts.length) % accounts.length]
  if (next) announceSwitch(app, await activateAccount(app, next.id))
}

function announceSwitch({ desk, messages }: Needed, failure: Failure | null): void {
  messages.show(
    failure
      ? `The account was not switched. ${failure.message}`
      : `Now showing ${desk.account?.name ?? 'another account'}.`,
  )
}

const mac = () => navigator.platform.startsWith('Mac')

/** Label of a key with the system's modifier: `Ctrl+K`, or `⌘K`. */
export const keyWords = (key: string): string => (mac() ? `⌘${key}` : `Ctrl+${key}`)

const arrows: Readonly<Record<string, string>> = { Left: '←', Right: '→', Up: '↑', Down: '↓' }

/** Shortcut of a command as a label; null if it has none. */
export function commandKeys(command: Command): string | null {
  const { key, keys } = commandEntry(command)
  const words = key === undefined ? keys : keyWords(key)
  return words?.replace(/Left|Right|Up|Down/, (arrow) => arrows[arrow] ?? arrow) ?? null
}

/** Text fields have their own undo. */
const isField = (target: EventTarget | null) =>
  target instanceof HTMLInputElement && !['checkbox', 'radio', 'button'].includes(target.type)

/**
 * Handles shortcuts with Ctrl or Cmd: K for the palette, 1 to 9 for an account, Z for the newest message's action.
 * @returns whether the key was handled
 */
export function answerKey(app: WindowApp, event: KeyboardEvent): boolean {
  if (!(mac() ? event.metaKey : event.ctrlKey) || event.altKey || event.shiftKey) return false
  if (event.key.toLowerCase() === 'k') return app.commands.run('palette')
  if (event.key.toLowerCase() === 'z' && !isField(event.target)) return app.messages.actOnNewest()
  const account = /^[1-9]$/.test(event.key) ? app.desk.accounts[Number(event.key) - 1] : undefined
  if (!account) return false
  void switchAccount(app, account.id)
  return true
}

/** Button of the message that offers the tour. */
export const tourOffer = 'Take the tour'

/** Commands available in every view. The window offers palette and tour; views of figures offer saving and raw rows. */
type FrameCommand = Exclude<Command, 'palette' | 'tour' | 'save-view' | 'raw-rows'>

/** Messages for commands that are unavailable. Most commands need an account. */
const nothingToDo: Readonly<Partial<Record<Command, string>>> = {
  palette: 'There is nothing to choose yet.',
  refresh: 'There are no figures here to refresh.',
  back: 'There is nothing to go back to.',
  forward: 'There is nothing to go forward to.',
  find: 'There is nothing to search here.',
  'save-view': 'Only Overview, reports and raw rows can be saved as a view.',
  export: 'There are no figures here to export.',
  'raw-rows': 'There are no figures here to request raw rows for.',
  'next-account': 'There is no other account.',
  'previous-account': 'There is no other account.',
}

const wordsOfNothing = (command: Command) => nothingToDo[command] ?? 'Connect to a service first.'

/** Runs a command of the menu, or shows why it is unavailable. */
export function obey(
  { commands, messages }: Pick<WindowApp, 'commands' | 'messages'>,
  command: Command,
): void {
  if (!commands.run(command)) messages.show(wordsOfNothing(command))
}

/** Offers the commands of every view. Call the result to withdraw them. */
export function offerFrameCommands(app: WindowApp, view: Window): () => void {
  const { navigation, shownQueries, messages } = app
  const showNothing = (command: Command) => messages.show(wordsOfNothing(command))
  const help = (topic: HelpTopic) => () => navigation.go({ kind: 'help', topic })
  const does: Readonly<Record<FrameCommand, () => void>> = {
    refresh: () => {
      if (app.desk.account?.kind === 'earlier') messages.show('These saved figures are not refreshed.')
      else if (shownQueries.list.length === 0) showNothing('refresh')
      else shownQueries.list.forEach((query) => query.again(true))
    },
    today: () => navigation.go({ kind: 'today' }),
    overview: () => navigation.go(navigation.overview),
    accounts: () => navigation.go(navigation.accounts),
    reports: () => navigation.go(navigation.report),
    raw: () => navigation.go(navigation.raw),
    rows: () => navigation.go(navigation.rows),
    downloads: () => navigation.go({ kind: 'downloads' }),
    cases: () => navigation.go(plainCases),
    findings: () => navigation.go(plainFindings),
    schedules: () => navigation.go({ kind: 'schedules' }),
    settings: () => navigation.go({ kind: 'settings' }),
    back: () => view.history.back(),
    forward: () => view.history.forward(),
    find: () => {
      if (!focusSearch(view.document)) showNothing('find')
    },
    export: () => {
      if (!pressExport(view.document)) showNothing('export')
    },
    'copy-link': () => void copyText(app, linkTo(navigation.address), 'Link to this view copied.'),
    'next-account': () => void switchToNext(app, 1),
    'previous-account': () => void switchToNext(app, -1),
    lock: () => void lockNow(app),
    guide: help('guide'),
    words: help('words'),
    keys: help('keys'),
    happened: help('happened'),
    about: help('about'),
  }
  const stops = Object.entries(does).map(([command, run]) => app.commands.offer(command as FrameCommand, run))
  return () => stops.forEach((stop) => stop())
}

/** Focuses the search field of the open view. */
function focusSearch(page: Document): boolean {
  const field = page.querySelector<HTMLInputElement>('#content input[type="search"]')
  field?.focus()
  field?.select()
  return field !== null
}

/** Clicks the view's own button, because the menu that opens belongs to the view. */
function pressExport(page: Document): boolean {
  const buttons = Array.from(page.querySelectorAll<HTMLButtonElement>('#content button'))
  const button = buttons.find(
    (hTMLButtonElement) => hTMLButtonElement.textContent.trim() === 'Export' && !hTMLButtonElement.disabled,
  )
  button?.focus()
  button?.click()
  return button !== undefined
}

async function lockNow({ bridge, messages }: WindowApp): Promise<void> {
  const outcome = await bridge.call('lock/now')
  if (!outcome.ok) messages.show(outcome.failure.message)
}

/**
 * Captures typing while the palette loads, which would otherwise go to the focused field.
 * @returns a function that ends the capture and returns the text
 */
export function captureTyping(page: Document): () => string {
  let text = ''
  const capture = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key.length === 1) text += event.key
    else if (event.key === 'Backspace') text = text.slice(0, -1)
    else if (event.key !== 'Enter') return
    event.preventDefault()
    event.stopPropagation()
  }
  page.addEventListener('keydown', capture, true)
  return () => {
    page.removeEventListener('keydown', capture, true)
    return text
  }
}
