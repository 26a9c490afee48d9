import { spawn } from 'node:child_process'
import { readFileSync, watch, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

type Given = {
  /** A TypeScript file that takes what it is given as JSON. */
  readonly child: string
  readonly folder: string
  /** Files of the folder in which it says what happened, a line each. */
  readonly files: readonly string[]
}

/** A part of the desk as a process of its own that is ended the hard way, again and again. */
export function crashingProcess({ child, folder, files }: Given) {
  for (const file of files) writeFileSync(join(folder, file), '')
  const lines = (file: string) => readFileSync(join(folder, file), 'utf8').split('\n').filter(Boolean)

  /** Starts it, and ends it with SIGKILL once `until` is over. */
  async function live(given: object, until: () => Promise<unknown>): Promise<void> {
    const running = spawn(process.execPath, [child, JSON.stringify(given)], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const ended = new Promise((resolve) => running.once('exit', resolve))
    await until().finally(() => running.kill('SIGKILL'))
    await ended
  }

  /** Waits until a file says something, at most half a minute; what was said by then is for the test to judge. */
  async function says(file: string, enough: (lines: readonly string[]) => boolean): Promise<void> {
    const controller = new AbortController()
    const watcher = watch(join(folder, file))
    const told = new Promise<void>((resolve) => {
      const look = () => (enough(lines(file)) ? resolve() : undefined)
      watcher.on('change', look)
      look()
    })
    const late = setTimeout(30_000, undefined, { signal: controller.signal }).catch(() => undefined)
    await Promise.race([told, late])
    controller.abort()
    watcher.close()
  }

  return { live, says, lines }
}
