import { spawnSync } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { alone, isRunning } from '#main/lib/process-lock.ts'
import { temporaryFolder } from '../database/helpers.ts'

const busy = () => new Error('busy')

describe('what one process at a time may do', () => {
  it('is done, and leaves nothing behind, however it ends', async () => {
    const folder = temporaryFolder()
    const lock = join(folder, 'lock')
    expect(await alone(lock, () => Promise.resolve(readdirSync(folder)), busy)).toEqual(['lock'])
    await expect(alone(lock, () => Promise.reject(new Error('it broke')), busy)).rejects.toThrow('it broke')
    expect(readdirSync(folder)).toEqual([])
  })

  it('is not done while another process does it', async () => {
    const lock = join(temporaryFolder(), 'lock')
    writeFileSync(lock, String(process.ppid))
    await expect(alone(lock, () => Promise.resolve(), busy)).rejects.toThrow('busy')
  })

  it('is done where the process that did it was killed, or wrote nothing that can be read', async () => {
    const lock = join(temporaryFolder(), 'lock')
    const ended = spawnSync(process.execPath, ['-e', '']).pid
    expect(isRunning(ended)).toBe(false)
    for (const text of [String(ended), '', 'nonsense']) {
      writeFileSync(lock, text)
      expect(await alone(lock, () => Promise.resolve('done'), busy)).toBe('done')
    }
  })

  it('is done where no lock can be written', async () => {
    const lock = join(temporaryFolder(), 'not there', 'lock')
    expect(await alone(lock, () => Promise.resolve('done'), busy)).toBe('done')
  })
})
