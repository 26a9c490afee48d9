import type { News } from '../../src-shared/raw/announcements.ts'
import type { AccountId, RawReportId } from '../../src-shared/values/ids.ts'
import { notificationOf, summaryOf } from './announcement-words.ts'
import type { Desktop } from './desktop/desktop.ts'
import type { Place } from './desktop/place.ts'

type Report = { readonly account: AccountId; readonly report: RawReportId }

export type AnnouncingParts = {
  readonly desktop: Pick<Desktop, 'notifier'>
  readonly accountName: (account: AccountId) => string
  /** Whether the report's file lies on the disk. */
  readonly isSaved: (report: Report) => boolean
  readonly open: (place: Place) => void
  readonly save: (report: Report) => void
  readonly showFile: (report: Report) => void
  /** For figures; undefined for the system's. */
  readonly locale?: string
}

/**
 * Shows news of raw reports as notifications; a click leads to the report, or to the list where it is about many.
 * @param handing called directly before a notification is handed to the desktop
 * @throws where the desktop shows none
 */
export async function announce(parts: AnnouncingParts, news: News, handing: () => void): Promise<void> {
  const notifier = await parts.desktop.notifier()
  if (news.as === 'summary') {
    const [first] = news.announcements
    if (!first) return
    const place: Place = { view: 'raw', account: first.account, report: null }
    await notifier.show(summaryOf(news.announcements), { handing, act: () => parts.open(place) })
    return
  }
  const { account, report } = news.announcement
  const facts = {
    account: parts.accountName(account),
    saved: parts.isSaved({ account, report }),
    locale: parts.locale,
  }
  await notifier.show(notificationOf(news.announcement, facts), {
    handing,
    act: (action) => {
      switch (action) {
        case 'open':
          return parts.open({ view: 'raw', account, report })
        case 'save':
          return parts.save({ account, report })
        case 'show-in-folder':
          return parts.showFile({ account, report })
      }
    },
  })
}
