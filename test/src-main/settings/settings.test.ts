import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { SystemShell } from '#main/lib/system-shell.ts'
import { Settings } from '#main/settings/settings.ts'
import type { Store } from '#main/database/open-store.ts'
import { DeskFailure } from '#shared/api/failure.ts'
import { usualSettings } from '#shared/app/settings.ts'
import type { DeskSettings, TimeOfDay } from '#shared/app/settings.ts'
import { noBrand } from '#shared/exports/order.ts'
import { eventsTo } from '#test/helpers/app-events.ts'
import { makeReadOnly, tinyDisk, whyNoTinyDisk } from '#test/faults/tiny-disk.ts'
import { fake } from '#test/helpers/fake.ts'
import { firstId, localStore, temporaryFolder } from '../database/helpers.ts'

/** The room over a real store, with a machine that does what it is told. */
function roomWith({
  store = localStore(),
  ...changes
}: Partial<SystemShell> & { readonly store?: Store } = {}) {
  const applied: DeskSettings[] = []
  const told: DeskSettings[] = []
  const events = eventsTo((event) => {
    if (event.kind === 'settings/changed') told.push(event.settings)
  })
  const accounts = { list: () => [], dataScopeOf: () => expect.fail() }
  const settings = new Settings(
    store,
    accounts,
    events,
    fake<SystemShell>('shell', {
      apply: async (each) => {
        applied.push(each)
      },
      chooseFolder: async () => null,
      choosePicture: async () => null,
      downloads: () => '/home/ada/Downloads',
      ...changes,
    }),
  )
  return { settings, store, applied, told }
}

const refusing = async () => {
  throw new DeskFailure({ kind: 'invalid', message: 'This system does not start programs by itself.' })
}

describe('the settings', () => {
  it('are as usual until they are changed, and are there at the next start', async () => {
    const folder = temporaryFolder()
    const { settings, applied, told } = roomWith({ store: localStore(folder) })
    expect(await settings.read()).toEqual(usualSettings)
    const named = [{ account: firstId, code: 'UE', name: 'User agents' }]
    const neverBlocked = ['203.0.113.0/24']
    const changed = {
      theme: 'dark',
      density: 'compact',
      formats: 'de-DE',
      csv: 'semicolon',
      downloadFolder: null,
      startAtLogin: true,
      closeToTray: false,
      storageLimit: 250,
      savesLooks: false,
      mostCalls: 100,
      ruleNames: named,
      columnNames: [{ account: firstId, number: '1', name: 'Sub-id' }],
      readsIn: false,
      neverBlocked,
      morningAt: '07:30' as TimeOfDay,
      quietHours: { from: '22:00' as TimeOfDay, to: '07:00' as TimeOfDay },
      raw: { ...usualSettings.raw, saving: 'none', bandwidth: 500 },
    } as const satisfies DeskSettings
    expect(await settings.write(changed)).toEqual(changed)
    expect({ applied, told }).toEqual({ applied: [changed], told: [changed] })
    expect(await roomWith({ store: localStore(folder) }).settings.read()).toEqual(changed)
  })

  it('stay as they are where they are not named, also when two changes come at once', async () => {
    const { settings, told } = roomWith()
    await Promise.all([settings.write({ theme: 'dark' }), settings.write({ density: 'compact' })])
    expect(await settings.read()).toEqual({ ...usualSettings, theme: 'dark', density: 'compact' })
    expect(told.at(-1)).toEqual(await settings.read())
  })

  it('of raw reports stay as they are where they are not named, also when several changes come at once', async () => {
    const { settings } = roomWith()
    await Promise.all([
      settings.write({ raw: { announce: { ready: false } } }),
      settings.write({ raw: { announce: { failed: false } } }),
      settings.write({ raw: { saving: 'none' } }),
      settings.write({ raw: { bandwidth: 500 } }),
    ])
    const { raw } = usualSettings
    const announce = { ...raw.announce, ready: false, failed: false }
    expect((await settings.read()).raw).toEqual({ ...raw, announce, saving: 'none', bandwidth: 500 })
  })

  it('tell nothing where nothing changes', async () => {
    const { settings, applied, told } = roomWith()
    expect(await settings.write({ theme: 'system' })).toEqual(usualSettings)
    expect({ applied, told }).toEqual({ applied: [], told: [] })
  })

  it('are not written where the machine refuses, and the next change is made all the same', async () => {
    const refused: SystemShell['apply'] = async ({ startAtLogin }) => {
      if (startAtLogin) await refusing()
    }
    const { settings, told } = roomWith({ apply: refused })
    await expect(settings.write({ startAtLogin: true, theme: 'dark' })).rejects.toThrow('by itself')
    expect(await settings.read()).toEqual(usualSettings)
    expect(told).toEqual([])
    expect(await settings.write({ theme: 'dark' })).toMatchObject({ theme: 'dark' })
  })

  it('do not hold at the machine where they cannot be kept', async () => {
    const store = localStore()
    const full = new DeskFailure({ kind: 'disk', message: 'The disk is full.' })
    const run: Store['run'] = (name, argument) =>
      name === 'settings/write' ? Promise.reject(full) : store.run(name, argument)
    const { settings, applied, told } = roomWith({ store: { ...store, run } })
    await expect(settings.write({ theme: 'dark' })).rejects.toBe(full)
    expect(applied.map(({ theme }) => theme)).toEqual(['dark', 'system'])
    expect(told).toEqual([])
  })
})

