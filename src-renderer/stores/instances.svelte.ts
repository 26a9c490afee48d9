export { Instances } from './lookups.ts'
