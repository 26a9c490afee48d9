import { countAs } from './in-thread.ts'

await countAs('store')
await import('#main/database/store-worker.ts')
