import { beforeEach, describe, expect, it, vi } from 'vitest'
import { entriesNow } from '#renderer/components/palette/entries.ts'
import type { PaletteEntry } from '#renderer/components/palette/find.ts'
import { noNames, PaletteSearch } from '#renderer/components/palette/palette-search.ts'
import type { KnownLists } from '#renderer/components/palette/palette-search.ts'
import { offerFrameCommands } from '#renderer/components/frame/frame-commands.ts'
import { savedViews } from '#renderer/queries/saved-views.ts'
import type { WindowApp } from '#renderer/stores/app.ts'
import { createApp } from '#renderer/stores/create-app.ts'
import type { RowsFileId } from '#shared/archives/rows-file.ts'
import type { CaseEntry, CaseId } from '#shared/cases/case.ts'
import { day } from '#shared/values/day.ts'
import type { InstanceId, Instant } from '#shared/values/ids.ts'
import type { SavedViewId } from '#shared/views/saved-views.ts'
import { FakeDesk, account, otherAccount } from '#test/src-renderer/helpers/fake-desk.ts'
import { note } from '#test/src-renderer/helpers/noted.ts'
import { standAt } from '#test/src-renderer/helpers/show.ts'

/** A Friday. */
const today = day('2026-11-20')

const subject: CaseEntry = {
  ...{ name: 'cheap-clicks, Nov 2 – 8', notes: '', about: 'source', subject: 'cheap-clicks', files: [] },
  scope: {
    ...{ family: 'script', instances: { kind: 'all' }, source: 'cheap-clicks', campaign: null, zone: 'UTC' },
    range: { start: day('2026-11-02'), end: day('2026-11-08') },
  },
}

const lists: KnownLists = {
  names: {
    instances: ['Northwind News', 'Nordlys Travel', 'Kestrel Sport'].map((name, place) => ({
      id: String(101 + place) as InstanceId,
      name,
    })),
    names: {
      sources: ['cheap-clicks', '100% legit', 'Face book', 'Bad Boys Media'],
      campaigns: ['Autumn sale', 'Winter sale'],
      browsers: ['Chrome', 'Firefox', 'Safari'],
      geography: ['Germany', 'United States', 'France'],
      networks: ['Comcast Cable', 'Deutsche Telekom'],
    },
  },
  archives: [{ id: 'file-1' as RowsFileId, name: 'Response rows of November' }],
  cases: [{ id: '4f6d7a57-4c1f-4b7e-9d0a-6f2f1d0c9b01' as CaseId, begunAt: 0 as Instant, entry: subject }],
  notes: [
    note(1, '2026-11-10', { text: 'Partner paused, refund asked' }, '2026-11-12'),
    note(2, '2026-11-14', {
      ...{ text: 'New landing page', subject: { kind: 'source', source: 'cheap-clicks' } },
    }),
    note(3, '2026-11-15', {
      ...{
        text: 'Version 150 came',
        subject: { kind: 'view', view: '#/reports/script/browsers?source=meadow' },
      },
    }),
  ],
}

beforeEach(() => standAt('2026-11-20T10:00:00Z'))

async function appAt(address: string, accounts = [account, otherAccount]): Promise<WindowApp> {
  window.history.replaceState(null, '', address)
  const app = createApp(new FakeDesk({ accounts }).bridge, window)
  await vi.waitFor(() => expect(app.desk.account).not.toBeNull())
  app.queries.setQueryData(savedViews(app).queryKey, [
    {
      ...{ id: 'v1' as SavedViewId, name: 'Monday check', address: '#/overview?period=last-week' },
      ...{ pinned: false, depth: null, start: false, stored: null, syncing: false, failure: null },
    },
  ])
  offerFrameCommands(app, window)
  return app
}

const paletteOf = (app: WindowApp, known = lists) => new PaletteSearch(app, today, entriesNow(app), known)

/** What Enter would choose, and what is left where nothing would be. */
const firstOf = (app: WindowApp, text: string, known = lists): PaletteEntry | null =>
  paletteOf(app, known).find(text, localStorage, noNames)[0]?.entries[0] ?? null

/** Where choosing an entry leads, as a person would read the address. */
function reached(entry: PaletteEntry | null): string {
  entry?.run()
  return decodeURIComponent(window.location.hash).replaceAll('+', ' ')
}

