import { spawn } from 'node:child_process'
import { once, EventEmitter } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, it, onTestFinished, beforeEach, describe, vi } from 'vitest'
import type { Handlers } from '#main/lib/module.ts'
import {
  emptyCoreDumps,
  refuseCoreDumps,
  endWithWords,
  logUncaughtErrors,
  outliveReaders,
  Start,
  closeThenExit,
  endWithLastWindow,
} from '#main/shell/ending.ts'
import type { TrayLife } from '#main/shell/tray-life.ts'
import type { RunningApp, AppWindows } from '#main/shell/window.ts'
import { allowCoreFile, coreFilesElsewhere, coreLimitOf } from '#test/e2e/helpers/core-file.ts'
import { fake } from '#test/helpers/fake.ts'
import { HandClock, settled } from '../reports/clock.ts'

/** Linux's files about processes, each with those that it started; null where the kernel does not say. */
function processes(started: Readonly<Record<number, string | null>>): string {
  const files = mkdtempSync(join(tmpdir(), 'traffic-desk-proc-'))
  onTestFinished(() => {
    rmSync(files, { recursive: true })
  })
  for (const [pid, children] of Object.entries(started)) {
    mkdirSync(join(files, pid, 'task', pid), { recursive: true })
    writeFileSync(join(files, pid, 'coredump_filter'), '00000033\n')
    if (children !== null) writeFileSync(join(files, pid, 'task', pid, 'children'), children)
  }
  return files
}

const filtersIn = (files: string, ...pids: readonly number[]) =>
  pids.map((pid) => readFileSync(join(files, String(pid), 'coredump_filter'), 'utf8').trim())

it('leaves memory out of core files: of the app, of what has begun before, and of nobody else', () => {
  const files = processes({ 10: '11 12 ', 11: '', 12: '13', 13: '', 14: '' })
  emptyCoreDumps('linux', 10, files)
  expect(filtersIn(files, 10, 11, 12, 13, 14)).toEqual(['0', '0', '0', '0', '00000033'])
})

it('goes on where a process is gone, or the kernel does not say what it started', () => {
  const files = processes({ 10: '11 12', 12: null })
  emptyCoreDumps('linux', 10, files)
  expect(filtersIn(files, 10, 12)).toEqual(['0', '0'])
})

it('has nothing to do elsewhere', () => {
  const files = processes({ 10: '' })
  emptyCoreDumps('darwin', 10, files)
  expect(filtersIn(files, 10)).toEqual(['00000033'])
})

/** What a process leaves in its folder that crashes and was allowed a core file of any size. */
async function leftBehind(refuses: boolean): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'traffic-desk-crash-'))
  onTestFinished(() => {
    rmSync(folder, { recursive: true })
  })
  const child = spawn('sleep', ['60'], { cwd: folder, stdio: 'ignore' })
  const ended = once(child, 'exit')
  const pid = child.pid ?? 0
  allowCoreFile(pid)
  if (refuses) {
    refuseCoreDumps('linux', pid)
    await expect.poll(() => coreLimitOf(pid)).toBe('1')
  }
  child.kill('SIGSEGV')
  expect(await ended).toEqual([null, 'SIGSEGV'])
  return readdirSync(folder)
}

it.runIf(process.platform === 'linux' && coreFilesElsewhere() === null)(
  'has the kernel write no core file at all, which it does otherwise',
  async () => {
    expect(await leftBehind(false)).toHaveLength(1)
    expect(await leftBehind(true)).toEqual([])
  },
)

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

/** An app that can be told to quit; `ended` is when it has. */
function quitting(closers: readonly (() => Promise<void>)[]) {
  let quit: (event: { preventDefault: () => void }) => void = () => {}
  const logged: string[] = []
  let held = false
  const ended = new Promise<void>((resolve) => {
    const app = {
      once: (_: string, listener: typeof quit) => void (quit = listener),
      exit: () => {
        resolve()
      },
    }
    closeThenExit(app as unknown as Parameters<typeof closeThenExit>[0], closers, (words) =>
      logged.push(words),
    )
  })
  quit({ preventDefault: () => (held = true) })
  return { ended, logged, held: () => held }
}

describe('ending', () => {
  it('holds the app until everything is closed, in order', async () => {
    const closed: string[] = []
    const { ended, held } = quitting([
      async () => {
        await Promise.resolve()
        closed.push('first')
      },
      () => Promise.resolve(void closed.push('second')),
    ])
    await ended
    expect(held()).toBe(true)
    expect(closed).toEqual(['first', 'second'])
  })

  it('goes on where one cannot be closed', async () => {
    const closed: string[] = []
    const { ended, logged } = quitting([
      () => Promise.reject(new Error('stuck')),
      () => Promise.resolve(void closed.push('second')),
    ])
    await ended
    expect(closed).toEqual(['second'])
    expect(logged).toEqual(['Closing failed'])
  })

  it('does not wait for ever', async () => {
    vi.useFakeTimers()
    const { ended } = quitting([() => new Promise(() => {})])
    await vi.advanceTimersByTimeAsync(8000)
    await expect(ended).resolves.toBeUndefined()
    vi.useRealTimers()
  })
})

describe('the last window', () => {
  /** Closes it; `settle` is when what was being changed is kept. */
  function closing({ isOpen = false, goesOn = false } = {}) {
    let close = () => {}
    let settle = () => {}
    const asked = { isOpen, goesOn }
    const quit = vi.fn()
    const app = { on: (_: string, listener: () => void) => void (close = listener), quit }
    const write = () => new Promise<void>((resolve) => (settle = resolve))
    const handlers = { 'settings/write': write } as unknown as Handlers
    const desk = fake<RunningApp>('desk', { handlers, hasAccounts: true })
    const windows = fake<AppWindows>('windows', {
      get anyOpen() {
        return asked.isOpen
      },
    })
    const tray = fake<TrayLife>('tray', { goesOn: () => asked.goesOn })
    endWithLastWindow(app as unknown as Parameters<typeof endWithLastWindow>[0], desk, windows, tray)
    close()
    return { asked, quit, settle: () => settle() }
  }
  const soon = () => new Promise((resolve) => setImmediate(resolve))

  it('ends the app by what is set once that is kept', async () => {
    const { asked, quit, settle } = closing({ goesOn: true })
    await soon()
    asked.goesOn = false
    settle()
    await soon()
    expect(quit).toHaveBeenCalledOnce()
  })

  it.each([
    ['goes on without a window', { goesOn: true }],
    ['has a window again', { isOpen: true }],
  ])('leaves an app that %s', async (_, given) => {
    const { quit, settle } = closing(given)
    await soon()
    settle()
    await soon()
    expect(quit).not.toHaveBeenCalled()
  })

  it('ends the app though what is set cannot be kept', async () => {
    vi.useFakeTimers()
    const { quit } = closing()
    await vi.advanceTimersByTimeAsync(8000)
    expect(quit).toHaveBeenCalledOnce()
    vi.useRealTimers()
  })
})
