import { describe, expect, it } from 'vitest'
import type { TimeOfDay } from '#shared/app/settings.ts'
import { addDays, day } from '#shared/values/day.ts'
import { randomFrom } from '#test/helpers/random.ts'
import { seed } from '#test/helpers/properties.ts'
import { firstId, localStore, temporaryFolder } from '../../database/helpers.ts'
import { alertIdOf } from '../../database/state/watch.ts'
import { HandClock } from '../../reports/clock.ts'
import { found, openFindings } from './open-findings.ts'

const time = (text: string) => text as TimeOfDay
const hours = 60

/** Findings that are started, at a time of day by the computer's clock. */
async function started(local = '2026-11-20T12:00:00') {
  const opened = await openFindings({ clock: new HandClock(new Date(local).toISOString()) })
  opened.findings.start()
  return opened
}

describe('findings that are announced', () => {
  it('come one by one, and together beyond three', async () => {
    const { clock, find, pass, told } = await started()
    await find('first', found(clock, 'a'), found(clock, 'b'), found(clock, 'c'))
    await pass(1)
    expect(told()).toEqual([['a'], ['b'], ['c']])
    await find('first', ...['d', 'e', 'f', 'g'].map((key) => found(clock, key)))
    await pass(1)
    expect(told().slice(3)).toEqual([['d', 'e', 'f', 'g']])
    await pass(3 * hours)
    expect(told()).toHaveLength(4)
  })

  it('are gathered while others come', async () => {
    const { clock, find, told } = await started()
    for (const key of ['a', 'b', 'c', 'd', 'e']) {
      await find('first', found(clock, key))
      await clock.move(6_000)
    }
    expect(told()).toEqual([])
    await clock.move(10_000)
    await expect.poll(told).toEqual([['a', 'b', 'c', 'd', 'e']])
  })

  it('are not those that ended, were seen or dismissed before', async () => {
    const { clock, findings, find, pass, told, kept } = await started()
    kept.settings = { ...kept.settings, quietHours: { from: time('11:00'), to: time('14:00') } }
    const [seen, dismissed] = [found(clock, 'seen'), found(clock, 'dismissed')]
    const ended = ['over', 'usual', 'withdrawn'] as const
    await find('first', seen, dismissed, ...ended.map((state) => found(clock, state, { state })))
    await findings.see({ ids: [seen.id] })
    await findings.dismiss({ id: dismissed.id, reason: 'known' })
    await find('first', found(clock, 'stands', { state: 'so-far' }))
    await pass(3 * hours)
    expect(told()).toEqual([['stands']])
    await findings.dismiss({ id: dismissed.id, reason: null })
    await pass(1)
    expect(told()).toHaveLength(1)
  })

  it('come in the morning together, if the alert says so', async () => {
    const { clock, find, pass, told, kept } = await started()
    await find('second', found(clock, 'a'), found(clock, 'b'))
    await find('first', found(clock, 'at once'))
    await pass(1)
    expect(told()).toEqual([['at once']])
    await pass(19 * hours)
    expect(told()).toHaveLength(1)
    await pass(1 * hours)
    expect(told().slice(1)).toEqual([['a', 'b']])
    kept.settings = { ...kept.settings, morningAt: time('10:30') }
    await find('second', found(clock, 'c'))
    await pass(2 * hours)
    expect(told()).toHaveLength(2)
    await pass(31)
    expect(told().slice(2)).toEqual([['c']])
  })

  it('wait for the end of quiet hours, over midnight', async () => {
    const { clock, find, pass, told, kept } = await started('2026-11-20T21:58:00')
    kept.settings = { ...kept.settings, quietHours: { from: time('22:00'), to: time('07:00') } }
    await find('first', found(clock, 'before'))
    await pass(1)
    expect(told()).toEqual([['before']])
    await pass(5)
    await find('first', found(clock, 'in the night'))
    await pass(3 * hours)
    await find('first', found(clock, 'after midnight'))
    await pass(5 * hours + 50)
    expect(told()).toHaveLength(1)
    await pass(10)
    expect(told().slice(1)).toEqual([['in the night'], ['after midnight']])
  })

  it('come once though the clock jumps', async () => {
    const { clock, find, pass, told, findings } = await started()
    await clock.move(365 * 86_400_000)
    await find('second', found(clock, 'found a year ahead', { day: day('2027-11-19') }))
    await find('first', found(clock, 'at once', { day: day('2027-11-19') }))
    await clock.move(-365 * 86_400_000)
    findings.wake()
    await pass(2 * hours)
    expect(told().flat().toSorted()).toEqual(['at once', 'found a year ahead'])
    await clock.move(-5 * hours * 60_000)
    findings.wake()
    await pass(2 * hours)
    expect(told().flat()).toHaveLength(2)
  })

  it('are one summary after three weeks away', async () => {
    const { clock, find, pass, told } = await started()
    const longAgo = addDays(day('2026-11-20'), -21)
    const over = { state: 'over', day: longAgo, to: addDays(longAgo, 5) } as const
    await find('first', found(clock, 'over', over), found(clock, 'a'), found(clock, 'b'))
    await pass(1)
    expect(told()).toEqual([['a', 'b']])
  })

  it('come again once the desktop shows them, and when a window opens', async () => {
    const { clock, find, pass, told, desktop, events, findings } = await started()
    desktop.before = () => Promise.reject(new Error('No notifications'))
    await find('first', found(clock, 'a'))
    await pass(1)
    expect(told()).toEqual([])
    desktop.before = () => undefined
    events.emit({ kind: 'notifications/back' })
    await expect.poll(told).toEqual([['a']])
    findings.announceAgain()
    await pass(1)
    expect(told()).toHaveLength(1)
  })

  it('are none of an account that was removed meanwhile, and none after the end', async () => {
    const { clock, find, pass, told, kept, findings } = await started()
    await find('first', found(clock, 'a'))
    kept.accounts = kept.accounts.filter(({ id }) => id !== firstId)
    await pass(1)
    expect(told()).toEqual([])
    await findings.stop()
    findings.announceAgain()
    findings.wake()
    await pass(1)
    expect(told()).toEqual([])
  })
})