/** A phrase, and what it has to lead to: the id of an entry, or where that goes. */
const phrases: readonly (readonly [text: string, meant: string])[] = [
  ['northwind news yesterday', '#/reports/script/browsers?period=yesterday&instance=101'],
  ['cheap-clicks', '#/reports/script/browsers?source=cheap-clicks'],
  ['new raw report', 'do:new-raw-report'],
  ['lock', 'command:lock'],
  ['sources last week', '#/reports/script/sources?period=last-week'],
  ['networks last month', '#/reports/script/networks?period=last-month'],
  [
    'bad sources last week',
    '#/reports/script/sources?period=last-week&rates=1&sort=desc:Bad Rate&where=at-least:50:Requests',
  ],
  ['export pdf', 'do:export-pdf'],
  ['dark mode', 'theme:dark'],
  ['block list', 'do:block-list'],
  ['germany last 28 days', '#/reports/script/geography?period=last-28-days&country=Germany'],
  ['worst source', '#/reports/script/sources?rates=1&sort=desc:Bad Rate&where=at-least:50:Requests'],
  ['198.51.100.154', '#/rows?search=198.51.100.154'],
  ['change token', 'do:new-token'],
  ['compare with last month', '#/reports/script/browsers?compare-start=2026-10-01&compare-end=2026-10-31'],
  ['help shortcuts', 'command:keys'],
  ['new case', 'do:new-case'],
  ['offline', 'do:keep-offline'],
  ['germany', '#/reports/script/geography?country=Germany'],
  ['pdf', 'do:export-pdf'],
  ['bad', '#/reports/script/browsers?rates=1&sort=desc:Bad Rate&where=at-least:50:Requests'],
  ['compare', 'compare:period-before'],
  ['token', 'do:new-token'],
  ['evidence', 'command:cases'],
  ['back up', 'do:back-up'],
  ['restore backup', 'do:restore'],
  ['save to excel', 'do:export-xlsx'],
  ['yesterday', '#/reports/script/browsers?period=yesterday'],
  ['last 30 days', '#/reports/script/browsers?start=2026-10-21&end=2026-11-19'],
  ['compare this week with last week', '#/reports/script/browsers?period=this-week&compare=week-before'],
  ['what got worse', 'command:findings'],
  ['new alert', 'do:new-alert'],
  ['today', 'command:today'],
  ['findings', 'command:findings'],
  ['schedules', 'command:schedules'],
  ['weekly report', 'do:new-schedule'],
  [
    'which countries are suspect',
    '#/reports/direct/geography?rates=1&sort=desc:Suspect Rate&where=at-least:50:Requests',
  ],
  ['comcast', '#/reports/script/networks?network=Comcast Cable'],
  ['show me all accounts', 'command:accounts'],
  ['switch to sample data', `account:${otherAccount.id}`],
  ['number format', 'settings:appearance'],
  ['where are my downloads', 'command:downloads'],
  ['what does bad mean', 'command:words'],
  ['import backup', 'do:restore'],
  ['monday check', 'view:v1'],
  ['direct by network', 'report:direct/networks'],
  ['germny last 28 days', '#/reports/script/geography?period=last-28-days&country=Germany'],
  ['logo', 'settings:pdf'],
  ['top countries last week', '#/reports/script/geography?period=last-week'],
  ['request raw rows', 'command:raw-rows'],
  ['get raw rows', 'command:raw-rows'],
  ['cheap-clicks by country last week', '#/reports/script/geography?period=last-week&source=cheap-clicks'],
  ['northwind cheap-clicks', '#/reports/script/browsers?instance=101&source=cheap-clicks'],
  ['bad boys media', '#/reports/script/browsers?source=Bad Boys Media'],
  ['rows of november', 'archive:file-1'],
  ['case cheap-clicks', 'case:4f6d7a57-4c1f-4b7e-9d0a-6f2f1d0c9b01'],
  ['check for updates', 'command:about'],
  ['add note', 'do:add-note'],
  ['partner paused', '#/overview?start=2026-11-10&end=2026-11-12'],
  ['note landing', '#/overview?start=2026-11-14&end=2026-11-14&source=cheap-clicks'],
  ['version 150 came', '#/reports/script/browsers?start=2026-11-15&end=2026-11-15&source=meadow&chart=rate'],
]

