import { describe, expect, it } from 'vitest'
import { Notices } from '#main/shell/notices.ts'
import type { Notice } from '#shared/app/state.ts'

const notice = (id: string, text = ''): Notice => ({ id, tone: 'warning', title: id, text })

describe('notices', () => {
  it('stand until they are dismissed, and every change is told', () => {
    const told: string[][] = []
    const notices = new Notices((all) => told.push(all.map(({ id }) => id)))
    notices.show(notice('a'))
    notices.show(notice('b'))
    notices.dismiss('a')
    expect(told).toEqual([['a'], ['a', 'b'], ['b']])
    expect(notices.list()).toEqual([notice('b')])
  })

  it('replace the one with the same id, and stand last', () => {
    const notices = new Notices(() => undefined)
    notices.show(notice('a', 'old'))
    notices.show(notice('b'))
    notices.show(notice('a', 'new'))
    expect(notices.list()).toEqual([notice('b'), notice('a', 'new')])
  })

  it('are silent where there was nothing to dismiss', () => {
    let told = 0
    const notices = new Notices(() => (told += 1))
    notices.dismiss('none')
    expect(told).toBe(0)
  })
})
