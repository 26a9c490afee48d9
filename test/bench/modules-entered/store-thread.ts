import { countAs } from './in-thread.ts'

await countAs('store')
await import('../../../src-main/store/store-worker.ts')