/** What nobody answers here. The first of these once led to a report, a guide and a backup. */
const foreign = [
  ...['weather tomorrow', 'pizza', 'qqqqqq', 'invoice', 'cost per click in berlin', 'my horse'],
  ...['evidence of life', 'compare apples', 'bad weather', 'token ring network'],
]

describe('the palette', () => {
  it('leads first to what was meant by what people type', async () => {
    const app = await appAt('#/reports/script/browsers')
    app.commands.offer('keep-offline', () => undefined)
    const wrong: string[] = []
    for (const [text, meant] of phrases) {
      window.history.replaceState(null, '', '#/reports/script/browsers')
      window.dispatchEvent(new HashChangeEvent('hashchange'))
      const first = firstOf(app, text)
      const led = meant.startsWith('#') ? reached(first) : (first?.id ?? 'nothing')
      if (led !== meant) wrong.push(`${text}: ${first?.words ?? 'nothing'}, ${led}`)
    }
    // None at all now; two may come to nothing, and none may lead elsewhere.
    expect(wrong).toEqual([])
    expect(phrases.length).toBeGreaterThanOrEqual(40)
  })

  it('finds one of ten thousand notes', async () => {
    const notes = Array.from({ length: 10_000 }, (_, number) =>
      note(number, '2026-11-10', {
        text: `Partner ${number} of the network paused for a while, refund asked`,
      }),
    )
    const app = await appAt('#/overview')
    const palette = paletteOf(app, { ...lists, notes })
    const [found] = palette.find('refund 4711', localStorage, noNames)
    expect(found?.entries[0]?.words).toContain('Partner 4711')
  })

  it.each(foreign)('finds nothing for “%s” rather than something else', async (text) => {
    expect(firstOf(await appAt('#/overview'), text)).toBeNull()
  })

  it('shows figures that are named from elsewhere in Overview', async () => {
    expect(reached(firstOf(await appAt('#/settings'), 'northwind yesterday'))).toBe(
      '#/overview?period=yesterday&instance=101',
    )
  })

  it('searches for a country of which no table is stored: the service may call it otherwise', async () => {
    const known = { ...lists, names: { ...lists.names, names: {} } }
    const app = await appAt('#/overview')
    expect(reached(firstOf(app, 'norway last week', known))).toBe(
      '#/reports/script/geography?period=last-week&search=Norway',
    )
  })

  it.each([
    ['this-week', 'last week', 'compare=week-before'],
    ['last-7-days', 'last month', 'compare-start=2026-10-01&compare-end=2026-10-31'],
    ['last-month', 'last month', 'compare=period-before'],
    ['yesterday', 'last year', 'compare=year-before'],
    ['last-month', 'september', 'compare-start=2026-09-01&compare-end=2026-09-30'],
  ])('compares %s with %s by the days that are meant', async (period, target, compared) => {
    const app = await appAt(`#/overview?period=${period}`)
    expect(reached(firstOf(app, `compare with ${target}`))).toContain(compared)
  })

  it.each(['198.51', '198.51.100', '2001:db8::7', 'fe80::1'])('searches archives for %s', async (text) => {
    expect(reached(firstOf(await appAt('#/overview'), text))).toBe(`#/rows?search=${text}`)
  })

  it.each(['7', '12:30 pm', '1,000', '2026-11-18'])('does not take %s for an address', async (text) => {
    expect(firstOf(await appAt('#/overview'), text)?.group).not.toBe('Search')
  })

  it('takes names that only the service knows, after those that fit better', async () => {
    const app = await appAt('#/overview')
    const found = {
      instances: [{ id: '300' as InstanceId, name: 'Zebra Shop' }],
      names: { sources: ['zz-odd'] },
    }
    const entries = paletteOf(app)
      .find('zeb', localStorage, found)
      .flatMap((group) => group.entries)
    expect(entries.map(({ words }) => words)).toEqual(['Zebra Shop', 'zz-odd'])
  })

  it('says first what a refused token asks for', async () => {
    const desk = new FakeDesk({ connection: { kind: 'refused' } })
    window.history.replaceState(null, '', '#/overview')
    const app = createApp(desk.bridge, window)
    await vi.waitFor(() => expect(app.desk.account).not.toBeNull())
    const [likely] = paletteOf(app).find('', localStorage, noNames)
    expect(likely?.group).toBe('Suggested')
    expect(likely?.entries[0]?.id).toBe('do:new-token')
  })
})
