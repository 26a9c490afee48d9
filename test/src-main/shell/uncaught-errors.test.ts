import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { endWithWords, logUncaughtErrors, outliveReaders, Start } from '#main/shell/uncaught-errors.ts'
import { HandClock, settled } from '../reports/clock.ts'

it('goes on where nobody reads any more what is said', () => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const broken = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })
  outliveReaders({ stdout, stderr } as unknown as Parameters<typeof outliveReaders>[0])
  expect(stdout.emit('error', broken)).toBe(true)
  expect(stderr.emit('error', broken)).toBe(true)
})

it('writes down what nobody caught, and gives up for an error alone', () => {
  const ours = new EventEmitter()
  const [log, giveUp] = [vi.fn<(...given: unknown[]) => void>(), vi.fn<(error: unknown) => void>()]
  logUncaughtErrors(ours, log, giveUp)
  const [thrown, rejected] = [new Error('thrown'), new Error('rejected')]
  ours.emit('unhandledRejection', rejected)
  expect(giveUp).not.toHaveBeenCalled()
  ours.emit('uncaughtException', thrown)
  expect(giveUp.mock.calls).toEqual([[thrown]])
  expect(log.mock.calls.map(([, , error]) => error)).toEqual([rejected, thrown])
})

it('ends for the first failure of a start alone, and for none once there is a window', () => {
  const end = vi.fn<(error: unknown) => Promise<void>>(() => Promise.resolve())
  const failing = new Start(end)
  failing.giveUp('first')
  failing.giveUp('second')
  expect(failing.stage).toBe('failed')
  const going = new Start(end)
  going.shown()
  going.giveUp('later')
  expect(going.stage).toBe('shown')
  expect(end.mock.calls).toEqual([['first']])
})

describe('a start that fails', () => {
  /** What is done, in order, by an app that fails; its browser gets ready with `ready`. */
  function failing() {
    const done: string[] = []
    const clock = new HandClock('2026-11-20T09:00:00Z')
    let ready: () => void = () => undefined
    const whenReady = new Promise<void>((resolve) => (ready = resolve))
    const app = { whenReady: () => whenReady, exit: (code?: number) => void done.push(`exit ${code}`) }
    const dialog = { showErrorBox: (title: string, text: string) => void done.push(`${title}: ${text}`) }
    const ended = endWithWords(app, dialog, new Error('No tray.'), clock)
    return { done, clock, ready, ended }
  }

  const box = 'Traffic Desk could not start: No tray.\n\nThe saved data is safe.'

  beforeEach(() => {
    vi.stubEnv('DISPLAY', ':0')
    const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    return () => {
      expect(said).toHaveBeenCalledWith('Traffic Desk could not start: No tray.\n')
      vi.restoreAllMocks()
      vi.unstubAllEnvs()
    }
  })

  it('says so in a box as soon as there can be one, and ends', async () => {
    const { done, ready, ended } = failing()
    await settled()
    expect(done).toEqual([])
    ready()
    await ended
    expect(done).toEqual([box, 'exit 1'])
  })

  it('does not wait for ever for a browser that does not get ready', async () => {
    const { done, clock, ended } = failing()
    await settled()
    await clock.move(10_000)
    await ended
    expect(done).toEqual([box, 'exit 1'])
  })

  it.runIf(process.platform === 'linux')('ends at once where there is no screen', () => {
    vi.stubEnv('DISPLAY', '')
    vi.stubEnv('WAYLAND_DISPLAY', '')
    expect(failing().done).toEqual(['exit 1'])
  })
})
