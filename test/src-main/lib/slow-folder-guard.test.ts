import { describe, expect, it } from 'vitest'
import { FolderHangs, SlowFolderGuard } from '#main/lib/slow-folder-guard.ts'
import { nodeThreads } from '#main/lib/node-threads.ts'
import { settled } from '../reports/clock.ts'

/** A clock that strikes when the test says so. */
class Strikes {
  readonly now = Date.now
  #waiting: (() => void)[] = []
  readonly wait = (_milliseconds: number, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      this.#waiting.push(resolve)
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
  strike(): void {
    for (const resolve of this.#waiting.splice(0)) resolve()
  }
}

function hanging() {
  let answer: (value: string) => void = () => undefined
  const promise = new Promise<string>((resolve) => (answer = resolve))
  return { look: () => promise, answer }
}

const opened = () => {
  const clock = new Strikes()
  return { clock, looks: new SlowFolderGuard({ clock }) }
}

describe('looking at folders', () => {
  it('hands on what comes, and what goes wrong', async () => {
    const { looks } = opened()
    expect(await looks.run('/a', async () => 'there')).toBe('there')
    await expect(looks.run('/a', () => Promise.reject(new Error('ENOENT')))).rejects.toThrow('ENOENT')
    expect(await looks.run('/a', async () => 'again')).toBe('again')
  })

  it('looks at one folder once at a time, in order', async () => {
    const { looks } = opened()
    const first = hanging()
    const began: string[] = []
    const one = looks.run('/a', () => {
      began.push('one')
      return first.look()
    })
    const two = looks.run('/a', async () => began.push('two'))
    await settled()
    expect(began).toEqual(['one'])
    first.answer('done')
    await Promise.all([one, two])
    expect(began).toEqual(['one', 'two'])
  })

  it('gives a hanging folder up, and does not look at it again before it has come back', async () => {
    const { looks, clock } = opened()
    const first = hanging()
    const one = looks.run('/a', first.look)
    const outcome = expect(one).rejects.toBeInstanceOf(FolderHangs)
    await settled()
    clock.strike()
    await outcome
    let looked = 0
    await expect(looks.run('/a', async () => (looked += 1))).rejects.toThrow("/a doesn't respond")
    expect(await looks.run('/b', async () => 'another')).toBe('another')
    first.answer('at last')
    await settled()
    expect(await looks.run('/a', async () => (looked += 1))).toBe(1)
  })

  /** As many folders that hang, and what came of them. */
  const manyHang = (looks: SlowFolderGuard, many: number, asker: 'person' | 'list') =>
    Array.from({ length: many }, (_, number) => {
      const each = { ...hanging(), begun: false, outcome: Promise.resolve<unknown>(null) }
      const look = () => {
        each.begun = true
        return each.look()
      }
      each.outcome = looks.run(`/${asker}/${number}`, look, asker).catch((error: unknown) => error)
      return each
    })

  it('never holds more threads than its share, and looks at any folder while one is left', async () => {
    const { looks, clock } = opened()
    const all = manyHang(looks, nodeThreads.looks - 1, 'person')
    await settled()
    clock.strike()
    for (const { outcome } of all) expect(await outcome).toBeInstanceOf(FolderHangs)
    expect(await looks.run('/healthy', async () => 'there')).toBe('there')
    for (const { outcome } of manyHang(looks, 3, 'list')) expect(await outcome).toBeInstanceOf(FolderHangs)
    const last = hanging()
    const late = looks.run('/last', last.look).catch((error: unknown) => error)
    const waits = looks.run('/waits', async () => 'no thread left').catch((error: unknown) => error)
    await settled()
    clock.strike()
    expect(await late).toBeInstanceOf(FolderHangs)
    expect(await waits).toBeInstanceOf(FolderHangs)
    await expect(looks.run('/healthy', async () => 'no thread left')).rejects.toBeInstanceOf(FolderHangs)
    for (const { answer } of [...all, last]) answer('back')
    await settled()
    expect(await looks.run('/person/0', async () => 'there')).toBe('there')
  })

  it('leaves threads for the folder that a person asks for, however many of a list hang', async () => {
    const { looks, clock } = opened()
    const all = manyHang(looks, 40, 'list')
    await settled()
    expect(all.filter(({ begun }) => begun)).toHaveLength(nodeThreads.looksOfLists)
    const listed = looks.run('/healthy', async () => 'there', 'list').catch((error: unknown) => error)
    expect(await looks.run('/healthy', async () => 'there')).toBe('there')
    clock.strike()
    expect(await listed).toBeInstanceOf(FolderHangs)
    for (const { outcome } of all) expect(await outcome).toBeInstanceOf(FolderHangs)
    expect(await looks.run('/healthy', async () => 'there')).toBe('there')
    for (const { answer } of all) answer('back')
    await settled()
    expect(all.filter(({ begun }) => begun)).toHaveLength(nodeThreads.looksOfLists)
    expect(await looks.run('/list/0', async () => 'there', 'list')).toBe('there')
  })
})
