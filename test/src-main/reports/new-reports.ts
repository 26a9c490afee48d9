import type { ReportsDependencies } from '#main/reports/reports-context.ts'
import { Reports } from '#main/reports/reports.ts'
import type { Settings } from '#main/settings/settings.ts'
import { usualSettings } from '#shared/app/settings.ts'
import { fake } from '#test/helpers/fake.ts'

/** The usual settings. @param mostCalls maximum number of calls for one view of a composed table */
export const settingsOf = (mostCalls = async () => usualSettings.mostCalls): Settings =>
  fake<Settings>('settings', { read: async () => ({ ...usualSettings, mostCalls: await mostCalls() }) })

/** Reports with the usual settings. */
export const newReports = (
  given: Omit<ReportsDependencies, 'settings'> & Partial<ReportsDependencies>,
): Reports => new Reports({ settings: settingsOf(), ...given })
