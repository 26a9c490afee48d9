import { expect, it, vi } from 'vitest'
import { startRowsEngine } from '#main/archives/engine/engine.ts'

/** A process that never answers, and may go by itself. */
function silentLine() {
  const ends: ((error: unknown) => void)[] = []
  const line = {
    post: () => undefined,
    onMessage: () => undefined,
    onEnd: (listener: (error: unknown) => void) => void ends.push(listener),
    hold: () => undefined,
    kill: () => undefined,
  }
  return { line, die: () => ends.forEach((each) => each(new Error('died'))) }
}

it('tells of an end of the rows’ process that came by itself, and of none that was wanted', async () => {
  const onGone = vi.fn<(cause: unknown) => void>()
  const { line, die } = silentLine()
  const engine = startRowsEngine(() => line, vi.fn(), onGone)
  const begun = () => {
    const asked = engine.call('stop', 'one')
    asked.catch(() => undefined)
    return new Promise((resolve) => setImmediate(resolve)).then(() => ({ asked }))
  }
  const { asked: killed } = await begun()
  engine.kill()
  await expect(killed).rejects.toThrow('The rows could not be read.')
  expect(onGone).not.toHaveBeenCalled()
  const { asked: died } = await begun()
  die()
  await expect(died).rejects.toThrow('The rows could not be read.')
  expect(onGone).toHaveBeenCalledOnce()
})
