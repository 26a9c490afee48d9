import { describe, expect, it } from 'vitest'
import { FolderHangs, FolderLooks } from '../../../src-main/lib/folder-looks.ts'
import { settled } from '../figures/clock.ts'

/** A clock that strikes when the test says so. */
class Strikes {
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
  return { clock, looks: new FolderLooks({ clock }) }
}

describe('looking at folders', () => {
  it('hands on what comes, and what goes wrong', async () => {
    const { looks } = opened()
    expect(await looks.at('/a', async () => 'there')).toBe('there')
    await expect(looks.at('/a', () => Promise.reject(new Error('ENOENT')))).rejects.toThrow('ENOENT')
    expect(await looks.at('/a', async () => 'again')).toBe('again')
  })

  it('looks at one folder once at a time, in order', async () => {
    const { looks } = opened()
    const first = hanging()
    const began: string[] = []
    const one = looks.at('/a', () => {
      began.push('one')
      return first.look()
    })
    const two = looks.at('/a', async () => began.push('two'))
    await settled()
    expect(began).toEqual(['one'])
    first.answer('done')
    await Promise.all([one, two])
    expect(began).toEqual(['one', 'two'])
  })

  it('gives a hanging folder up, and does not look at it again before it has come back', async () => {
    const { looks, clock } = opened()
    const first = hanging()
    const one = looks.at('/a', first.look)
    const outcome = expect(one).rejects.toBeInstanceOf(FolderHangs)
    await settled()
    clock.strike()
    await outcome
    let looked = 0
    await expect(looks.at('/a', async () => (looked += 1))).rejects.toThrow('/a does not answer')
    expect(await looks.at('/b', async () => 'another')).toBe('another')
    first.answer('at last')
    await settled()
    expect(await looks.at('/a', async () => (looked += 1))).toBe(1)
  })

  it('never holds more than two threads, however many folders hang', async () => {
    const { looks, clock } = opened()
    const all = ['/a', '/b', '/c', '/d', '/e'].map((folder) => ({ folder, ...hanging(), begun: false }))
    const outcomes = all.map((each) =>
      looks
        .at(each.folder, () => {
          each.begun = true
          return each.look()
        })
        .catch((error: unknown) => error),
    )
    await settled()
    const begun = () => all.flatMap((each) => (each.begun ? each.folder : []))
    expect(begun()).toEqual(['/a', '/b'])
    clock.strike()
    for (const outcome of await Promise.all(outcomes)) expect(outcome).toBeInstanceOf(FolderHangs)
    await expect(looks.at('/f', async () => 'no thread left')).rejects.toBeInstanceOf(FolderHangs)
    for (const { answer } of all) answer('back')
    await settled()
    expect(begun()).toEqual(['/a', '/b'])
    expect(await looks.at('/c', async () => 'there')).toBe('there')
  })
})
