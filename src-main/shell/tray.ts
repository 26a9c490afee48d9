import type { MenuItemConstructorOptions, Tray } from 'electron'
import type { Download } from '#shared/downloads/download.ts'
import type { StuckRequest } from '#shared/raw/requests.ts'
import type { RawSummary } from '#shared/raw/list.ts'
import { endings, stuckWords } from '#shared/texts/raw.ts'
import type { Place } from './announcing.ts'

export type TrayFacts = {
  readonly raw: RawSummary
  readonly downloads: readonly Download[]
  /** Requests that are for the person to decide. */
  readonly stuck: readonly StuckRequest[]
  /** Whether the service of the active account can be reached, in words: "Up to date at 14:03". */
  readonly sync: string
  /** How it stands with keeping pinned views up to date, in words; null where there is nothing to say. */
  readonly pinned: string | null
  readonly paused: boolean
  /** Whether the window can be locked, or is: then nothing is told by name. */
  readonly lock: 'off' | 'open' | 'locked'
  /** Milliseconds since 1970. */
  readonly now: number
}

/** A menu is read at a glance: of more than these, the number is said. */
const MAX_LINES = 5

/** What the tray shows of the desk. */
export function trayPicture(facts: TrayFacts): TrayPicture {
  return {
    icon: iconFor(facts),
    tooltip: `Traffic Desk: ${wordsFor(facts)}`,
    groups:
      facts.lock === 'locked'
        ? []
        : [
            stuckLines(facts),
            reportLines(facts),
            downloadLines(facts),
            [facts.sync, facts.pinned].flatMap((words) => (words === null ? [] : [{ words, place: null }])),
          ],
    paused: facts.paused,
    canLock: facts.lock === 'open',
  }
}

const isSaving = ({ state }: Pick<Download, 'state'>) =>
  ['running', 'checking', 'unpacking'].includes(state.kind)

function iconFor({ raw, downloads, stuck, paused }: TrayFacts): TrayIcon {
  if (raw.attention > 0 || stuck.length > 0 || downloads.some(({ state }) => state.kind === 'failed'))
    return 'attention'
  if (raw.readyUnseen > 0) return 'ready'
  const works = raw.running.length > 0 || downloads.some(isSaving)
  return works && !paused ? 'working' : 'idle'
}

