import { describe, expect, it } from 'vitest'
import { AppEvents } from '#main/lib/app-events.ts'
import { Notices, NewsInWindow } from '#main/shell/notices.ts'
import type { Notice } from '#shared/app/state.ts'
import { eventsTo } from '#test/helpers/app-events.ts'

const notice = (id: string, text = ''): Notice => ({ id, tone: 'warning', title: id, text })

/** Notices on a bus, and the ids that windows were told of. */
function noticesOn() {
  const told: string[][] = []
  const bus = eventsTo((event) => {
    if (event.kind === 'notices/changed') told.push(event.notices.map(({ id }) => id))
  })
  const logged: string[] = []
  return { bus, told, logged, notices: new Notices(bus, (_, words) => logged.push(words)) }
}

describe('notices', () => {
  it('stand until they are dismissed, and every change is told', () => {
    const { notices, told } = noticesOn()
    notices.show(notice('a'))
    notices.show(notice('b'))
    notices.dismiss('a')
    expect(told).toEqual([['a'], ['a', 'b'], ['b']])
    expect(notices.list()).toEqual([notice('b')])
  })

  it('replace the one with the same id, and stand last', () => {
    const { notices } = noticesOn()
    notices.show(notice('a', 'old'))
    notices.show(notice('b'))
    notices.show(notice('a', 'new'))
    expect(notices.list()).toEqual([notice('b'), notice('a', 'new')])
  })

  it('are silent where there was nothing to dismiss', () => {
    const { notices, told } = noticesOn()
    notices.dismiss('none')
    expect(told).toEqual([])
  })

  it('are shown and withdrawn by events, and written down without their words', () => {
    const { bus, notices, logged } = noticesOn()
    bus.emit({ kind: 'notice/shown', notice: notice('a', 'of Acme') })
    expect(notices.list()).toEqual([notice('a', 'of Acme')])
    bus.emit({ kind: 'notice/over', id: 'a' })
    expect({ left: notices.list(), logged }).toEqual({ left: [], logged: ['Notice a (warning)'] })
  })
})

const about = (name: string, urgent = false) => ({
  ...{ title: `${name} is ready`, body: 'Northwind · 12 rows', actions: [], urgent },
})

function newsIn() {
  const notices = new Notices(new AppEvents(), () => undefined)
  return { notices, news: new NewsInWindow(notices) }
}

describe('news in the window', () => {
  it('say what a notification would have said, and why it is said there', () => {
    const { notices, news } = newsIn()
    news.notify(about('Weekly'))
    expect(notices.list()).toEqual([
      {
        id: 'raw-news',
        tone: 'information',
        title: 'Weekly is ready',
        text: 'Northwind · 12 rows. Shown here because this desktop shows no notifications.',
      },
    ])
  })

  it('stand together, the newest of many, until they are dismissed', () => {
    const { notices, news } = newsIn()
    for (const name of ['A', 'B', 'C', 'D', 'E', 'F']) news.notify(about(name, name === 'D'))
    const [notice, ...others] = notices.list()
    expect(others).toEqual([])
    expect(notice).toMatchObject({ tone: 'warning', title: 'Raw report notifications' })
    expect(notice?.text).toMatch(/^1 earlier; B is ready \(Northwind · 12 rows\); C .*; F is ready/)
    notices.dismiss('raw-news')
    news.notify(about('G'))
    expect(notices.list()).toMatchObject([{ title: 'G is ready', tone: 'information' }])
  })
})
