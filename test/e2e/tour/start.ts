import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { addDays, dayAt } from '#shared/values/day.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import { startDesk } from '../helpers/app.ts'
import type { Launch, RunningDesk } from '../helpers/app.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { startSandbox, untilChecked } from '../helpers/sandbox.ts'
import type { RunningSandbox } from '../helpers/sandbox.ts'
import { connect, mainNavigation, openView, status } from '../helpers/window.ts'
import { EventOracle } from '../oracle/figures.ts'
import { Hands } from './hands.ts'
import { pollOptions } from '../helpers/poll-options.ts'

/** The seed of the sandbox's events and of the oracle's. */
const SEED = 11

/** Files that run one after the other in a process share this module, and each has a day of its own. */
export const today = (): Day => dayAt(Date.now(), 'UTC')

/** The last days, of which the newest was yesterday: so Reports counts them. */
export const lastDays = (days: number): DayRange => ({
  start: addDays(today(), -days),
  end: addDays(today(), -1),
})

/** Tall enough that a page of fifty rows is on screen whole. */
const size = { width: 1400, height: 2400 }

let oracle: { readonly of: Day; readonly figures: EventOracle } | undefined

/** Files that run one after the other on a day share it. */
export function oracleOfToday(): EventOracle {
  if (oracle?.of !== today()) oracle = { of: today(), figures: new EventOracle(SEED, today()) }
  return oracle.figures
}

export const sandboxOfToday = () => startSandbox({ seed: SEED, today: today() })

export type TourDesk = RunningDesk & {
  readonly profile: string
  readonly hands: Hands
  readonly sandbox: RunningSandbox
  /** Ends the service as a crash would, once what was shown is saved for good, and waits until the window has noticed. */
  readonly loseService: () => Promise<void>
  /** Ends the app and starts it again; the service stays as it is. */
  readonly restart: () => Promise<Page>
}

/** The app with an account at a sandbox of its own, standing at Reports. What is looked at is saved day by day where that is said. */
export async function startTour({
  env = {},
  savesLooks = false,
}: Pick<Launch, 'env'> & { readonly savesLooks?: boolean } = {}): Promise<TourDesk> {
  const sandbox = await sandboxOfToday()
  const profile = temporaryFolder('tour')
  const desk = await startDesk({ profile, env })
  await desk.page.setViewportSize(size)
  await connect(desk.page, { name: 'Tour', address: sandbox.address, token: sandbox.tokens.admin })
  await openView(desk.page, 'Reports')
  // What is asked for behind a view is no part of most tours.
  await desk.page.evaluate((saves) => window.desk.call('settings/write', { savesLooks: saves }), savesLooks)
  return {
    ...desk,
    profile,
    sandbox,
    hands: new Hands(desk.page),
    loseService: async () => {
      await untilChecked(sandbox)
      await sandbox.kill()
      await openView(desk.page, 'Reports')
      await desk.page.getByRole('button', { name: 'Refresh', exact: true }).click()
      await expect.poll(() => status(desk.page).innerText(), pollOptions).toMatch(/^Offline\./)
    },
    restart: async () => {
      await desk.quit()
      const { page } = await startDesk({ profile, env })
      await page.setViewportSize(size)
      await mainNavigation(page).waitFor()
      await expect.poll(() => status(page).innerText(), pollOptions).toMatch(/^Offline\./)
      return page
    },
  }
}
