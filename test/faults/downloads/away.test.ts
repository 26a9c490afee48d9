import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createServiceClient } from '#main/api/client.ts'
import { AccessToken } from '#main/api/token.ts'
import type { RawReportId } from '#shared/values/ids.ts'
import { day } from '#shared/values/day.ts'
import { startSandbox } from '#test/e2e/helpers/sandbox.ts'
import type { RunningSandbox } from '#test/e2e/helpers/sandbox.ts'
import {
  account,
  downloadsFrom,
  namesIn,
  read,
  temporaryFolder,
} from '#test/src-main/raw/downloads/helpers.ts'

const today = day('2026-11-20')
/** So slowly that there is time for what happens meanwhile. */
const slowly = (bytes: Buffer) => ({
  path: 'download',
  does: { kind: 'drip', bytes: Math.ceil(bytes.length / 50), everyMilliseconds: 100 },
})

function clientOf({ address, tokens }: RunningSandbox) {
  const token = () => Promise.resolve(new AccessToken(tokens.admin, address))
  const client = createServiceClient({ address, token, bodyEncoding: 'json' })
  onTestFinished(() => client.close())
  return client
}

/** A report that every sandbox of this seed has from its start, and its archive. */
async function seededReport(sandbox: RunningSandbox): Promise<{ id: RawReportId; bytes: Buffer }> {
  const client = clientOf(sandbox)
  const { answer } = await client.call('raw/table', {})
  const found = await Promise.all(
    answer.rows
      .filter(({ created, cancelled, failed }) => created !== null && cancelled === null && failed === null)
      .map(async ({ id }) => (await client.call('raw/report', { raw: id })).answer),
  )
  const [largest] = found.sort((a, b) => (b.file_size ?? 0) - (a.file_size ?? 0))
  if (!largest) throw new RangeError('No report is ready')
  const { url } = (await client.call('raw/download', { raw: largest.id })).answer
  return { id: largest.id, bytes: Buffer.from(await (await fetch(url)).arrayBuffer()) }
}

describe('a service that goes away while it is downloaded from', () => {
  it('is waited for, and gone on with from where it was', async () => {
    const sandbox = await startSandbox({ today })
    const { id, bytes } = await seededReport(sandbox)
    await sandbox.control('POST', '/faults', slowly(bytes))
    const made = await downloadsFrom(clientOf(sandbox), sandbox.address)
    const begun = await made.downloads.start({ account: account().id, report: id, choose: false })
    if (!begun) throw new TypeError('Nothing was started')
    await made.until(begun.id, ({ state }) => state.kind === 'running' && state.done > 0)
    await sandbox.kill()
    await made.until(begun.id, ({ state }) => state.kind === 'paused' && state.why === 'connection')
    const again = await startSandbox({ today, port: sandbox.port })
    const ended = await made.until(begun.id, ({ state }) => state.kind === 'saved' || state.kind === 'failed')
    expect(bytes.length).toBeGreaterThan(1000)
    expect(ended.state.kind).toBe('saved')
    expect((await read(made.folder, ended.file)).equals(bytes)).toBe(true)
    expect(namesIn(made.folder)).toEqual([ended.file])
    const { requests } = (await again.control('GET', '/requests')) as {
      requests: { path: string; status: number }[]
    }
    expect(requests.find(({ path }) => path === 'download')?.status).toBe(206)
  }, 60_000)
})

describe('a computer that sleeps while it downloads', () => {
  it('goes on when it wakes, though every connection broke meanwhile', async () => {
    const sandbox = await startSandbox({ today })
    const { id, bytes } = await seededReport(sandbox)
    await sandbox.control('POST', '/faults', slowly(bytes))
    const [folder, profile] = [temporaryFolder(), temporaryFolder()]
    const script = new URL('./downloading-process.ts', import.meta.url).pathname
    const child = spawn(
      process.execPath,
      [script, sandbox.address, sandbox.tokens.admin, id, folder, profile],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    onTestFinished(() => void child.kill('SIGKILL'))
    const ended = once(child, 'exit')
    let slept = false
    for await (const line of createInterface(child.stdout)) {
      if (line === 'running' && !slept && namesIn(folder).some((name) => lengthIn(folder, name) > 0)) {
        slept = true
        child.kill('SIGSTOP')
        await sandbox.kill()
        await startSandbox({ today, port: sandbox.port })
        child.kill('SIGCONT')
      }
      if (line === 'saved') child.kill('SIGKILL')
    }
    await ended
    expect(slept).toBe(true)
    const archives = namesIn(folder).filter((name) => name.endsWith('.zip'))
    expect(archives).toHaveLength(1)
    expect((await read(folder, archives[0] ?? '')).equals(bytes)).toBe(true)
    expect(namesIn(folder)).toHaveLength(2)
  }, 60_000)
})

const lengthIn = (folder: string, name: string): number => statSync(join(folder, name)).size
