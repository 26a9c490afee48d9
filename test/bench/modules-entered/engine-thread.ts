import { countAs } from './in-thread.ts'

await countAs('engine')
await import('#main/reports/engine/engine-process.ts')