const counted = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`

function wordsFor({ raw, downloads, stuck, sync, paused, lock }: TrayFacts): string {
  const saving = downloads.filter(isSaving).length
  const parts = [
    ...(lock === 'locked' ? ['locked'] : []),
    ...(paused ? ['paused'] : []),
    ...(raw.attention > 0 ? [`${counted(raw.attention, 'report needs', 'reports need')} a look`] : []),
    ...(stuck.length > 0 ? [`${counted(stuck.length, 'request needs', 'requests need')} a decision`] : []),
    ...(raw.readyUnseen > 0 ? [counted(raw.readyUnseen, 'report ready', 'reports ready')] : []),
    ...(raw.running.length > 0
      ? [counted(raw.running.length, 'report in progress', 'reports in progress')]
      : []),
    ...(saving > 0 ? [counted(saving, 'file being saved', 'files being saved')] : []),
  ]
  return parts.length > 0 ? parts.join(', ') : sync.charAt(0).toLowerCase() + sync.slice(1)
}

/** Where nobody decides, nothing more comes of a request. */
function stuckLines({ stuck }: TrayFacts): TrayLine[] {
  const lines = stuck.slice(0, MAX_LINES).map(({ account, name, state }) => ({
    words: `${name || 'A request'} ${stuckWords[state.kind]}`,
    place: { kind: 'raw', account, report: null } as const,
  }))
  const more = stuck.length - lines.length
  return more > 0 ? [...lines, { words: `${more} more to be decided`, place: null }] : lines
}

function reportLines({ raw, now }: TrayFacts): TrayLine[] {
  const running = raw.running.slice(0, MAX_LINES).map(({ account, report, name, since }) => ({
    words: `${name || 'Raw report'}: in progress for ${minutes(now - since)}`,
    place: { kind: 'raw', account, report } as const,
  }))
  const more = raw.running.length - running.length
  const last = raw.lastFinished
  return [
    ...running,
    ...(more > 0 ? [{ words: `${more} more in progress`, place: null }] : []),
    ...(last === null
      ? []
      : [
          {
            words: `${last.name || 'Raw report'} ${endings[last.kind]}`,
            place: { kind: 'raw', account: last.account, report: last.report } as const,
          },
        ]),
  ]
}

function minutes(milliseconds: number): string {
  const whole = Math.max(0, Math.floor(milliseconds / 60_000))
  return whole < 1
    ? 'less than a minute'
    : whole < 60
      ? `${whole} min`
      : `${Math.floor(whole / 60)} h ${whole % 60} min`
}

function downloadLines({ downloads }: TrayFacts): TrayLine[] {
  const under = downloads.filter((download) => isSaving(download) || download.state.kind === 'paused')
  const place = { kind: 'downloads' } as const
  const lines = under
    .slice(0, MAX_LINES)
    .map((download) => ({ words: `${download.file}: ${progressOf(download)}`, place }))
  const more = under.length - lines.length
  return more > 0 ? [...lines, { words: `${more} more being saved`, place }] : lines
}

function progressOf({ state, size }: Download): string {
  switch (state.kind) {
    case 'running':
      return size ? `${Math.floor((state.got / size) * 100)} %` : 'being saved'
    case 'checking':
      return 'being checked'
    case 'unpacking':
      return 'being unpacked'
    case 'paused':
      return 'paused'
    case 'waiting':
    case 'failed':
    case 'saved':
    case 'missing':
      return state.kind
  }
}

/** How far what is being saved is, from 0 to 1, for the taskbar; below 0 where nothing is, above 1 where nobody knows. */
export function progressOfAll(downloads: readonly Download[]): number {
  const under = downloads.filter(isSaving)
  if (under.length === 0) return -1
  const sizes = under.map(({ size }) => size ?? 0)
  if (sizes.includes(0)) return 2
  const got = under.map(({ state, size }) => (state.kind === 'running' ? state.got : (size ?? 0)))
  const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0)
  return Math.min(1, sum(got) / sum(sizes))
}

/** What the icon shows at a glance. */
export const trayIcons = ['idle', 'working', 'ready', 'attention'] as const
export type TrayIcon = (typeof trayIcons)[number]

/** Something that stands in the menu; with a place, it is opened there. */
type TrayLine = { readonly words: string; readonly place: Place | null }

/** All that the tray shows. */
export type TrayPicture = {
  readonly icon: TrayIcon
  /** One sentence. */
  readonly tooltip: string
  /** What runs, what ended last, what is being saved, and whether the desk is up to date: a line between the groups. */
  readonly groups: readonly (readonly TrayLine[])[]
  /** Whether nothing is watched, renewed or saved until the person wants it again. */
  readonly paused: boolean
  /** Whether the window can be locked at this moment. */
  readonly canLock: boolean
}

type SystemTray = Pick<Tray, 'setImage' | 'setToolTip' | 'setContextMenu' | 'on' | 'destroy'>

export type DeskTrayParts = {
  readonly create: (icon: TrayIcon) => SystemTray
  readonly image: (icon: TrayIcon) => Parameters<Tray['setImage']>[0]
  readonly menu: (template: MenuItemConstructorOptions[]) => Parameters<Tray['setContextMenu']>[0]
  readonly open: (place: Place | null) => void
  readonly pause: (paused: boolean) => void
  readonly lock: () => void
  readonly quit: () => void
}

/** What it shows while nothing happens. */
const restingPicture: TrayPicture = {
  icon: 'idle',
  tooltip: 'Traffic Desk',
  groups: [],
  paused: false,
  canLock: false,
}

/** The icon by which the app is found while it has no window. It is there only as long as the person wants it. */
export class DeskTray {
  readonly #parts: DeskTrayParts
  #tray: SystemTray | null = null
  #picture = restingPicture

  constructor(parts: DeskTrayParts) {
    this.#parts = parts
  }

  get shown(): boolean {
    return this.#tray !== null
  }

  show(wanted: boolean): void {
    if (wanted === this.shown) return
    if (wanted) this.#create()
    else this.#remove()
  }

  /** A panel appeared or went: an icon belongs to the one that was there when it was made. */
  panelChanged(): void {
    if (!this.shown) return
    this.#remove()
    this.#create()
  }

  /** Shows this from now on; what has not changed is left alone, so that an open menu stays as it is. */
  picture(next: TrayPicture): void {
    const before = this.#picture
    this.#picture = next
    if (!this.#tray) return
    if (next.icon !== before.icon) this.#tray.setImage(this.#parts.image(next.icon))
    if (next.tooltip !== before.tooltip) this.#tray.setToolTip(next.tooltip)
    const inMenu = ({ groups, paused, canLock }: TrayPicture) => JSON.stringify([groups, paused, canLock])
    if (inMenu(next) !== inMenu(before)) this.#setMenu(this.#tray)
  }

  #create(): void {
    const tray = this.#parts.create(this.#picture.icon)
    tray.setToolTip(this.#picture.tooltip)
    this.#setMenu(tray)
    tray.on('click', () => this.#parts.open(null))
    this.#tray = tray
  }

  #remove(): void {
    this.#tray?.destroy()
    this.#tray = null
  }

  #setMenu(tray: SystemTray): void {
    tray.setContextMenu(this.#parts.menu(trayMenu(this.#picture, this.#parts)))
  }
}

const line: MenuItemConstructorOptions = { type: 'separator' }

/** An ampersand would underline the letter behind it; a menu as wide as the screen helps nobody. */
const plain = (words: string) => (words.length > 60 ? `${words.slice(0, 59)}…` : words).replaceAll('&', '&&')

/** The menu for a picture. */
function trayMenu(
  { groups, paused, canLock }: TrayPicture,
  { open, pause, lock, quit }: Pick<DeskTrayParts, 'open' | 'pause' | 'lock' | 'quit'>,
): MenuItemConstructorOptions[] {
  const entries = groups
    .filter((group) => group.length > 0)
    .flatMap((group) => [
      ...group.map(({ words, place }): MenuItemConstructorOptions => ({
        label: plain(words),
        enabled: place !== null,
        ...(place !== null && { click: () => open(place) }),
      })),
      line,
    ])
  return [
    { label: 'Open Traffic Desk', click: () => open(null) },
    line,
    ...entries,
    { label: 'Pause', type: 'checkbox', checked: paused, click: () => pause(!paused) },
    ...(canLock ? [{ label: 'Lock now', click: lock }] : []),
    { label: 'Quit', click: quit },
  ]
}
