/**
 * Loaded into the main process before the app: says on standard error of which scripts V8 took the code cache, and of which
 * not. With CODE_CACHE=damaged it is given half of each.
 */
const vm = require('node:vm')
const { basename } = require('node:path')

vm.Script = class extends vm.Script {
  /** @param {ConstructorParameters<typeof vm.Script>} given */
  constructor(source, options) {
    const given = typeof options === 'object' ? options : { filename: options }
    const { cachedData: data } = given
    const damaged = process.env['CODE_CACHE'] === 'damaged'
    super(source, { ...given, cachedData: damaged ? data?.subarray(0, data.length / 2) : data })
    const taken = { true: 'rejected', false: 'taken', undefined: 'missing' }[`${this.cachedDataRejected}`]
    process.stderr.write(`Code cache of ${basename(given.filename ?? '')}: ${taken}\n`)
  }
}
