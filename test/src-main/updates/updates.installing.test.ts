import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../database/helpers.ts'
import { feedText, packageBytes, publishAt } from './maker.ts'
import { after, harness } from './harness.ts'

/** An app with a package that is downloaded already. */
async function ready(appImage: string | null = null) {
  const kind = appImage === null ? 'deb' : 'appimage'
  const made = await harness({ here: { target: `linux-x64-${kind}`, kind, appImage } })
  const bytes = packageBytes()
  publishAt(made.host, made.by, feedText(bytes), bytes)
  const updates = made.start()
  await after(updates, 'look', 'download')
  const path = join(made.packages, `traffic-desk-1.3.0.${kind === 'deb' ? 'deb' : 'AppImage'}`)
  expect(existsSync(path)).toBe(true)
  return { ...made, updates, bytes, path }
}

/** An AppImage that runs, in a folder of its own. */
function runningAppImage(): string {
  const path = join(temporaryFolder(), 'apps', 'Traffic Desk.AppImage')
  mkdirSync(dirname(path))
  writeFileSync(path, packageBytes(1000))
  chmodSync(path, 0o755)
  return path
}

describe('a package for the installer of the system', () => {
  it('is opened with it, and again where that is wished', async () => {
    const { updates, opened, path } = await ready()
    expect((await after(updates, 'install')).stage.kind).toBe('opened')
    expect((await after(updates, 'install')).stage.kind).toBe('opened')
    expect(opened).toEqual([path, path])
    // It is the same that the installer has.
    expect((await after(updates, 'look')).stage.kind).toBe('opened')
  })

  it('that was swapped after it was downloaded is not opened, and removed', async () => {
    const { updates, opened, path, bytes } = await ready()
    writeFileSync(path, packageBytes(bytes.length - 11))
    const state = await after(updates, 'install')
    expect(state).toMatchObject({ stage: { kind: 'there' }, failure: { kind: 'malformed' } })
    expect(state.failure?.message).toContain('signature is wrong')
    expect([opened, existsSync(path)]).toEqual([[], false])
  })

  it('that is gone is to be downloaded again', async () => {
    const { updates, opened, path } = await ready()
    rmSync(path)
    expect(await after(updates, 'install')).toMatchObject({
      ...{ stage: { kind: 'there' }, failure: { kind: 'disk' } },
    })
    expect(opened).toEqual([])
    expect((await after(updates, 'download')).stage.kind).toBe('ready')
  })

  it('says where the system opens no packages', async () => {
    const { start } = await ready()
    const updates = start({ openFile: () => Promise.resolve('No program is set for it') })
    const state = await after(updates, 'install')
    expect(state.stage.kind).toBe('ready')
    expect(state.failure?.message).toContain('No program is set for it')
  })
})

describe('an AppImage', () => {
  it('is replaced as one, keeps its mode, and is begun by a restart', async () => {
    const running = runningAppImage()
    const { updates, bytes, path, restarts, opened } = await ready(running)
    expect(await after(updates, 'restart')).toMatchObject({ stage: { kind: 'ready' } })
    expect(restarts()).toBe(0)
    expect(await after(updates, 'install')).toMatchObject({ stage: { kind: 'replaced' }, failure: null })
    expect(readFileSync(running).equals(bytes)).toBe(true)
    expect(statSync(running).mode & 0o777).toBe(0o755)
    expect(readdirSync(dirname(running))).toEqual(['Traffic Desk.AppImage'])
    expect([existsSync(path), opened]).toEqual([false, []])
    await after(updates, 'look', 'restart')
    expect(restarts()).toBe(1)
  })

  it('is left without what a killed app had begun beside it', async () => {
    const running = runningAppImage()
    const draft = join(dirname(running), '.Traffic Desk.AppImage.update')
    writeFileSync(draft, 'half')
    await ready(running)
    expect(existsSync(draft)).toBe(false)
  })

  it('stays as it is where the package was swapped', async () => {
    const running = runningAppImage()
    const before = readFileSync(running)
    const { updates, path, bytes } = await ready(running)
    writeFileSync(path, packageBytes(bytes.length - 11))
    expect(await after(updates, 'install')).toMatchObject({
      ...{ stage: { kind: 'there' }, failure: { kind: 'malformed' } },
    })
    expect(readFileSync(running).equals(before)).toBe(true)
    expect(readdirSync(dirname(running))).toEqual(['Traffic Desk.AppImage'])
  })

  it('is not replaced where something else has its name', async () => {
    const running = runningAppImage()
    const { updates } = await ready(running)
    writeFileSync(running, 'notes of a person')
    const state = await after(updates, 'install')
    expect(state.failure?.message).toContain('not an AppImage')
    expect(readFileSync(running, 'utf8')).toBe('notes of a person')
  })
})
