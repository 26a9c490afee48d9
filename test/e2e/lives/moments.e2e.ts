import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { allNotifications } from '../helpers/notifications.ts'
import { startPanel } from '../helpers/panel.ts'
import { wrongIn } from './announced.ts'
import { pollOptions } from '../helpers/poll-options.ts'
import { usedDesk } from './desk.ts'
import { toldIn } from './kept.ts'
import { startOwnDaemon } from '../helpers/own-daemon.ts'

/** Moments of showing at which the app is killed, and whether its report has reached the desktop by then. */
const moments = [
  ['stored', false],
  ['handed', true],
  ['answered', true],
  ['marking', true],
] as const

const timesOf = async (title: string) =>
  (await allNotifications()).filter((each) => each.title === title).length

it('announces a report once though it is killed at any moment of showing it', async () => {
  await startOwnDaemon()
  const desk = await usedDesk()
  await desk.live()
  const before = (await allNotifications()).length
  for (const [moment, reached] of moments) {
    await desk.service.request(moment)
    await desk.sandbox.control('POST', '/clock', { advance: 3_600_000 })
    const ended = await desk.start(moment).ended
    expect(ended, moment).toBeNull()
    expect(toldIn(desk.profile).at(-1), moment).toMatchObject({ name: moment, kind: 'ready' })
    const times = () => timesOf(`${moment} is ready`)
    await expect.poll(times).toBe(reached ? 1 : 0)
    await desk.live()
    expect(await times(), moment).toBe(1)
  }
  await desk.live()
  const shown = await allNotifications()
  const expected = moments.map(([name]) => ({ name, kind: 'ready' as const }))
  expect(wrongIn(shown.slice(0, shown.length - before), expected)).toEqual([])
})

it('leaves to the tray what was written down as shown and never reached the desktop', async () => {
  await startOwnDaemon()
  const panel = await startPanel()
  const desk = await usedDesk()
  await desk.live()
  await desk.service.request('Between')
  await desk.sandbox.control('POST', '/clock', { advance: 3_600_000 })
  expect(await desk.start('noted').ended).toBeNull()
  const looks = await desk.service.asked('raw/table')
  const again = desk.start()
  await expect.poll(() => desk.service.asked('raw/table'), pollOptions).toBeGreaterThan(looks)
  await expect.poll(() => toldIn(desk.profile).at(-1)?.shown_at, pollOptions).not.toBeNull()
  const icon = await panel.icon()
  await expect
    .poll(async () => (await icon.entries()).map(({ label }) => label))
    .toContain('Between is ready')
  await again.kill()
  expect(await timesOf('Between is ready')).toBe(0)
})

it('announces a report once where the computer sleeps while the desktop answers', async () => {
  await startOwnDaemon()
  const desk = await usedDesk()
  await desk.live()
  await desk.service.request('Asleep')
  await desk.sandbox.control('POST', '/clock', { advance: 3_600_000 })
  const running = desk.start('asleep')
  const isStopped = () => / T /.test(readFileSync(`/proc/${running.child.pid}/stat`, 'utf8'))
  await expect.poll(isStopped, pollOptions).toBe(true)
  await expect.poll(() => timesOf('Asleep is ready'), pollOptions).toBe(1)
  // For longer than an answer of the bus is waited for.
  await setTimeout(5_500)
  running.child.kill('SIGCONT')
  await expect.poll(() => toldIn(desk.profile).at(-1)?.shown_at, pollOptions).not.toBeNull()
  await running.kill()
  await desk.live()
  expect(await timesOf('Asleep is ready')).toBe(1)
})
