import type { ListedReport } from '#shared/raw/list.ts'
import { nameOfReport, savedWords } from '#shared/texts/raw.ts'

/**
 * What became of reports between two looks at a list, a sentence each, for who does not see it: those that ended, and
 * those whose file came or did not. Nothing is said of what merely goes on, and of reports that were not listed before.
 */
export function endsBetween(before: readonly ListedReport[], now: readonly ListedReport[]): string[] {
  return now.flatMap((listedReport) => {
    const old = before.find(({ row }) => row.id === listedReport.row.id)
    if (!old) return []
    const name = nameOfReport(listedReport.row.name)
    const ended = old.life.state === 'in-progress' && listedReport.life.state !== 'in-progress'
    const words = ended ? [`${name}: ${listedReport.life.words}.`] : []
    const isNews =
      listedReport.saved !== old.saved && (listedReport.saved === 'saved' || listedReport.saved === 'failed')
    return isNews ? [...words, `${name}: ${savedWords(listedReport)}.`] : words
  })
}