describe('choosing a folder for downloads', () => {
  it('sets it, and files go there as long as it is there', async () => {
    const folder = join(temporaryFolder(), 'Berichte – 報告')
    mkdirSync(folder)
    const { settings, told } = roomWith({ chooseFolder: async () => folder })
    expect(await settings.downloadFolder()).toBe('/home/ada/Downloads')
    expect(await settings.handlers['settings/choose-folder']()).toEqual({
      ...usualSettings,
      downloadFolder: folder,
    })
    expect(told).toHaveLength(1)
    expect(await settings.downloadFolder()).toBe(folder)
    expect(readdirSync(folder)).toEqual([])
    rmSync(folder, { recursive: true })
    expect(await settings.downloadFolder()).toBe('/home/ada/Downloads')
    await settings.write({ downloadFolder: null })
    expect((await settings.read()).downloadFolder).toBeNull()
  })

  it('changes nothing where the person thought better of it', async () => {
    const { settings, told } = roomWith()
    expect(await settings.handlers['settings/choose-folder']()).toBeNull()
    expect(told).toEqual([])
  })

  it('refuses what is gone, and what is no folder', async () => {
    const file = join(temporaryFolder(), 'file')
    writeFileSync(file, '')
    for (const path of [file, join(file, 'below'), join(temporaryFolder(), 'gone')]) {
      const { settings } = roomWith({ chooseFolder: async () => path })
      await expect(settings.handlers['settings/choose-folder']()).rejects.toMatchObject({
        failure: { kind: 'invalid', field: 'downloadFolder' },
      })
      expect(await settings.read()).toEqual(usualSettings)
    }
  })

  const why = process.getuid?.() === 0 ? whyNoTinyDisk() : null
  it.skipIf(why !== null)(
    `refuses where nothing can be written${why ? ` (skipped: ${why})` : ''}`,
    async () => {
      const folder = process.getuid?.() === 0 ? tinyDisk(64) : temporaryFolder()
      if (process.getuid?.() === 0) makeReadOnly(folder)
      else chmodSync(folder, 0o500)
      const { settings } = roomWith({ chooseFolder: async () => folder })
      await expect(settings.handlers['settings/choose-folder']()).rejects.toThrow("Can't save in this folder")
      expect(await settings.read()).toEqual(usualSettings)
    },
  )
})

describe('how PDFs look', () => {
  it('keeps both where colour and logo are changed at once', async () => {
    const { settings, store } = roomWith()
    await store.run('brand/write', { ...noBrand, logo: 'data:image/png;base64,AAAA' })
    await Promise.all([
      settings.handlers['settings/write-brand']({ colour: '#1a56b0' }),
      settings.handlers['settings/write-brand']({ logo: null }),
    ])
    expect(await settings.handlers['settings/brand']()).toEqual({ colour: '#1a56b0', logo: null })
  })
})

describe('the layout of a report', () => {
  const layout = { order: ['Browser', 'Good'], hidden: ['Mobile'], widths: { Browser: 240.5 } }

  it('is kept for that report until it is put back', async () => {
    const folder = temporaryFolder()
    const { settings } = roomWith({ store: localStore(folder) })
    expect(await settings.handlers['layouts/read']()).toEqual({})
    await settings.handlers['layouts/write']({ report: 'script/browsers', layout })
    const next = roomWith({ store: localStore(folder) }).settings
    expect(await next.handlers['layouts/read']()).toEqual({ 'script/browsers': layout })
    expect(await next.read()).toEqual(usualSettings)
    await next.handlers['layouts/write']({ report: 'script/browsers', layout: null })
    expect(await next.handlers['layouts/read']()).toEqual({})
  })
})
