import type { ListedReport } from '#shared/raw/list.ts'

/** Only what is being made can be cancelled (specification: raw/cancel). */
export const canCancel = ({ life, undoUntil }: ListedReport): boolean =>
  life.state === 'in-progress' && undoUntil === null

/** Whether there is a file to fetch that nobody fetches or has: what “Download” is for where many are chosen. */
export const canDownload = ({ life, saved }: ListedReport): boolean =>
  life.state === 'ready' && ['none', 'paused', 'failed', 'missing'].includes(saved)

/** One that is saved can be fetched once more by itself: its file may be out of reach, or spoilt. */
export const canDownloadAlone = (listed: ListedReport): boolean =>
  canDownload(listed) || (listed.life.state === 'ready' && listed.saved === 'saved')

/** Whether its rows can be looked into. */
export const canOpenRows = ({ saved }: ListedReport): boolean => saved === 'saved'

export const canShow = ({ saved }: ListedReport): boolean => saved === 'saved'
