import type { Notice } from '#shared/app/state.ts'
import type { Desktop } from './desktop/desktop.ts'
import type { Log } from './log.ts'
import { trayPicture, DeskTray } from './tray.ts'
import type { TrayFacts, TrayPicture, DeskTrayParts } from './tray.ts'

type TrayFeedParts = {
  readonly facts: () => Promise<Omit<TrayFacts, 'now'>>
  readonly show: (picture: TrayPicture, facts: Omit<TrayFacts, 'now'>) => void
  readonly now: () => number
  /** Runs something after so many milliseconds; the result calls it off. */
  readonly after: (milliseconds: number, run: () => void) => () => void
}

/** Changes come in swarms; so many milliseconds after the first, all are shown. */
const together = 250
/** How long ago a report began is said in minutes. */
const minute = 60_000

/** Keeps the tray's picture true: it is drawn anew when something changed, and each minute while reports are made. */
class TrayFeed {
  readonly #parts: TrayFeedParts
  #callOff: (() => void) | null = null
  #due = Infinity
  #closed = false

  constructor(parts: TrayFeedParts) {
    this.#parts = parts
  }

  changed(): void {
    this.#in(together)
  }

  close(): void {
    this.#closed = true
    this.#callOff?.()
  }

  #in(milliseconds: number): void {
    const due = this.#parts.now() + milliseconds
    if (this.#closed || due >= this.#due) return
    this.#callOff?.()
    this.#due = due
    this.#callOff = this.#parts.after(milliseconds, () => void this.#draw())
  }

  async #draw(): Promise<void> {
    this.#due = Infinity
    try {
      const facts = await this.#parts.facts()
      if (this.#closed) return
      this.#parts.show(trayPicture({ ...facts, now: this.#parts.now() }), facts)
      if (facts.raw.running.length > 0) this.#in(minute)
    } catch {
      // The store refuses, and says so for itself; what is shown stays.
    }
  }
}

export type TrayLifeParts = Omit<DeskTrayParts, 'pause'> & {
  readonly desktop: Pick<Desktop, 'followPanel' | 'hasPanel' | 'notifier'>
  readonly facts: () => Promise<Omit<TrayFacts, 'now' | 'paused'>>
  /** What is told of the same facts elsewhere: a badge, a bar of progress. */
  readonly notify: (facts: Omit<TrayFacts, 'now' | 'paused'>) => void
  readonly pause: (paused: boolean) => void
  /** Resolves once what is looked at first is there: the icon comes after that. */
  readonly settled: Promise<void>
  /** Tells it in the window, or in the next one. */
  readonly showNotice: (notice: Notice) => void
  readonly now: TrayFeedParts['now']
  readonly after: TrayFeedParts['after']
  readonly log: Log
}

/** The app's life in the tray. */
type TrayLife = {
  readonly show: (wanted: boolean) => void
  /** The app began without a window: the icon is the only way to it from now on, whatever is set. */
  readonly stay: () => void
  /** The window was closed: whether the app goes on. Where it does and there is no panel for its icon, that is said, once. */
  readonly goesOn: () => boolean
  /** What the tray shows has changed. */
  readonly changed: () => void
}

const withoutTray = {
  title: 'No tray for the icon of Traffic Desk was found',
  text:
    'Traffic Desk goes on when its window is closed, and tells of raw reports. If its icon can be seen nowhere, start ' +
    'Traffic Desk again to open its window. “Quit” in its menu ends it.',
}

/** Keeps the icon and what it shows. It is made as soon as it is known whether there is a panel. */
export function createTrayLife({ desktop, log, ...parts }: TrayLifeParts): TrayLife {
  let always = false
  let wanted = false
  let paused = false
  let before: boolean | undefined
  let said = false
  let panelKnown: Promise<void> | undefined

  const tray = new DeskTray({
    ...parts,
    pause: (next) => {
      paused = next
      parts.pause(next)
      feed.changed()
    },
  })
  const feed = new TrayFeed({
    facts: async () => ({ ...(await parts.facts()), paused }),
    show: (picture, facts) => {
      tray.picture(picture)
      parts.notify(facts)
    },
    now: parts.now,
    after: parts.after,
  })
  const showNotice = () => {
    parts.showNotice({ id: 'no-tray', tone: 'information', ...withoutTray })
  }

  function show(next: boolean): void {
    const isNew = next && before === false
    before = next
    wanted = next || always
    if (!wanted) {
      tray.show(false)
      return
    }
    panelKnown ??= parts.settled
      .then(() =>
        desktop.followPanel(() => {
          tray.panelChanged()
        }),
      )
      .catch((error: unknown) => {
        log('shell', 'Panels cannot be followed', error)
      })
    void panelKnown.then(() => {
      tray.show(wanted)
      if (tray.shown) feed.changed()
      if (isNew && !desktop.hasPanel()) showNotice()
    })
  }

  return {
    changed: () => {
      feed.changed()
    },
    goesOn: () => {
      if (!wanted) return false
      void panelKnown?.then(() => {
        if (said || desktop.hasPanel()) return
        said = true
        notifyWithoutWindow(desktop, () => parts.open(null)).catch(showNotice)
      })
      return true
    },
    show,
    stay: () => {
      always = true
      show(true)
    },
  }
}

/** Says that the app goes on where no window and no icon shows it. @throws where the desktop shows no notifications */
async function notifyWithoutWindow(
  desktop: Pick<TrayLifeParts['desktop'], 'notifier'>,
  act: () => void,
): Promise<void> {
  const title = 'Traffic Desk goes on without its window'
  const body =
    'No tray for its icon was found. Click here, or start it again, to open it; “Quit” in its menu ends it.'
  const handlers = { handing: () => undefined, act }
  await (await desktop.notifier()).show({ title, body, actions: [], urgent: false }, handlers)
}
