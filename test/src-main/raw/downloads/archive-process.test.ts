import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { noProxyAccess } from '#main/api/transport/proxy-access.ts'
import { BrokenArchive, HostileArchive } from '#main/files/zip-errors.ts'
import { inArchiveProcess } from '#main/raw/downloads/archive-process.ts'
import { threadChannel } from '#main/workers/rpc-client.ts'
import { appThread, openAsThread } from '#test/helpers/app-threads.ts'
import { utilityChildChannel } from '#test/helpers/utility-channel.ts'
import { noughts, zipOf } from '#test/src-main/files/made-archives.ts'
import { temporaryFolder } from './helpers.ts'

const csv = 'TIMESTAMP,SOURCE\r\n2026-11-19T00:00:00Z,news\r\n'

function laid(zip: Buffer): { path: string; folder: string } {
  const folder = temporaryFolder()
  const path = join(folder, 'Report.zip')
  writeFileSync(path, zip)
  return { path, folder }
}

describe('the process of an archive', () => {
  const openArchive = openAsThread('archive')
  const signal = new AbortController().signal

  it('says what is wrong with one, and what the disk refuses', async () => {
    const { path } = laid(await zipOf({}))
    await expect(
      inArchiveProcess(openArchive, { kind: 'finish', modified: null, path }, signal),
    ).rejects.toThrow(HostileArchive)
    const cut = laid((await zipOf({ 'report.csv': csv })).subarray(0, 40))
    await expect(
      inArchiveProcess(openArchive, { kind: 'finish', modified: null, path: cut.path }, signal),
    ).rejects.toThrow(BrokenArchive)
    await expect(
      inArchiveProcess(
        openArchive,
        { kind: 'finish', modified: null, path: join(cut.folder, 'none') },
        signal,
      ),
    ).rejects.toMatchObject({ failure: { kind: 'disk' } })
  })

  it('ends when it is broken off', async () => {
    const { path } = laid(await zipOf({ 'report.csv': Readable.from(noughts(60)) }))
    const controller = new AbortController()
    const reason = new Error('Enough')
    const ended = inArchiveProcess(openArchive, { kind: 'finish', modified: null, path }, controller.signal)
    controller.abort(reason)
    await expect(ended).rejects.toBe(reason)
  })

  it('runs its task in a thread of a utility process, which ends with it', async () => {
    const { path } = laid(await zipOf({ 'report.csv': csv }))
    const channel = utilityChildChannel(appThread('archive'))
    const ended = new Promise<unknown>((resolve) => channel.onEnd(resolve))
    await inArchiveProcess(() => channel, { kind: 'finish', modified: null, path }, signal)
    expect(String(await ended)).toBe('Error: It ended with 0')
  })

  it('is believed nothing that is out of form', async () => {
    const telling = `
      import { parentPort } from 'node:worker_threads'
      const call = (id, name, argument) => parentPort.postMessage({ kind: 'call', id, name, argument })
      const tell = (event) => parentPort.postMessage({ kind: 'event', event })
      parentPort.on('message', ({ kind, id }) => {
        if (kind === 'close') return parentPort.close()
        if (kind === 'failed') return parentPort.postMessage({ kind: 'done', id: 1, result: { kind: 'done' } })
        for (const event of [null, 'arrived', { kind: 'wrote', length: -1 }, { kind: 'wrote', length: 7 }]) tell(event)
        call(1, 'began', { host: 'files.example', size: '1', fileSize: null, validator: null })
      })`
    const [wrote, began]: [number[], unknown[]] = [[], []]
    await inArchiveProcess(
      () => threadChannel(new URL(`data:text/javascript,${encodeURIComponent(telling)}`), {}),
      { kind: 'finish', modified: null, path: '' },
      signal,
      {
        proxy: () => Promise.resolve('DIRECT'),
        proxyAccess: noProxyAccess,
        certificates: () => Promise.resolve(undefined),
        began: (response) => Promise.resolve(void began.push(response)),
        portion: () => Promise.resolve(1),
        wrote: (length) => wrote.push(length),
        arrived: () => wrote.push(-1),
      },
    )
    expect([wrote, began]).toEqual([[7], []])
  })
})
