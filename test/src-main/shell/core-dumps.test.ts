import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { emptyCoreDumps, refuseCoreDumps } from '#main/shell/core-dumps.ts'
import { allowCoreFile, coreFilesElsewhere, coreLimitOf } from '#test/e2e/helpers/core-file.ts'

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
