import type { DeskNotification } from '#shared/texts/raw.ts'
import type { Notice } from '#shared/app/state.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import type { Handlers } from '#main/lib/module.ts'
import type { Log } from './log.ts'

/** What the person should know, until they dismiss it or the app ends. The newest stands last. */
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

  /** Adds a notice, or puts it in the place of the one with the same id. */
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

/** What is written down of a notice, for others to read: its title and text may name accounts, which are called as clients are. */
export const namelessWords = ({ id, tone }: Notice): string => `${id} (${tone})`

const newsId = 'raw-news'
const why = 'Shown here because this desktop shows no notifications.'

/** A notice has room for so many of them: the newest. */
const MAX = 5

/** News of raw reports that no notification could tell of: one notice in the window, which grows until it is dismissed. */
export class NewsInWindow {
  readonly #notices: Pick<Notices, 'list' | 'show'>
  #shown: readonly DeskNotification[] = []

  constructor(notices: Pick<Notices, 'list' | 'show'>) {
    this.#notices = notices
  }

  notify(news: DeskNotification): void {
    const stands = this.#notices.list().some((notice) => notice.id === newsId)
    this.#shown = stands ? [...this.#shown, news] : [news]
    this.#notices.show(noticeOf(this.#shown))
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
