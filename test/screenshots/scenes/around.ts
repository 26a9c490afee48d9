import type { Scene } from '../stage.ts'
import { button, calm, drawn, escape, go, open, press } from '../stage.ts'

const days = 'period=last-28-days'
const exportsOf = 'Exports'

/** Takes away what is said, also what had to wait for its place; some of it may have gone by itself. */
const dismissAll: NonNullable<Scene['leave']> = async ({ page }) => {
  const all = page.getByRole('button', { name: /^Dismiss: / })
  while ((await all.count()) > 0) {
    await all.evaluateAll((each) => each.forEach((one) => one instanceof HTMLElement && one.click()))
  }
}

/** Alerts at work, and the day that they read figures for. */
export const watched: readonly Scene[] = [
  {
    name: 'alerts-on',
    set: async ({ page }) => {
      await go(page, '#/findings/alerts')
      for (const name of ['Unusual rate of the account', 'Unusual rate of an instance']) {
        await page.getByRole('switch', { name }).click()
        await page.getByRole('switch', { name, checked: true }).waitFor()
      }
      await page
        .getByRole('list', { name: 'Alerts' })
        .getByText(/^Judged/)
        .first()
        .waitFor()
    },
    leave: dismissAll,
  },
  {
    name: 'today-figures',
    set: async ({ page }) => {
      await go(page, '#/today')
      await page.getByRole('heading', { level: 3, name: 'Script' }).waitFor()
      await calm(page)
    },
  },
  {
    name: 'findings-none',
    set: async ({ page }) => {
      await go(page, '#/findings')
      await calm(page)
    },
  },
]

