import { countAs } from './in-thread.ts'

await countAs('engine')
await import('#main/engine-process.ts')
