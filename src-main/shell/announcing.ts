import type { News } from '#shared/raw/settings.ts'
import type { StuckRequest } from '#shared/raw/requests.ts'
import { notificationOf, notificationOfRequest, summaryOf } from '#shared/texts/raw.ts'
import type { DeskNotification } from '#shared/texts/raw.ts'
import type { AccountId, RawReportId } from '#shared/values/ids.ts'
import type { Desktop } from './desktop/desktop.ts'
import type { Showing } from './desktop/notifier.ts'

/** Where in the desk something is that is told of outside its window. */
export type Place =
  | { readonly kind: 'raw'; readonly account: AccountId; readonly report: RawReportId | null }
  | { readonly kind: 'downloads' }
  /** What Help says of the app itself. */
  | { readonly kind: 'about' }

type Report = { readonly account: AccountId; readonly report: RawReportId }

type AnnouncingParts = {
  readonly desktop: Pick<Desktop, 'notifier'>
  /** Whether names are kept to oneself; then no button does anything either. */
  readonly isLocked: () => boolean
  readonly accountName: (account: AccountId) => string
  /** Whether the report's file lies on the disk, or is on its way there. */
  readonly isSaved: (report: Report) => boolean
  readonly open: (place: Place) => void
  readonly save: (report: Report) => void
  readonly showFile: (report: Report) => void
  /** Tells it in the window, where the desktop cannot; false where no window is open. */
  readonly notifyInWindow: (news: DeskNotification) => boolean
  /** For figures; undefined for the system's. */
  readonly locale?: string
}

/**
 * Shows news of raw reports as notifications; a click leads to the report, or to the list where it is about many.
 * @param handing called directly before a notification is handed to the desktop, or told in the window
 * @throws where the desktop shows none, and no window is open
 */
export async function announce(parts: AnnouncingParts, news: News, handing: () => void): Promise<void> {
  if (news.kind === 'summary') {
    const [first] = news.announcements
    if (!first) return
    const place: Place = { kind: 'raw', account: first.account, report: null }
    const all = news.announcements.map((announcement) => ({
      ...announcement,
      account: parts.accountName(announcement.account),
    }))
    await show(parts, () => summaryOf(all), { handing, act: () => parts.open(place) })
    return
  }
  const { account, report } = news.announcement
  const facts = {
    account: parts.accountName(account),
    saved: parts.isSaved({ account, report }),
    locale: parts.locale,
  }
  await show(parts, (named) => notificationOf(named(news.announcement), facts), {
    handing,
    act: (action) => {
      switch (action) {
        case 'open':
          return parts.open({ kind: 'raw', account, report })
        case 'save':
          return parts.save({ account, report })
        case 'show-in-folder':
          return parts.showFile({ account, report })
      }
    },
  })
}

/**
 * Shows that a request is for the person to decide; a click leads to the queue. Where neither the desktop nor a window
 * can tell, the tray and the queue say it.
 */
export async function announceRequest(
  parts: Pick<AnnouncingParts, 'desktop' | 'isLocked' | 'accountName' | 'open' | 'notifyInWindow'>,
  request: StuckRequest,
): Promise<void> {
  const { account } = request
  const words = (named: Named) => notificationOfRequest(named(request), parts.accountName(account))
  const act = () => parts.open({ kind: 'raw', account, report: null })
  await show(parts, words, { handing: () => undefined, act }).catch(() => undefined)
}

type Named = <Told extends { readonly name: string }>(subject: Told) => Told

/** The one place that keeps names, and what buttons do, from whoever finds a locked desk. */
async function show(
  { desktop, isLocked, notifyInWindow }: Pick<AnnouncingParts, 'desktop' | 'isLocked' | 'notifyInWindow'>,
  words: (named: Named) => DeskNotification,
  { handing, act }: Showing,
): Promise<void> {
  const notification = isLocked()
    ? { ...words((subject) => ({ ...subject, name: '' })), body: '', actions: [] }
    : words((subject) => subject)
  try {
    // A button may be of a notification that was shown before: it leads to the lock, as a click does.
    const actUnlocked: Showing['act'] = (chosen) => act(isLocked() ? 'open' : chosen)
    await (await desktop.notifier()).show(notification, { handing, act: actUnlocked })
  } catch (error) {
    if (!notifyInWindow(notification)) throw error
    handing()
  }
}