/** What stands around the figures: exports, saved views, the palette, accounts, settings. */
export const around: readonly Scene[] = [
  ...(['guide', 'words', 'keys', 'about'] as const).map((topic): Scene => ({
    name: `help-${topic}`,
    set: async ({ page }) => {
      await go(page, `#/help/${topic}`)
      await page.getByRole('navigation', { name: 'Help' }).waitFor()
    },
  })),
  ...(
    [
      ['today', '#/today', 'Today'],
      ['findings', '#/findings', 'Findings'],
      ['alerts', '#/findings/alerts', 'Alerts'],
      ['no-schedules', '#/schedules', 'Schedules'],
    ] as const
  ).map(([name, address, title]): Scene => ({
    name,
    set: async ({ page }) => {
      await go(page, address)
      await page.getByRole('heading', { level: 1, name: title }).waitFor()
      await calm(page)
    },
  })),
  {
    name: 'alert-form',
    set: async ({ page }) => {
      await open(page, '#/reports/script/sources')
      await press(page, 'New alert')
      await page.getByRole('dialog', { name: 'New alert' }).getByLabel('Condition').waitFor()
    },
    leave: escape,
  },
  {
    name: 'alert-rule-mix',
    set: async ({ page }) => {
      await open(page, '#/reports/script/networks')
      await press(page, 'New alert')
      const form = page.getByRole('dialog', { name: 'New alert' })
      await form.getByLabel('Measure').selectOption({ label: 'Rule mix' })
      await form.locator('.said').waitFor()
      await calm(page)
    },
    leave: escape,
  },
  {
    name: 'export-menu',
    set: async ({ page }) => {
      await open(page, `#/reports/script/browsers?${days}`)
      await press(page, 'Export')
      await page.getByRole('menu', { name: 'Export' }).waitFor()
    },
    leave: escape,
  },
  {
    name: 'pdf-dialog',
    set: async ({ page }) => {
      await open(page, '#/reports/script/browsers?period=this-month&compare=period-before&rates=1')
      await press(page, 'Export')
      await page.getByRole('menuitem', { name: 'PDF for a client…' }).click()
      await page.getByRole('region', { name: 'Preview' }).getByRole('table').first().waitFor()
      await drawn(page)
    },
    leave: escape,
  },
  {
    name: 'exporting',
    set: async ({ page, service }) => {
      // Days of which nothing is kept: the export has to ask for every page.
      await open(page, '#/reports/script/referrers?period=last-month')
      service.hold('/v1/script/referrers', 6)
      await press(page, 'Export')
      await page.getByRole('menuitem', { name: 'Whole table: CSV' }).click()
      await page.getByRole('region', { name: exportsOf }).getByRole('progressbar').waitFor()
    },
  },
  {
    name: 'activity',
    set: async ({ page }) => {
      await open(page, `#/reports/script/browsers?${days}`)
      await press(page, 'Export')
      await page.getByRole('menuitem', { name: 'Table as seen: JSON' }).click()
      await button(page, 'Show in folder').waitFor()
      await page.getByRole('button', { name: /^Activity/ }).click()
      const list = page.getByRole('dialog', { name: 'Activity' })
      await list.getByRole('progressbar').waitFor()
    },
    leave: escape,
  },
  {
    name: 'exported',
    set: async ({ page, service }) => {
      service.release()
      const exported = page.getByRole('region', { name: exportsOf })
      await exported.getByRole('progressbar').waitFor({ state: 'detached' })
      // It stays while somebody looks at it.
      await exported.hover()
    },
    leave: dismissAll,
  },
  {
    name: 'exported-beside-dialog',
    set: async ({ page }) => {
      await open(page, `#/reports/script/browsers?${days}`)
      for (let turn = 0; turn < 4; turn += 1) {
        await press(page, 'Export')
        await page.getByRole('menuitem', { name: 'Table as seen: JSON' }).click()
        await page.getByRole('menu').waitFor({ state: 'detached' })
      }
      await page.getByRole('button', { name: 'Show in folder' }).nth(2).waitFor()
      await page.getByRole('region', { name: exportsOf }).hover()
      await press(page, 'Save view')
      await page.getByRole('dialog').waitFor()
    },
    leave: async (stage) => {
      await escape(stage)
      await dismissAll(stage)
    },
  },
  {
    name: 'save-view',
    set: async ({ page }) => {
      await open(page, `#/reports/script/browsers?${days}&chart=lines`)
      await press(page, 'Save view')
      await page.getByRole('dialog').waitFor()
    },
    leave: async (stage) => {
      const { page } = stage
      await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await open(page, '#/reports/script/device-types')
      await press(page, 'Keep offline')
      await page.locator('.kept', { hasText: /B$/ }).waitFor()
      await open(page, '#/reports/direct/geography?compare=week-before')
      await press(page, 'Keep offline')
      await page.locator('.kept', { hasText: /B$/ }).waitFor()
      await page
        .getByRole('button', { name: /^Dismiss: Saved/ })
        .evaluateAll((all) => all.forEach((each) => each instanceof HTMLElement && each.click()))
    },
  },
  {
    name: 'offline-days',
    set: async ({ page }) => {
      await press(page, 'Offline days')
      await page.getByRole('radio', { name: /^Last 90 days/ }).check()
    },
    leave: escape,
  },
  {
    name: 'schedule-form',
    set: async ({ page }) => {
      await go(page, '#/schedules')
      await press(page, 'New schedule')
      const form = page.getByRole('dialog', { name: 'New schedule' })
      await form.getByRole('checkbox').first().check()
    },
    leave: async ({ page }) => {
      await button(page, 'Save schedule').click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    },
  },
  {
    name: 'schedules',
    set: async ({ page }) => {
      await go(page, '#/schedules')
      await page.getByRole('table', { name: 'Schedules' }).waitFor()
      await calm(page)
    },
  },
  {
    name: 'views',
    set: async ({ page }) => {
      await page.getByRole('button', { name: /^Views/ }).click()
      await page.getByRole('dialog', { name: 'Views' }).waitFor()
    },
    leave: escape,
  },
  {
    name: 'palette',
    set: async ({ page }) => {
      await page.keyboard.press('ControlOrMeta+K')
      await page.getByRole('dialog', { name: 'Command palette' }).getByRole('option').first().waitFor()
    },
  },
  {
    name: 'palette-found',
    set: async ({ page }) => {
      await page.keyboard.type('geo')
      await page.getByRole('listbox').getByRole('option').first().waitFor()
    },
    leave: escape,
  },
  {
    name: 'accounts',
    set: async ({ page }) => {
      await page.getByRole('button', { name: /^Account:/ }).click()
      await page.getByRole('menu').waitFor()
    },
    leave: escape,
  },
  {
    name: 'side-bar-folded',
    set: ({ page }) => press(page, 'Collapse the side bar'),
    leave: ({ page }) => press(page, 'Expand the side bar'),
  },
  {
    name: 'all-accounts',
    set: async ({ page }) => {
      await go(page, '#/accounts?period=last-7-days&compare=period-before')
      await page.locator('tbody tr[aria-busy="false"] strong').first().waitFor()
      await calm(page)
    },
  },
  {
    name: 'settings',
    set: async ({ page }) => {
      await go(page, '#/settings')
      await button(page, 'Remove account').first().waitFor()
      await calm(page)
    },
  },
  {
    name: 'settings-lower',
    set: ({ page }) => page.locator('main').evaluate((main) => main.scrollTo(0, main.scrollHeight)),
  },
  {
    name: 'edit-account',
    set: async ({ page }) => {
      await page.locator('main').evaluate((main) => main.scrollTo(0, 0))
      await button(page, 'Edit account').last().click()
      await page.getByRole('dialog').waitFor()
    },
    leave: escape,
  },
  {
    name: 'remove-account',
    set: async ({ page }) => {
      await button(page, 'Remove account').last().click()
      await page.getByRole('dialog').waitFor()
    },
    leave: escape,
  },
]
