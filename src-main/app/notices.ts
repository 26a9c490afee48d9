import type { Notice } from '#shared/app/state.ts'

/** What the person should know where a thread or process beside the main one has ended by itself. It begins again by itself. */
export const interrupted = {
  store: {
    id: 'store-stopped',
    tone: 'warning',
    title: 'Saving was interrupted',
    text: 'What you did last may not be saved. Traffic Desk tries again with whatever you do next.',
  },
  engine: {
    id: 'engine-stopped',
    tone: 'warning',
    title: 'Computing was interrupted',
    text: 'Figures that were being computed or saved may be missing. Open the view again to compute them again. The saved data is safe.',
  },
  rows: {
    id: 'rows-stopped',
    tone: 'warning',
    title: 'Reading raw rows was interrupted',
    text: 'Rows that were being read in, shown or saved may be missing. Please try again. Archives and saved data are safe.',
  },
  archives: {
    id: 'archives-stopped',
    tone: 'warning',
    title: 'Saving a raw report was interrupted',
    text: 'It goes on by itself. What has arrived is kept. Downloads shows how it stands.',
  },
} as const satisfies Record<string, Notice>

export const pausedNotice: Notice = {
  id: 'paused',
  tone: 'information',
  title: 'Paused',
  text: 'Nothing is updated, watched, requested or saved automatically until “Pause” is switched off in the tray.',
}
