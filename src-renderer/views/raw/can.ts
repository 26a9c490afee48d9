import type { ListedReport } from '../../../src-shared/raw/listed.ts'

/** Only what is being made can be cancelled (specification: raw/cancel). */
export const canCancel = ({ life, undoUntil }: ListedReport): boolean =>
  life.state === 'in-progress' && undoUntil === null

/** Whether there is a file to fetch, and nobody fetches it or has it. */
export const canDownload = ({ life, saved }: ListedReport): boolean =>
  life.state === 'ready' && ['none', 'paused', 'failed', 'missing'].includes(saved)

export const canShow = ({ saved }: ListedReport): boolean => saved === 'saved'
