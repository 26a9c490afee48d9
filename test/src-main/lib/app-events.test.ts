import { describe, expect, it } from 'vitest'
import { AppEvents } from '#main/lib/app-events.ts'
import type { AppEvent } from '#main/lib/app-events.ts'
import type { AccountId } from '#shared/values/ids.ts'

const account = 'one' as AccountId

describe('the bus', () => {
  it('tells those who follow a kind, in the order in which they began to, and nobody else', () => {
    const events = new AppEvents()
    const told: string[] = []
    events.on('raw/changed', () => told.push('first'))
    events.on('rows/changed', () => told.push('another kind'))
    events.on('raw/changed', (event) => told.push(`second ${event.account}`))
    events.emit({ kind: 'raw/changed', account })
    expect(told).toEqual(['first', 'second one'])
  })

  it('tells nobody who has left, even while it is being told', () => {
    const events = new AppEvents()
    const told: string[] = []
    const stop = events.on('raw/changed', () => {
      told.push('once')
      stop()
    })
    events.on('raw/changed', () => told.push('always'))
    events.emit({ kind: 'raw/changed', account })
    events.emit({ kind: 'raw/changed', account })
    expect(told).toEqual(['once', 'always', 'always'])
  })

  it('tells the others where one throws', () => {
    const failed: [AppEvent['kind'], unknown][] = []
    const events = new AppEvents((kind, error) => failed.push([kind, error]))
    const broken = new Error('broken')
    const told: string[] = []
    events.on('raw/changed', () => {
      throw broken
    })
    events.on('raw/changed', () => told.push('told'))
    events.emit({ kind: 'raw/changed', account })
    expect({ told, failed }).toEqual({ told: ['told'], failed: [['raw/changed', broken]] })
  })
})
