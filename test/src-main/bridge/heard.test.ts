import { expect, it } from 'vitest'
import { tellWindows } from '#main/bridge/heard.ts'
import { AppEvents } from '#main/lib/app-events.ts'
import { usualSettings } from '#shared/app/settings.ts'
import type { AccountId } from '#shared/values/ids.ts'

it('tells windows what they may hear, as the bridge has it, and nothing that is for modules alone', () => {
  const events = new AppEvents()
  const told: unknown[] = []
  tellWindows(events, (name, carried) => told.push([name, carried]))
  const account = 'one' as AccountId
  events.emit({ kind: 'rows/changed', account })
  events.emit({ kind: 'settings/changed', settings: usualSettings, changed: ['theme'] })
  events.emit({ kind: 'updates/changed', state: { kind: 'without-feed' } })
  events.emit({ kind: 'raw/list-stored', account })
  events.emit({ kind: 'worker/ended', worker: 'engine', cause: new Error('out of memory') })
  expect(told).toEqual([
    ['rows/changed', { account }],
    ['settings/changed', usualSettings],
    ['updates/changed', { kind: 'without-feed' }],
  ])
})
