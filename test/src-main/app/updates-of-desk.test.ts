import { expect, it } from 'vitest'
import { announceUpdate } from '#main/app/updates-of-desk.ts'
import { addressOfPlace } from '#main/app/place-address.ts'
import type { Place } from '#main/shell/announcing.ts'
import type { Showing } from '#main/shell/desktop/notifier.ts'
import type { Notice } from '#shared/app/state.ts'
import { temporaryFolder } from '../database/helpers.ts'
import { deskOver } from './helpers.ts'

it('announces a newer version by a notification, whose click leads to About', async () => {
  const shown: string[] = []
  const opened: Place[] = []
  let click: Showing['act'] = () => undefined
  await announceUpdate('1.3.0', {
    desktop: {
      notifier: async () => ({
        show: async ({ title, actions, urgent }, { act }) => {
          shown.push(title)
          expect([actions, urgent]).toEqual([[], false])
          click = act
        },
        close: () => undefined,
      }),
    },
    open: (place) => opened.push(place),
    showNotice: () => expect.unreachable(),
  })
  expect(shown).toEqual(['Traffic Desk 1.3.0 is available'])
  click('open')
  expect(opened).toEqual([{ kind: 'about' }])
  const nobody = { active: () => null, activate: () => expect.unreachable() }
  expect(await addressOfPlace({ kind: 'about' }, nobody)).toBe('#/help/about')
})

it('says it in the window where the desktop shows no notifications', async () => {
  const raised: Notice[] = []
  await announceUpdate('1.3.0', {
    desktop: { notifier: () => Promise.reject(new Error('Nobody shows them')) },
    open: () => expect.unreachable(),
    showNotice: (notice) => raised.push(notice),
  })
  expect(raised).toMatchObject([
    { id: 'update', tone: 'information', title: 'Traffic Desk 1.3.0 is available' },
  ])
})

it('has none in a desk without a feed', async () => {
  const desk = deskOver(temporaryFolder())
  expect(await desk.handlers['updates/read'](undefined)).toEqual({ kind: 'without-feed' })
  await desk.close()
})
