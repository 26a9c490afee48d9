import type { Desktop } from './desktop/desktop.ts'
import type { Log } from './log.ts'
import { TrayFeed } from './tray-feed.ts'
import type { TrayFeedParts } from './tray-feed.ts'
import type { TrayFacts } from './tray-picture.ts'
import { DeskTray } from './tray.ts'
import type { DeskTrayParts } from './tray.ts'

export type TrayLifeParts = Omit<DeskTrayParts, 'pause'> & {
  readonly desktop: Pick<Desktop, 'followPanel'>
  /** Without a window from the start on, the icon is the only way to the app. */
  readonly always: boolean
  readonly facts: () => Promise<Omit<TrayFacts, 'now' | 'paused'>>
  /** What is told of the same facts elsewhere: a badge, a bar of progress. */
  readonly told: (facts: Omit<TrayFacts, 'now' | 'paused'>) => void
  readonly pause: (paused: boolean) => void
  readonly now: TrayFeedParts['now']
  readonly after: TrayFeedParts['after']
  readonly log: Log
}

/** The app's life in the tray. */
export type TrayLife = {
  /** Whether the app goes on without a window. */
  readonly wanted: () => boolean
  readonly show: (wanted: boolean) => void
  /** What the tray shows has changed. */
  readonly stirred: () => void
}

/** Keeps the icon and what it shows. It is made as soon as it is known whether there is a panel. */
export function createTrayLife({ desktop, always, log, ...parts }: TrayLifeParts): TrayLife {
  let wanted = always
  let paused = false
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
      parts.told(facts)
    },
    now: parts.now,
    after: parts.after,
  })
  const stirred = () => {
    if (tray.shown) feed.changed()
  }

  return {
    wanted: () => wanted,
    stirred,
    show: (next) => {
      wanted = next || always
      if (!wanted) {
        tray.show(false)
        return
      }
      panelKnown ??= desktop
        .followPanel(() => {
          tray.panelChanged()
        })
        .catch((error: unknown) => {
          log('shell', 'Panels cannot be followed', error)
        })
      void panelKnown.then(() => {
        tray.show(wanted)
        stirred()
      })
    },
  }
}
