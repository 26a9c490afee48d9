import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'

/** How much a process has written so far, in bytes, which Linux alone counts; null once it has ended. */
function writtenBy(pid: number | undefined): number | null {
  try {
    return Number(/wchar: (\d+)/.exec(readFileSync(`/proc/${pid ?? 0}/io`, 'utf8'))?.[1] ?? 0)
  } catch {
    return null
  }
}

it.skipIf(process.platform !== 'linux')(
  'a process that is there to be killed waits for who listens late',
  async () => {
    const worker = join(import.meta.dirname, 'talking-work.ts')
    const child = spawn(process.execPath, [worker], { stdio: ['ignore', 'pipe', 'inherit'] })
    const exit = once(child, 'exit')
    // Nobody reads until nothing more goes into the pipe.
    let before: number | null = 0
    const isStill = () => {
      const now = writtenBy(child.pid)
      const still = now === null || (now > 50_000 && now === before)
      before = now
      return still
    }
    await expect.poll(isStill).toBe(true)
    expect((await text(child.stdout)).trimEnd().split('\n')).toHaveLength(50_000)
    expect(await exit).toEqual([0, null])
  },
)
