import type { Notice } from '#shared/app/state.ts'

/** Notices shown after a worker crashed. The worker restarts automatically. */
export const interrupted = {
  store: {
    id: 'store-stopped',
    tone: 'warning',
    title: 'Saving was interrupted',
    text: 'What you did last may not be saved. Traffic Desk retries with your next change.',
  },
  engine: {
    id: 'engine-stopped',
    tone: 'warning',
    title: 'Computing was interrupted',
    text: 'Figures being computed or saved may be missing. Open the view again to compute them. The saved data is safe.',
  },
  rows: {
    id: 'rows-stopped',
    tone: 'warning',
    title: 'Reading raw rows was interrupted',
    text: 'Rows being imported, shown or saved may be missing. Try again. Archives and saved data are safe.',
  },
  archives: {
    id: 'archives-stopped',
    tone: 'warning',
    title: 'Saving a raw report was interrupted',
    text: 'It resumes automatically, and nothing is lost. See Downloads for progress.',
  },
} as const satisfies Record<string, Notice>

export const pausedNotice: Notice = {
  id: 'paused',
  tone: 'information',
  title: 'Paused',
  text: 'Nothing is updated, requested or saved until you turn off “Pause” in the tray.',
}
