import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect } from 'vitest'

/**
 * Lets a process keep one thing after the other, and kills it with no warning while it goes on.
 * @param writer a file of this folder, which says the number of each thing once it is kept
 * @returns the last number that it said was kept
 */
export async function keepAndKill(
  writer: string,
  folder: string,
  from: number,
  howMany: number,
): Promise<number> {
  const child = spawn(process.execPath, [join(import.meta.dirname, writer), folder, String(from)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  let last = -1
  for await (const line of createInterface(child.stdout)) {
    last = Number(line)
    if (last >= from + howMany) child.kill('SIGKILL')
  }
  expect(await ended).toEqual([null, 'SIGKILL'])
  return last
}