describe('muted findings', () => {
  const mute = { subject: { kind: 'row', alert: alertIdOf(1), row: 'a' } as const, until: day('2026-11-21') }

  it('are told when the mute ends, in the morning, where they still stand', async () => {
    const { clock, findings, find, pass, told } = await started()
    await findings.addMute({ account: firstId, ...mute })
    await find('first', found(clock, 'a'), found(clock, 'b'))
    await pass(1)
    expect(told()).toEqual([['b']])
    // Until the end of the day after, and until the morning.
    await pass(43 * hours)
    expect(told()).toHaveLength(1)
    await pass(2 * hours)
    expect(told().slice(1)).toEqual([['a']])
    await pass(30 * hours)
    expect(told()).toHaveLength(2)
    expect(await findings.listMutes({ account: firstId })).toEqual([])
  })

  it('are told once more if they were told before the mute', async () => {
    const { clock, findings, find, pass, told } = await started()
    await find('first', found(clock, 'a'))
    await pass(1)
    await findings.addMute({ account: firstId, ...mute })
    await findings.addMute({ account: firstId, subject: { kind: 'account' }, until: day('2026-11-22') })
    await pass(60 * hours)
    expect(told()).toHaveLength(1)
    await pass(12 * hours)
    expect(told()).toEqual([['a'], ['a']])
  })

  it('are told when the mute is taken away, if they never were', async () => {
    const { clock, findings, find, pass, told } = await started()
    await find('first', found(clock, 'told'))
    await pass(1)
    const { id } = await findings.addMute({
      account: firstId,
      subject: { kind: 'account' },
      until: day('2026-12-21'),
    })
    await find('first', found(clock, 'a'))
    await pass(1)
    expect(told()).toEqual([['told']])
    await findings.removeMute({ account: firstId, id })
    await pass(1)
    expect(told()).toEqual([['told'], ['a']])
  })
})

it('announces each finding once through 60 lives that end at any moment, with sleep and jumps of the clock', async () => {
  console.log(`lives of findings: PROPERTY_SEED=${seed}`)
  const random = randomFrom(seed)
  const folder = temporaryFolder()
  const store = localStore(folder)
  const clock = new HandClock('2026-11-20T12:00:00Z')
  const told: string[] = []
  const made: string[] = []
  const never = new Promise<never>(() => undefined)
  let deaths = 0
  for (let life = 0; life <= 60; life += 1) {
    const isLast = life === 60
    let isAlive = true
    /** A killed process does nothing more. It may die before and after each thing that it does. */
    const dies = () => {
      if (isAlive && !isLast && random() < 0.06) {
        isAlive = false
        deaths += 1
      }
      return !isAlive
    }
    const opened = await openFindings({
      ...{ clock, folder, store },
      run: async (name, argument) => {
        if (dies()) return await never
        const result = await store.run(name, argument)
        return dies() ? await never : result
      },
    })
    opened.desktop.before = () => (dies() ? never : undefined)
    opened.desktop.after = () => {
      told.push(...(opened.shown.at(-1) ?? []).map(({ id }) => id))
      return dies() ? never : undefined
    }
    opened.findings.start()
    for (let turn = 0; turn < 3; turn += 1) {
      const news = Array.from({ length: Math.floor(random() * 5) }, (_, index) =>
        found(clock, `${life} ${turn} ${index}`),
      )
      if (!isLast) {
        made.push(...news.map(({ id }) => id))
        await opened.find(random() < 0.5 ? 'first' : 'second', ...news)
      }
      if (random() < 0.2) await clock.move(Math.round((random() - 0.4) * 86_400_000))
      opened.findings.wake()
      await opened.pass(2)
    }
    if (isLast) await opened.pass(26 * hours)
    isAlive = false
  }
  expect(deaths).toBeGreaterThan(30)
  expect(told.toSorted()).toEqual(made.toSorted())
}, 60_000)
