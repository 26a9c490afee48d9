import type { Locator, Page } from 'playwright-core'

type Role = Parameters<Page['getByRole']>[0]

/** Something of the window by its role and its whole name. */
export const exact = (page: Page, role: Role, name: string): Locator =>
  page.getByRole(role, { name, exact: true })

/** The table of a report. */
export const gridOf = (page: Page, report: string): Locator => exact(page, 'grid', report)
