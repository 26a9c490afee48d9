import { describe, expect, it } from 'vitest'
import { NewsInWindow } from '#main/shell/news-in-window.ts'
import { Notices } from '#main/shell/notices.ts'

const about = (name: string, urgent = false) => ({
  ...{ title: `${name} is ready`, body: 'Northwind · 12 rows', actions: [], urgent },
})

function newsIn() {
  const notices = new Notices(() => undefined)
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
        text: 'Northwind · 12 rows. It is said here because this desktop shows no notifications.',
      },
    ])
  })

  it('stand together, the newest of many, until they are dismissed', () => {
    const { notices, news } = newsIn()
    for (const name of ['A', 'B', 'C', 'D', 'E', 'F']) news.notify(about(name, name === 'D'))
    const [notice, ...others] = notices.list()
    expect(others).toEqual([])
    expect(notice).toMatchObject({ tone: 'warning', title: 'News of raw reports' })
    expect(notice?.text).toMatch(/^1 earlier; B is ready \(Northwind · 12 rows\); C .*; F is ready/)
    notices.dismiss('raw-news')
    news.notify(about('G'))
    expect(notices.list()).toMatchObject([{ title: 'G is ready', tone: 'information' }])
  })
})
