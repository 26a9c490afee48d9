import { machine } from './measure/figures.ts'

/** The measurements by name; each loads only what it needs. */
const benches: Readonly<Record<string, () => Promise<string>>> = {
  start: async () => (await import('./start.ts')).start(),
  open: async () => (await import('./open.ts')).open(),
  keep: async () => (await import('./keep.ts')).keep(),
  export: async () => (await import('./export.ts')).exported(),
  raw: async () => (await import('./raw.ts')).raw(),
  history: async () => (await import('./history.ts')).history(points),
  import: async () => (await import('./import.ts')).imported(),
  rows: async () => (await import('./rows.ts')).rows(),
  large: async () => (await import('./large.ts')).large(),
  explain: async () => (await import('./explain.ts')).explained(),
  alerts: async () => (await import('./alerts/alerts.ts')).alerts(),
  table: async () => (await import('./table/table.ts')).table(),
}

/** The points of the history's measurements are named by letters: `history a c`. */
const points = process.argv.slice(2).filter((name) => /^[a-f]$/.test(name))
const asked = process.argv.slice(2).filter((name) => !points.includes(name))
const unknown = asked.filter((name) => !(name in benches))
if (unknown.length > 0) {
  console.error(`No such measurement: ${unknown.join(', ')}. There are ${Object.keys(benches).join(', ')}.`)
  process.exit(2)
}
console.log(machine())
for (const [name, bench] of Object.entries(benches)) {
  if (asked.length === 0 || asked.includes(name)) console.log(`\n${await bench()}`)
}
