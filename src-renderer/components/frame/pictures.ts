import type { ViewAddress } from '#shared/views/view-address.ts'

/** Icons of the side bar, as paths in a 16 × 16 box. A folded side bar shows only the icons. */
export const pictures: Readonly<Record<ViewAddress['kind'], string>> = {
  today: 'M2.5 3.5h11v10h-11zM2.5 6.5h11M5.5 2v3M10.5 2v3M6 10l1.5 1.5 3-3',
  findings: 'M4 11.5V7.2a4 4 0 0 1 8 0v4.3l1 1H3zM6.8 14.3h2.4M8 1.8v1.4',
  overview: 'M2.5 9.5h4v4h-4zM9.5 2.5h4v11h-4zM2.5 2.5h4v4h-4z',
  accounts: 'M2.5 13.5v-11h7v11M9.5 6.5h4v7M1.5 13.5h13M5 5.5h2M5 8.5h2',
  reports: 'M2.5 3.5h11v9h-11zM2.5 6.5h11M6.5 6.5v6',
  raw: 'M3.5 1.5h6l3 3v10h-9zM9.5 1.5v3h3M6 8h4M6 11h4',
  rows: 'M2.5 4h11M2.5 8h11M2.5 12h11',
  downloads: 'M8 2v8M4.5 7 8 10.5 11.5 7M2.5 13.5h11',
  cases: 'M2.5 5.5h11v8h-11zM5.5 5.5v-3h5v3M2.5 9h11',
  schedules: 'M8 1.8a6.2 6.2 0 1 0 .01 0M8 4.5V8l2.5 1.8',
  settings: 'M2.5 4.5h6M12.5 4.5h1M2.5 11.5h1M7.5 11.5h6M10.5 2.8v3.4M5.5 9.8v3.4',
  help: 'M8 1.8a6.2 6.2 0 1 0 .01 0M6 6.2a2 2 0 1 1 2.6 1.9c-.4.2-.6.5-.6 1M8 11.5h.01',
  connect: 'M8 3v10M3 8h10',
}

/** Icons of other controls. */
export const signs = {
  pinned: 'M6 2h4l-.5 5 2.5 2v1.5H4V9l2.5-2zM8 10.5V14',
  views: 'M4 2.5h8v11l-4-3-4 3z',
  account: 'M8 2.3a2.7 2.7 0 1 0 .01 0M2.8 13.7c.4-3 2.4-4.5 5.2-4.5s4.8 1.5 5.2 4.5',
  activity: 'M1.5 8h3l2-5 3 10 2-5h3',
  sideBar: 'M2.5 3h11v10h-11zM6.5 3v10',
  note: 'M3 13l.8-3 7.2-7.2 2.2 2.2L6 12.2zM9.6 4.2l2.2 2.2',
  refresh: 'M13 8a5 5 0 1 1-1.5-3.6M13 2v3h-3',
  search: 'M7 2.5a4.5 4.5 0 1 0 .01 0M10.5 10.5l3.5 3.5',
} as const
