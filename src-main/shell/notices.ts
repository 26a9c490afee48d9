import type { DeskNotification } from '#shared/texts/raw.ts'
import type { Notice } from '#shared/app/state.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import type { Handlers } from '#main/lib/module.ts'
import type { Log } from './log.ts'

/** Notices shown until the user dismisses them or the app exits. The newest is last. */
export class Notices {
  readonly #standing = new Map<string, Notice>()
  readonly #events: AppEvents

  constructor(events: AppEvents, log: Log) {
    this.#events = events
    events.on('notice/shown', ({ notice }) => {
      log('desk', `Notice ${namelessWords(notice)}`)
      this.show(notice)
    })
    events.on('notice/over', ({ id }) => this.dismiss(id))
  }

  readonly handlers = {
    'desk/dismiss-notice': ({ id }) => {
      this.dismiss(id)
      return null
    },
  } satisfies Partial<Handlers>

  list(): readonly Notice[] {
    return [...this.#standing.values()]
  }

  /** Adds a notice. Replaces one with the same id. */
  show(notice: Notice): void {
    this.#standing.delete(notice.id)
    this.#standing.set(notice.id, notice)
    this.#emit()
  }

  dismiss(id: string): void {
    if (this.#standing.delete(id)) this.#emit()
  }

  #emit(): void {
    this.#events.emit({ kind: 'notices/changed', notices: this.list() })
  }
}

/** Describes a notice for logs and reports, without title and text, which may contain account names. */
export const namelessWords = ({ id, tone }: Notice): string => `${id} (${tone})`

const newsId = 'raw-news'
const why = 'Shown here because this desktop shows no notifications.'

/** Maximum number of notifications in one notice; older ones are counted. */
const MAX = 5

/** Collects notifications that the desktop could not show in one notice, until the user dismisses it. */
export class NewsInWindow {
  readonly #notices: Notices
  #shownNotifications: readonly DeskNotification[] = []

  constructor(notices: Notices) {
    this.#notices = notices
  }

  notify(news: DeskNotification): void {
    const stands = this.#notices.list().some((notice) => notice.id === newsId)
    this.#shownNotifications = stands ? [...this.#shownNotifications, news] : [news]
    this.#notices.show(noticeOf(this.#shownNotifications))
  }
}

function noticeOf(notifications: readonly DeskNotification[]): Notice {
  const tone = notifications.some(({ urgent }) => urgent) ? 'warning' : 'information'
  const [first] = notifications
  if (notifications.length === 1 && first)
    return { id: newsId, tone, title: first.title, text: `${first.body}. ${why}` }
  const newest = notifications.slice(-MAX).map(({ title, body }) => `${title} (${body})`)
  const more = notifications.length - newest.length
  const all = [...(more > 0 ? [`${more} earlier`] : []), ...newest]
  return { id: newsId, tone, title: 'Raw report notifications', text: `${all.join('; ')}. ${why}` }
}
